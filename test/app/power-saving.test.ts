/** The gateway's sleep between scheduled readouts: what is sent before it, what survives it, and faults. */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualRetained, VirtualWorld } from "../../hosts/node/virtual.js";
import { PowerSaving, type SavingParts, type SavingUser } from "../../modules/app/power-saving.js";
import { FRONT_LENGTH, SharedRetained } from "../../modules/app/shared-retained.js";
import { Driver } from "../../modules/io/driver.js";
import { WAKE_NONE, WAKE_TIMER } from "../../modules/io/flash.js";
import type { Power } from "../../modules/io/host.js";
import { Schedule } from "../../modules/meter/schedule.js";
import { expectFaults, guard } from "../faults.js";
import { zoneOf } from "../time/zones.js";

const QUARTER_MS = 900_000;
const QUARTERS = { minutes: 15, originMinutes: 0, months: 0, day: 1 };
const START_MS = Date.UTC(2026, 10, 22, 7);

/** A gateway controlled by the test. */
class Unit {
	readonly world: VirtualWorld;
	readonly saving: PowerSaving;
	readonly schedule: Schedule;
	readonly calls: string[] = [];
	readonly output = { isSending: false };
	readonly reader = { running: false, isLent: false };
	volts = 4.4;
	/** Cable of a unit with Ethernet. */
	cable: { isUsed: boolean } | undefined;
	meterFailure: string | undefined;
	/** Error thrown by `begin` of the host's sleep. */
	refusal: Error | undefined;

	constructor(retained = new VirtualRetained(), wakeReason = WAKE_TIMER, hasNetwork = true, volts = 4.4) {
		const unit = this;
		this.volts = volts;
		this.world = new VirtualWorld({ utcMs: START_MS, retained });
		const { clock, timers } = this.world;
		const driver = new Driver({ clock, timers, guard });
		const power: Power = {
			cells: 3,
			batteryVoltage: () => unit.volts,
			usbVoltage: () => 0,
			temperatureC: () => 20,
		};
		const outcomes = { readouts: 0 };
		const scheduledReader = { late: undefined, running: false, outcomes, read: () => {}, cancel: () => {} };
		const scheduleWorld = { driver, clock };
		const plan = () => QUARTERS;
		this.schedule = new Schedule({ deps: scheduleWorld, zone: zoneOf("Europe/Berlin"), reader: scheduledReader, plan });
		const sleep = {
			wakeReason,
			begin: (ms: number) => {
				if (this.refusal !== undefined) throw this.refusal;
				this.calls.push(`sleep ${ms}`);
			},
		};
		const savingWorld = { driver, clock, text: new NodeText(), guard };
		const { info } = this.world;
		const { reader, schedule } = this;
		const station = hasNetwork ? { ssid: "home", password: "" } : undefined;
		this.saving = new PowerSaving(savingWorld, { info, power, retained }, sleep, {
			config: { get: () => 0 as never },
			metering: { schedule },
			safeMode: "",
			networking: {
				settings: { station, wifiEnabled: true, ethernetEnabled: true } as SavingUser["networking"]["settings"],
				manager: {
					get cable() {
						return unit.cable;
					},
				},
			},
			get isBusy() {
				return reader.running || reader.isLent || schedule.isRunning || unit.zigbee.isBusy;
			},
			get isSending() {
				return unit.output.isSending;
			},
			get staysAwake() {
				return unit.firmware.isOnTrial;
			},
			connect: () => this.calls.push("connect"),
			stop: () => this.calls.push("stop"),
			restart: () => this.calls.push("restart"),
		});
		const parts: SavingParts = {
			crashLoop: { plannedRestart: () => this.calls.push("asked for") },
			events: { note: ({ name }) => this.calls.push(name) },
			edgeEvents: {
				get meterFailure() {
					return unit.meterFailure;
				},
			},
			light: { empty: () => this.calls.push("light") },
		};
		this.schedule.start(0, this.saving.keptSchedule);
		this.begin = () => this.saving.start(parts, undefined);
	}

	readonly begin: () => void;

	readonly zigbee = { isBusy: false };

	/** Firmware that may be on trial. */
	readonly firmware = { isOnTrial: false };
}

