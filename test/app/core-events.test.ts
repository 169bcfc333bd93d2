/** Events of the core: each event and each method of `Core`, with all parts on and a radio in a network. */
import assert from "node:assert/strict";
import { PARTS } from "../../modules/app/parts.js";
import type { Core, Running } from "../../modules/core/core.js";
import { METER } from "../../modules/parts/meter/part.js";
import { type Readout, STATUS_OK } from "../../modules/readout/readout.js";
import { vectorOf } from "../api/gateway.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { expectFaults } from "../faults.js";
import { read } from "../tidy/tree.js";
import { VirtualRadio } from "../zigbee/virtual-radio.js";

const VECTOR = vectorOf("landis-gyr-zmf100-m26-padded-left");
const READOUT: Readout = Object.freeze({
	protocol: "IEC62056-21",
	meterId: new Uint8Array(0),
	mode: 67,
	baud: 9600,
	utcMs: START_UTC_MS,
	status: STATUS_OK,
	records: new Uint8Array(0),
});

/** Calls each method of `Core` that passes an event on or changes something. */
const CALLS: Readonly<Record<string, (core: Core) => void>> = {
	guard: (core) => core.guard("test", () => {}),
	trace: (core) => core.trace("a line"),
	find: (core) => core.find(METER),
	scopeOf: (core) => core.scopeOf(""),
	refreshSoon: (core) => core.refreshSoon(),
	updateServicesSoon: (core) => core.updateServicesSoon(),
	networkChanged: (core) => core.networkChanged(),
	clockChanged: (core) => core.clockChanged(),
	updateChanged: (core) => core.updateChanged(),
	measured: (core) => core.measured(READOUT),
	meterChanged: (core) => core.meterChanged("meter/silent", true),
	restartSoon: (core) => core.restartSoon(),
	factoryReset: (core) => core.factoryReset(),
};

/** Arguments of the events that have any. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
	whenMeasured: [READOUT],
	whenMeterFailed: [true],
	whenNetworkChanged: [true],
};

/** Names of the methods that an interface of core/core.ts declares. */
function methodsOf(name: string): string[] {
	const text = read("modules/core/core.ts");
	const body = text.slice(text.indexOf(`export interface ${name} {`)).split("\n}")[0];
	return [...body.matchAll(/^\t(\w+)\??(?:<\w+>)?\(/gm)].map(([, method]) => method);
}

const EVENTS = methodsOf("Running");

describe("The events of the core, with all parts on and a radio in a network", function () {
	this.timeout(60_000);
	let gateway: VirtualGateway;

	beforeEach(async () => {
		const radio = new VirtualRadio();
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, zigbee: radio.make });
		await gateway.connectMeter({ telegram: VECTOR.telegram });
		radio.coordinator.isOpen = true;
		await gateway.post("zigbee/reset");
		await gateway.write("peaks", { interval_mins: 15, count: 1 });
		await gateway.write("live-meter", { ecotracker: true, homewizard: true });
		await gateway.write("hub", { enabled: true, url: "http://hub.example", token: "token" });
		await gateway.write("mqtt", { enabled: true, url: "mqtt://broker.example" });
		await gateway.pass(60_000);
		assert.equal((await gateway.read("zigbee/config")).state, "joined");
		await gateway.read("iec62056/read");
	});
	afterEach(() => gateway.stop());

	/** The instances of all parts, in the order of the list. */
	const instances = (): (Running | undefined)[] => PARTS.map((part) => gateway.core.find(part));

	it("calls here every method that Core has", () => {
		assert.deepEqual(Object.keys(CALLS).sort(), methodsOf("Core").sort());
	});

	for (const [name, call] of Object.entries(CALLS)) {
		it(`handles ${name} without a fault`, async () => {
			call(gateway.core);
			await gateway.pass(1000);
		});
	}

	for (const event of EVENTS) {
		it(`passes ${event} to each part without a fault`, async () => {
			const handlers = instances().filter((running) => running !== undefined && event in running);
			assert.ok(handlers.length > 0, `no part handles ${event}`);
			for (const running of handlers) {
				(running as Record<string, (...args: readonly unknown[]) => void>)[event](...(ARGUMENTS[event] ?? []));
				await gateway.pass(1000);
			}
		});
	}

	it("refuses an event that its own handling raises, names it in the log, and passes the next one", async () => {
		const faults = expectFaults(/^fault: clockChanged: Error: the event was raised while parts handled it/);
		const metering = gateway.core.find(METER);
		let times = 0;
		metering.whenClockChanged = () => {
			times++;
			gateway.core.clockChanged();
		};
		gateway.core.clockChanged();
		assert.equal(times, 1);
		assert.equal(faults.length, 1);
		gateway.core.clockChanged();
		assert.equal(times, 2);
	});

	it("stops and erases all parts although one throws", async () => {
		expectFaults(/^fault: \w+: Error: it can't be erased/, /^fault: \w+: Error: it can't be stopped/);
		const erased: number[] = [];
		const stopped: number[] = [];
		instances().forEach((running, i) => {
			if (running === undefined) return;
			running.whenErasing = () => {
				erased.push(i);
				if (erased.length === 1) throw new Error("it can't be erased");
			};
			running.whenStopping = () => {
				stopped.push(i);
				if (stopped.length === 1) throw new Error("it can't be stopped");
			};
		});
		const count = instances().filter((running) => running !== undefined).length;
		assert.throws(() => gateway.core.factoryReset(), /can't be erased/);
		gateway.core.stop();
		assert.deepEqual([erased.length, stopped.length], [count, count]);
		assert.deepEqual(stopped, [...erased].reverse());
	});
});
