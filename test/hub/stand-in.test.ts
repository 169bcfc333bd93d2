/**
 * The hub's client on Node's sockets, with a stand-in for Home Assistant that fails in every way. The tests check
 * messages and time limits, and that no other server gets the token.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createClientPorts } from "../../hosts/node/client.js";
import { NodeClock, NodeCrypto, NodeText, NodeTimers } from "../../hosts/node/platform.js";
import { NodeResolver } from "../../hosts/node/resolver.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { Core } from "../../modules/core/core.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { TLSPermit } from "../../modules/io/tls-permit.js";
import { JSONWriter } from "../../modules/json/writer.js";
import { HUB_CERTIFICATE, HUB_ENABLED, HUB_LANG, HUB_TOKEN, HUB_URL } from "../../modules/parts/hub/fields.js";
import { Hub } from "../../modules/parts/hub/hub.js";
import { type Fault, StandIn } from "../../tools/hub/home-assistant.js";
import { guard } from "../faults.js";
import { recordsOfBlock } from "../readout/block.js";

const names = readFileSync(new URL("../../../modules/resources/obis-names.bin", import.meta.url));
const READOUT = "1-0:1.8.0*255(000123.4*kWh)\r\n1-0:16.7.0(0.25*kW)";
/** Limit of a whole test, ms; the wait for a reply is 8 s. */
const LIMIT_MS = 20_000;

/** Result of a test of the hub with this token: code and HTTP status. */
async function send(url: string, token: string): Promise<[string, number]> {
	const clock = new NodeClock(Date.now());
	const driver = new Driver({
		clock,
		timers: new NodeTimers(),
		guard,
	});
	const settings: Record<string, unknown> = {
		[HUB_ENABLED.name]: true,
		[HUB_URL.name]: url,
		[HUB_TOKEN.name]: token,
		[HUB_LANG.name]: "en",
		[HUB_CERTIFICATE.name]: new Uint8Array(0),
	};
	const measured = {
		protocol: "IEC62056-21",
		meterId: Buffer.from("/ISk5MT"),
		mode: 0x43,
		baud: 9600,
		utcMs: Date.now(),
		status: 0,
		records: recordsOfBlock(READOUT),
	};
	const shared = {
		driver,
		clock,
		crypto: new NodeCrypto(),
		text: new NodeText(),
		writer: new JSONWriter(new NodeText()),
		ports: createClientPorts({ resolver: new NodeResolver() }),
		config: { get: (field: { name: string }) => settings[field.name] } as never,
		ledger: new MemoryLedger({ suffices: () => true }),
		tlsPermit: new TLSPermit(),
		reader: { outcomes: { measured, failure: undefined, isOld: false } },
		radio: undefined,
		networkSettings: { hostname: "smgw-a1b2c3" },
		power: undefined,
		names,
		info: {} as never,
		problem: "",
		firmware: undefined,
		metering: { freshSecs: 0 },
		saving: undefined,
	};
	const { config, ledger } = shared;
	const core = { config, events: { note() {} }, ledger, storage: new VirtualStorage() } as unknown as Core;
	const hub = new Hub(core, shared);
	try {
		return await new Promise((resolve, reject) => {
			const late = setTimeout(() => reject(new Error(`no result in ${LIMIT_MS} ms`)), LIMIT_MS);
			const finished = (failure: { code: string } | undefined, status: number) => {
				clearTimeout(late);
				resolve([failure?.code ?? "ok", status]);
			};
			assert.ok(hub.test({ finished }));
		});
	} finally {
		hub.whenStopping();
	}
}

describe("The hub's client with the stand-in for Home Assistant", function () {
	this.timeout(LIMIT_MS + 5000);
	let standIn: StandIn;
	beforeEach(async () => {
		standIn = await StandIn.start({ banAfter: 2 });
	});
	afterEach(() => standIn.end());

	it("publishes states that are new at first, and known later", async () => {
		assert.deepEqual(await send(standIn.url, standIn.token), ["ok", 201]);
		assert.deepEqual(await send(standIn.url, standIn.token), ["ok", 200]);
		assert.equal(standIn.entities.get("sensor.smgw_a1b2c3_1_0_1_8_0")!.state, "123.4");
		assert.equal(standIn.connections, 2);
	});

	it("reports a rejected token after a single request", async () => {
		for (const token of ["wrong", standIn.guestToken]) {
			standIn.requests.length = 0;
			assert.deepEqual(await send(standIn.url, token), ["token_rejected", 401]);
			assert.equal(standIn.requests.length, 1);
		}
		assert.deepEqual(await send(standIn.url, standIn.token), ["forbidden", 403]);
	});

	const faults: [Fault, string, number][] = [
		["slow", "ok", 201],
		["chunked", "ok", 201],
		["silent", "no_reply", 0],
		["close", "closed", 0],
		["redirect", "redirected", 307],
		["endless-head", "no_http", 0],
		["garbage", "no_http", 0],
		["starting", "hub_unavailable", 503],
		["failing", "hub_unavailable", 500],
		["none", "not_found", 404],
	];
	// The faults run in parallel: a failure without a reply always takes eight seconds, so that it can't be used to scan
	// a network.
	it("reports the result of each faulty server, and sends the token nowhere else", async () => {
		const results = await Promise.all(
			faults.map(async ([fault]) => {
				const [peer, thief] = [await StandIn.start(), await StandIn.start()];
				try {
					peer.fault = fault;
					peer.slowMs = 200;
					peer.redirectTo = `${thief.url}/api/states/sensor.smgw_a1b2c3_1_0_1_8_0`;
					const result = await send(peer.url, peer.token);
					assert.equal(thief.connections, 0);
					return [fault, ...result];
				} finally {
					await peer.end();
					await thief.end();
				}
			}),
		);
		assert.deepEqual(results, faults);
	});

	it("ends if a reply is endless or cut", async () => {
		for (const fault of ["endless", "cut"] as const) {
			standIn.fault = fault;
			// The head of the reply was a success.
			const [code] = await send(standIn.url, standIn.token);
			assert.ok(["ok", "no_reply", "no_http"].includes(code), code);
		}
	});
});