describe("app/power-saving", () => {
	it("stays awake and connects to the network while the firmware is on trial", () => {
		const unit = new Unit();
		unit.world.advance(10);
		unit.schedule.finished(undefined, undefined);
		unit.firmware.isOnTrial = true;
		unit.begin();
		unit.world.advance(700_000);
		assert.deepEqual(unit.calls, ["connect"], "the trial needs the radio, which is off after a timer wake-up");
		unit.firmware.isOnTrial = false;
		unit.world.advance(250);
		assert.equal(unit.calls.join().startsWith("connect,asked for,stop,sleep "), true);
	});

	it("stays awake while the Zigbee bridge reports", () => {
		const unit = new Unit();
		unit.world.advance(10);
		unit.schedule.finished(undefined, undefined);
		unit.zigbee.isBusy = true;
		unit.begin();
		unit.world.advance(20_000);
		assert.deepEqual(unit.calls, []);
		unit.zigbee.isBusy = false;
		unit.world.advance(250);
		assert.deepEqual(unit.calls.slice(0, 2), ["asked for", "stop"]);
	});

	it("turns the radio on only if something is to be sent, and sleeps once it is sent", () => {
		const unit = new Unit();
		// Without a retained record the first readout is due at once; the test completes it first.
		unit.world.advance(10);
		unit.schedule.finished(undefined, undefined);
		unit.begin();
		assert.deepEqual(unit.calls.splice(0), ["asked for", "stop", `sleep ${QUARTER_MS - 10}`]);
		const sending = new Unit();
		sending.world.advance(10);
		sending.schedule.finished(undefined, undefined);
		sending.output.isSending = true;
		sending.begin();
		assert.deepEqual(sending.calls, ["connect"]);
		sending.world.advance(5000);
		sending.output.isSending = false;
		sending.world.advance(300);
		assert.equal(sending.calls.length, 4);
	});

	it("sends nothing if no network is configured, and otherwise waits at most a minute for the sending", () => {
		const without = new Unit(new VirtualRetained(), WAKE_TIMER, false);
		without.output.isSending = true;
		without.world.advance(10);
		without.schedule.finished(undefined, undefined);
		without.begin();
		assert.ok(!without.calls.includes("connect"), without.calls.join());
		const stuck = new Unit();
		stuck.output.isSending = true;
		stuck.world.advance(10);
		stuck.schedule.finished(undefined, undefined);
		stuck.begin();
		stuck.world.advance(59_000);
		assert.deepEqual(stuck.calls, ["connect"]);
		stuck.world.advance(2000);
		assert.equal(stuck.calls.length, 4);
	});

	it("sends over Ethernet if no Wi-Fi is configured", () => {
		const unit = new Unit(new VirtualRetained(), WAKE_TIMER, false);
		unit.cable = { isUsed: false };
		unit.output.isSending = true;
		unit.world.advance(10);
		unit.schedule.finished(undefined, undefined);
		unit.begin();
		assert.deepEqual(unit.calls, ["connect"]);
	});

	it("treats the unit as new as long as neither Wi-Fi nor Ethernet is in use", () => {
		for (const [isUsed, isNew] of [
			[true, false],
			[false, true],
		] as const) {
			const unit = new Unit(new VirtualRetained(), WAKE_NONE, false);
			unit.cable = { isUsed };
			unit.begin();
			assert.equal(unit.saving.isNew, isNew);
		}
	});

	it("still knows the next scheduled readout and the last failure after a sleep", () => {
		const retained = new VirtualRetained();
		const before = new Unit(retained, WAKE_NONE);
		assert.deepEqual([before.saving.keptSchedule, before.saving.failureBefore], [undefined, undefined]);
		before.meterFailure = "iec62056-21/silence";
		before.begin();
		before.world.advance(600_000);
		assert.equal(before.calls.at(-1), "sleep 300000");
		const after = new Unit(retained, WAKE_TIMER);
		assert.equal(after.saving.failureBefore, "iec62056-21/silence");
		assert.equal(after.schedule.nextRunUtcMs, START_MS + QUARTER_MS);
	});

	it("restarts if the host can't sleep", () => {
		expectFaults(/^fault: sleep: Error: the pin can't end sleep/);
		const unit = new Unit();
		unit.refusal = new Error("the pin can't end sleep");
		unit.world.advance(10);
		unit.schedule.finished(undefined, undefined);
		unit.begin();
		assert.deepEqual(unit.calls, ["asked for", "stop", "restart"]);
	});

	it("blocks writes to flash, but no reads, while the cells are empty, and logs this once over all sleeps", () => {
		const retained = new VirtualRetained();
		const first = new Unit(retained, WAKE_TIMER, true, 2.8);
		const { storage, flash } = first.saving.gate({ ...first.world, power: { cells: 3 } as Power } as never);
		assert.throws(() => storage.set("key", Uint8Array.of(1)), /empty/);
		assert.throws(() => storage.delete("key"), /empty/);
		assert.equal(storage.get("key"), undefined);
		const partition = flash!.open("log")!;
		assert.throws(() => partition.write(0, new Uint8Array(16)), /empty/);
		assert.throws(() => partition.erase(0, 4096), /empty/);
		const bytes = new Uint8Array(16);
		partition.read(0, bytes);
		assert.deepEqual(new Set(bytes), new Set([0xff]));
		assert.equal(flash!.open("none"), undefined);
		first.begin();
		first.world.advance(5000);
		assert.deepEqual(first.calls, ["battery_empty", "light", "asked for", "stop", "sleep 21600000"]);
		const second = new Unit(retained, WAKE_TIMER, true, 3.3);
		second.begin();
		second.world.advance(5000);
		assert.deepEqual(second.calls, ["light", "asked for", "stop", "sleep 21600000"]);
	});
});

describe("app/shared-retained", () => {
	it("keeps each of its two areas unchanged when the other is written", () => {
		const memory = new VirtualRetained();
		const shared = new SharedRetained(memory);
		assert.equal(shared.read(), undefined);
		assert.deepEqual(shared.readFront(), new Uint8Array(FRONT_LENGTH));
		shared.write(Uint8Array.of(1, 2, 3));
		const front = new Uint8Array(FRONT_LENGTH).fill(7);
		shared.writeFront(front);
		assert.deepEqual(new SharedRetained(memory).read(), Uint8Array.of(1, 2, 3));
		shared.write(new Uint8Array(shared.size).fill(9));
		assert.deepEqual(new SharedRetained(memory).readFront(), front);
		assert.throws(() => shared.write(new Uint8Array(shared.size + 1)), RangeError);
		assert.equal(memory.read()?.length, memory.size);
	});

	it("treats a record of another layout, or a truncated one, as empty", () => {
		for (const bytes of [Uint8Array.of(1, 0, 10, 10, 10), Uint8Array.of(2, 5), new Uint8Array(256).fill(0xff)]) {
			const memory = new VirtualRetained();
			memory.write(bytes);
			const shared = new SharedRetained(memory);
			assert.equal(shared.read(), undefined);
			assert.deepEqual(shared.readFront(), new Uint8Array(FRONT_LENGTH));
			shared.write(Uint8Array.of(4));
			assert.deepEqual(shared.read(), Uint8Array.of(4));
		}
	});
});
