/** The coprocessor holds the network's keys. The firmware never requests them, and a factory reset overwrites them. */
import assert from "node:assert/strict";
import type { Frame } from "../../tools/zigbee/frames.js";
import { Canary } from "../api/canary.js";
import { vectorOf } from "../api/gateway.js";
import { openWhole, REPORT_KEY } from "../api/report-key.js";
import { CLOSED_ROUTES } from "../api/routing-checks.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { VirtualRadio } from "./virtual-radio.js";

/** A unique key of 16 bytes. */
const KEY = "canary of a home";
/**
 * NV items with keys. ACTIVE and ALTERNATE: a network key and its number. WITH_COUNTER: the active network key, its
 * number and the frame counter. LINK: the link key.
 */
const ACTIVE = 0x003a;
const ALTERNATE = 0x003b;
const WITH_COUNTER = 0x0082;
const LINK = 0x0102;
/** NV items of a network that the chip would form: PRECONFIGURED holds its key, SEED the seed of the link keys. */
const PRECONFIGURED = 0x0062;
const SEED = 0x0101;
const KEYS = [ACTIVE, ALTERNATE, WITH_COUNTER, LINK, PRECONFIGURED, SEED];
/**
 * Subsystem of the commands that read an item: SYS_OSAL_NV_READ and _READ_EXT (READS), and SYS_NV_READ of an extended
 * table (READ_TABLE).
 */
const SYSTEM = 1;
const READS = [0x08, 0x1c];
const READ_TABLE = 0x33;
/** Other requests for keys: UTIL_APSME_LINK_KEY_DATA_GET, UTIL_GET_NV_INFO, ZB_READ_CONFIGURATION. */
const OTHERS: readonly (readonly [number, number])[] = [
	[7, 0x44],
	[7, 0x01],
	[6, 0x04],
];
const LIMIT_MS = 120_000;

describe("The keys of the Zigbee network", function () {
	this.timeout(120_000);
	let radio: VirtualRadio;
	let gateway: VirtualGateway;
	const requests: string[] = [];

	/** Puts keys into the chip of this start, and records requests for them. */
	function watch(): void {
		const key = Buffer.from(KEY);
		for (const id of [ACTIVE, ALTERNATE]) radio.nv.setItem(id, Buffer.concat([Buffer.of(0), key]));
		radio.nv.setItem(WITH_COUNTER, Buffer.concat([Buffer.of(0), key, Buffer.alloc(7, 1)]));
		for (const id of [LINK, PRECONFIGURED, SEED]) radio.nv.setItem(id, key);
		radio.chip.onFrame = (isFromHost, { subsystem, command, data }: Frame) => {
			if (!isFromHost) return;
			const isItem = subsystem === SYSTEM && READS.includes(command) && KEYS.includes(data.readUInt16LE(0));
			const isTable = subsystem === SYSTEM && command === READ_TABLE;
			const isOther = OTHERS.some(([system, number]) => system === subsystem && number === command);
			if (isItem || isTable || isOther) requests.push(`${subsystem} ${command} ${data.toString("hex")}`);
		};
	}

	async function until(state: string): Promise<void> {
		for (let passedMs = 0; (await gateway.read("zigbee/config")).state !== state; passedMs += 500) {
			assert.ok(passedMs < LIMIT_MS, state);
			await gateway.pass(500);
		}
	}

	before(async () => {
		radio = new VirtualRadio();
		const info = { reportKey: REPORT_KEY };
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, info, zigbee: radio.make });
		radio.coordinator.isOpen = true;
		assert.equal((await gateway.post("zigbee/reset")).status, 200);
		await until("joined");
		gateway.plant(KEY);
		watch();
	});
	after(() => gateway.stop());

	it("are in no reply, trace or report, and are never requested", async () => {
		await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		await gateway.read("iec62056/read");
		await gateway.restartAndLogin();
		watch();
		await until("joined");
		for (const route of CLOSED_ROUTES) {
			const [method, path] = route.split(" ");
			// The report is sealed, and opened below.
			if (method === "GET" && path !== "system/diagnostic") await gateway.get(path);
		}
		const headers = { Authorization: `Bearer ${gateway.token}` };
		const reply = gateway.world.request("/api/v1/system/diagnostic", { method: "GET", headers });
		const { text } = await openWhole(reply.body);
		assert.match(text, /zigbee/i);
		new Canary([KEY]).check("the report", text);
		gateway.checkTraces();
		assert.deepEqual(requests, []);
	});

	it("are gone after a factory reset, and are never requested", async () => {
		assert.equal((await gateway.post("system/factory_reset")).status, 200);
		await gateway.loginAfterReboot();
		for (let passedMs = 0; passedMs < LIMIT_MS; passedMs += 1000) await gateway.pass(1000);
		const key = Buffer.from(KEY).toString("hex");
		assert.deepEqual(
			Object.entries(radio.nv.contents).filter(([, bytes]) => bytes.includes(key)),
			[],
		);
		assert.equal(radio.nv.network, undefined);
		assert.deepEqual(requests, []);
	});
});
