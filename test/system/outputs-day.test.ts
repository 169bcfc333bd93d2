/** A day in XS with occasional faults of all outputs: each readout is sent in the end, and no memory is lost. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { ADDRESS, OWN_CERTIFICATE, reply, StateServer, TOKEN } from "../hub/bed.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";

const HUB_PORT = 8123;
const MQTT_PORT = 8883;
const QUARTER_MS = 900_000;
/** Duration of each fault, ms; the pause after a fault is longer than the longest retry delay. */
const TROUBLE_MS = 300_000;
const MEND_MS = 1_500_000;
const READOUTS = 48;
/** Allowed growth of live slots after the first readouts. */
const SLOTS_MARGIN = 60;

const secure = { certificate: OWN_CERTIFICATE.certificate };
const cert = Buffer.from(OWN_CERTIFICATE.certificate).toString("latin1");

describe("A day of all outputs in XS", function () {
	this.timeout(300_000);
	let xs: XSWorld;
	let hub: StateServer;
	let broker: ScriptedBroker;
	const random = new SeededRandom(20_261_122);

	before(async () => {
		xs = await XSWorld.start({ pieceMs: 200 });
		let kWh = 1000;
		const telegram = () =>
			splitTelegram(Buffer.from(`/TST5METER\r\n\x021.8.0(00${++kWh}.5*kWh)\r\n16.7.0(0.5*kW)\r\n!\r\n\x03`));
		xs.world.serial.meter.connect(new IECMeter({ source: telegram }));
		hub = new StateServer(xs.world);
		broker = new ScriptedBroker(xs.world, MQTT_PORT, secure);
		await xs.advance(61_000);
		await xs.login();
		await set("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		await set("hub", { enabled: true, url: `https://${ADDRESS}:${HUB_PORT}`, token: TOKEN, cert });
		await set("mqtt", { enabled: true, url: `mqtts://${BROKER_ADDRESS}:${MQTT_PORT}`, topics: "both", cert });
	});
	after(() => xs.stop());

	async function set(path: string, body: object): Promise<void> {
		const reply = await xs.request(path, { method: "POST", body });
		assert.equal(reply.status, 200, reply.text);
	}

	/** Gives each output a random fault or none. */
	function disturb(): void {
		const { servers } = xs.world;
		const ofHub = random.below(6);
		if (ofHub === 0) servers.stop(ADDRESS, HUB_PORT);
		else if (ofHub === 1) hub.forget();
		else
			hub.answer = (peer) => {
				if (ofHub > 4 || !random.oneIn(3)) return false;
				if (ofHub === 2) peer.reset();
				if (ofHub === 3) reply(peer, "502 Bad Gateway");
				return true;
			};
		const ofBroker = random.below(6);
		if (ofBroker === 0) servers.stop(BROKER_ADDRESS, MQTT_PORT);
		else if (ofBroker === 1) broker.returnCode = 3;
		else if (ofBroker === 2) broker.acknowledges = random.below(4);
		else if (ofBroker === 3)
			broker.onPacket = (_packet, session) => {
				if (!session.isOpen || !random.oneIn(4)) return;
				session.isOpen = false;
				session.peer.reset();
			};
		else if (ofBroker === 4) broker.current?.peer.reset();
	}

	function mend(): void {
		hub.answer = broker.onPacket = undefined;
		broker.returnCode = 0;
		broker.acknowledges = Number.POSITIVE_INFINITY;
		hub.serve(HUB_PORT, secure);
		broker.serve(xs.world);
	}

	/** Reads the meter; returns the energy and the time of the readout. */
	async function readOut(): Promise<{ kWh: number; readMs: number }> {
		await xs.login();
		const read = (await xs.request("iec62056/read")).json();
		assert.equal(read.status, 0);
		return { kWh: read.readings[0].value1_number, readMs: read.timestamp * 1000 };
	}

	it("brings each readout to the hub and the broker despite faults, and loses no slots", async function () {
		let first = 0;
		for (let i = 0; i < READOUTS; i++) {
			disturb();
			const { kWh, readMs } = await readOut();
			await xs.advance(TROUBLE_MS);
			mend();
			await xs.advance(MEND_MS);
			const id = [...hub.states.keys()].find((key) => key.endsWith("_1_8_0"));
			assert.equal(Number(hub.states.get(id ?? "")?.state), kWh, `readout ${i} is not at the hub`);
			const state = [...broker.last].find(([topic]) => topic.endsWith("/state"))?.[1] ?? "{}";
			assert.equal(JSON.parse(state)["1_8_0"], kWh, `readout ${i} is not at the broker: ${state}`);
			assert.equal(Date.parse(JSON.parse(state).time), readMs);
			await xs.advance(QUARTER_MS - ((TROUBLE_MS + MEND_MS) % QUARTER_MS));
			if (i === 4) first = await xs.slots();
		}
		const last = await xs.slots();
		this.test!.title += ` (${first} slots, then ${last})`;
		assert.ok(last <= first + SLOTS_MARGIN, `${last} slots are alive, ${first} were at first`);
	});

	it("sends no old readout as a newer one", () => {
		const energies = hub.log.filter((line) => line.includes("_1_8_0 ")).map((line) => Number(line.split(" ")[2]));
		const published = broker.published
			.filter((line) => line.includes("/1_8_0 "))
			.map((line) => Number(line.split(" ")[1]));
		for (const [name, values] of Object.entries({ energies, published })) {
			assert.equal(new Set(values).size, READOUTS, name);
			for (let i = 1; i < values.length; i++) assert.ok(values[i] >= values[i - 1], `${name}: ${values}`);
		}
	});
});
