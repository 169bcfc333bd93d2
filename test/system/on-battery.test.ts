/** A unit that sleeps between readings: a month of readings, and the reasons for which the unit stays awake. */
import assert from "node:assert/strict";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { WAKE_BUTTON, WAKE_SUPPLY } from "../../modules/io/flash.js";
import type { VirtualGateway } from "../api/virtual-gateway.js";
import { expectFaults } from "../faults.js";
import { ADDRESS, StateServer, TOKEN } from "../hub/bed.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { DAY_MS, HOUR_MS, MINUTE_MS, OnBattery, WH_PER_HOUR } from "./on-battery.js";

const START_MS = Date.UTC(2026, 9, 19, 22);
const QUARTERS = { enabled: true, period_unit: "minutes", period_value: 15 };
const HOURLY = { enabled: true, period_unit: "hours", period_value: 1, trigger_minute: 0 };
/** Energy that the meter may count between the boundary of a period and the end of the readout, Wh. */
const SLACK_WH = 10;

describe("A unit on battery", function () {
	this.timeout(120_000);
	let unit: OnBattery;

	afterEach(async () => {
		assert.deepEqual(unit.gateway.world.flash.mistakes, []);
		await unit.gateway.stop();
	});

	/** A unit that reads each quarter of an hour, and sleeps for the first time. */
	async function beginAsleep(): Promise<VirtualGateway> {
		unit = new OnBattery(START_MS + MINUTE_MS);
		await unit.begin(QUARTERS);
		unit.untilAsleep();
		return unit.gateway;
	}

	/** Logs in after a press of the button. */
	async function visit(): Promise<void> {
		await unit.gateway.wake(WAKE_BUTTON, 1000);
		await unit.gateway.login();
	}

	for (const [name, schedule, periodMs] of [
		["a quarter of an hour", QUARTERS, 15 * MINUTE_MS],
		["an hour", HOURLY, HOUR_MS],
	] as const) {
		it(`reads once in ${name} through a month, and the history has the energy of each day`, async () => {
			unit = new OnBattery(START_MS - 10 * MINUTE_MS);
			const { gateway } = unit;
			await unit.begin(schedule);
			unit.untilAsleep();
			const { writes } = gateway.world.storage;
			await gateway.wake();
			unit.awake.length = 0;
			// The month includes the end of summer time.
			await unit.pass(START_MS + 31 * DAY_MS);
			const runs = Math.floor(unit.nowMs / periodMs) - Math.floor((START_MS - 1) / periodMs);
			const times = unit.signedOn.map((ms) => Math.floor(ms / periodMs));
			assert.equal(new Set(times).size, times.length, "no time is read twice");
			assert.equal(times.length, runs, "no time is left out");
			assert.equal(times[0], START_MS / periodMs);
			// The unit is awake only while it reads.
			assert.ok(Math.max(...unit.awake) < 10_000, `${Math.max(...unit.awake)} ms`);
			assert.equal(gateway.world.storage.writes, writes, "waking writes no setting");
			await visit();
			const { schedule_missed, schedule_error } = await gateway.read("system/status");
			assert.deepEqual([schedule_missed, schedule_error], [0, ""]);
			const { periods } = await gateway.read("meter/history?period=days");
			const whole = periods.filter(({ partial, gap }: { partial: boolean; gap: boolean }) => !partial && !gap);
			assert.ok(whole.length >= 30, `${whole.length} days`);
			for (const { start, end, import_wh } of whole)
				assert.ok(Math.abs(import_wh - ((end - start) / 3600) * WH_PER_HOUR) <= SLACK_WH, `${start}: ${import_wh}`);
		});
	}

	it("stays awake while a user uses the page and two minutes more, but an hour at most", async () => {
		const gateway = await beginAsleep();
		await visit();
		const { awake_secs } = await gateway.read("system/status");
		assert.ok(awake_secs > 590 && awake_secs <= 600, `${awake_secs} s`);
		assert.equal((await gateway.read("network/status")).wifi_temporary, true);
		for (let minutes = 0; minutes < 29; minutes++) {
			await gateway.pass(MINUTE_MS);
			assert.equal((await gateway.get("system/status")).status, 200);
		}
		assert.equal(gateway.world.asleep, undefined);
		const requestedMs = gateway.world.time.nowMs;
		unit.untilAsleep();
		const sleptMs = gateway.world.time.nowMs - requestedMs;
		assert.ok(sleptMs >= 2 * MINUTE_MS - 1000 && sleptMs < 2 * MINUTE_MS + 5000, `${sleptMs} ms`);
		// A client that sends requests forever does not drain the cells.
		await visit();
		for (let minutes = 0; minutes < 70 && unit.asleepSinceMs === Infinity; minutes++) {
			if (minutes === 29) await gateway.login();
			await gateway.get("system/status");
			await gateway.pass(MINUTE_MS);
		}
		const awakeMs = unit.asleepSinceMs;
		assert.ok(awakeMs > HOUR_MS - MINUTE_MS && awakeMs < HOUR_MS + MINUTE_MS, `${awakeMs} ms`);
	});

	it("reads at once for the user who wakes it, and still makes each scheduled reading", async () => {
		const gateway = await beginAsleep();
		await visit();
		await gateway.pass(10_000);
		const { timestamp } = await gateway.read("iec62056/last");
		assert.ok(Math.abs(timestamp * 1000 - unit.nowMs) < 15_000, "the readout is recent");
		unit.untilAsleep();
		await unit.wakeUntilAsleep();
		await visit();
		const status = await gateway.read("system/status");
		assert.deepEqual([status.schedule_missed, status.schedule_next % 900], [0, 0]);
		assert.ok(status.schedule_last * 1000 > unit.nowMs - 16 * MINUTE_MS);
	});

	it("stays awake on USB in mode 0, for ten minutes in mode 1, and always in mode 2", async () => {
		const gateway = await beginAsleep();
		unit.usb = 5;
		await gateway.wake(WAKE_SUPPLY, 1000);
		await gateway.pass(3 * HOUR_MS);
		await gateway.login();
		const status = await gateway.read("system/status");
		assert.deepEqual([status.battery_powered, status.awake_secs], [false, undefined]);
		assert.equal((await gateway.read("network/status")).wifi_temporary, false);
		// USB power is unplugged and plugged in again.
		unit.usb = 0;
		await gateway.pass(20_000);
		assert.ok((await gateway.read("system/status")).awake_secs > 90);
		await gateway.write("system/power_mode", { power_mode: 1 });
		unit.usb = 5;
		await gateway.pass(20_000);
		const { awake_secs } = await gateway.read("system/status");
		assert.ok(awake_secs > 570 && awake_secs <= 600, `${awake_secs} s`);
		await gateway.pass(9 * MINUTE_MS);
		assert.equal(gateway.world.asleep, undefined);
		unit.untilAsleep(2 * MINUTE_MS);
		await visit();
		await gateway.write("system/power_mode", { power_mode: 2 });
		unit.usb = 0;
		await gateway.pass(3 * HOUR_MS);
		assert.equal(gateway.world.asleep, undefined);
	});

	it("stops writing to flash when the cells are empty, sleeps for hours, and continues with new cells", async () => {
		expectFaults(/^fault: log: Error: the cells are empty: nothing is written/);
		unit = new OnBattery(START_MS + MINUTE_MS);
		const { gateway } = unit;
		const { storage, flash } = gateway.world;
		await unit.begin(QUARTERS);
		unit.untilAsleep();
		await visit();
		unit.battery = 3.2;
		const { battery_low } = await gateway.read("system/status");
		assert.equal(battery_low, true);
		// A short drop of the voltage, as when the radio starts, does not count as empty cells.
		unit.battery = 2.9;
		await gateway.pass(9_000);
		unit.battery = 3.2;
		await gateway.pass(30_000);
		assert.equal(gateway.world.asleep, undefined);
		unit.battery = 2.9;
		assert.equal(unit.untilAsleep(30_000), 6 * HOUR_MS);
		const reads = unit.signedOn.length;
		const before = [storage.writes, flash.operations];
		for (const volts of [2.9, 2.5, 3.3, 3.5]) {
			unit.battery = volts;
			await gateway.wake();
			assert.equal(unit.untilAsleep(10_000), 6 * HOUR_MS, `${volts} V`);
			await gateway.wake(WAKE_BUTTON, 1000);
			assert.equal(unit.untilAsleep(10_000), 6 * HOUR_MS, `${volts} V`);
		}
		assert.deepEqual([storage.writes, flash.operations], before);
		assert.equal(unit.signedOn.length, reads);
		unit.battery = 4.6;
		await gateway.wake();
		assert.ok(unit.untilAsleep() <= 15 * MINUTE_MS);
		assert.equal(unit.signedOn.length, reads + 1);
		await visit();
		const { events } = await gateway.read("system/log");
		const logged = events.map(({ event }: { event: string }) => event);
		assert.equal(logged.filter((event: string) => event === "battery_empty").length, 1, logged.join());
		assert.ok((await gateway.read("system/status")).schedule_missed > 30);
	});

	it("repeats a failed reading after one minute and after four more, and sleeps in between", async () => {
		const gateway = await beginAsleep();
		unit.isSilent = true;
		const slept: number[] = [];
		for (let i = 0; i < 6; i++) {
			await gateway.wake();
			slept.push(Math.round(unit.untilAsleep() / MINUTE_MS));
		}
		assert.deepEqual(slept, [1, 4, 9, 1, 4, 9]);
		await visit();
		const { schedule_error, schedule_missed } = await gateway.read("system/status");
		assert.deepEqual([schedule_error, schedule_missed], ["iec62056-21/silence", 0]);
		const { events } = await gateway.read("system/log");
		const failures = events.filter(({ event }: { event: string }) => event === "meter_failed");
		assert.equal(failures.length, 1, "the log reports the failure once, not after each wake");
	});

	it("adds nothing to the log when it wakes for a reading, and does not enter safe mode", async () => {
		const gateway = await beginAsleep();
		const log = async () => {
			await visit();
			return (await gateway.read("system/log")).events.length;
		};
		const before = await log();
		unit.untilAsleep();
		for (let i = 0; i < 12; i++) {
			await unit.wakeUntilAsleep();
		}
		const after = await log();
		// The test's own visits add some entries: a start, the network, a login.
		assert.ok(after - before <= 4, `${after - before} more`);
		assert.equal((await gateway.read("system/status")).safe_mode, undefined);
	});

	it("continues to read and sleep after a fault, and stays awake in safe mode", async () => {
		const gateway = await beginAsleep();
		await unit.wakeUntilAsleep();
		await gateway.wake();
		const panic = async () => {
			await gateway.pass(1000);
			await gateway.restart(undefined, { cause: "panic", isFault: true });
		};
		await panic();
		const reads = unit.signedOn.length;
		unit.untilAsleep(MINUTE_MS);
		assert.equal(unit.signedOn.length, reads + 1, "the reading that the fault interrupted is made again");
		await gateway.wake();
		for (let i = 0; i < 3; i++) await panic();
		await gateway.pass(30 * MINUTE_MS);
		assert.equal(gateway.world.asleep, undefined);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).safe_mode, "panic; panic; panic");
	});

	it("stays awake half an hour for its first setup, and then sleeps", async () => {
		unit = new OnBattery(START_MS + MINUTE_MS, { storage: new VirtualStorage() });
		const { gateway } = unit;
		gateway.world.storage.delete("wifi");
		await gateway.restart();
		await gateway.pass(29 * MINUTE_MS);
		assert.equal(gateway.world.asleep, undefined);
		unit.untilAsleep(2 * MINUTE_MS);
	});

	it("turns the radio on every six hours to get the time, for a minute if no server answers", async () => {
		unit = new OnBattery(START_MS + MINUTE_MS, { info: { timeServers: "192.0.2.1" } });
		const { gateway } = unit;
		await unit.begin(QUARTERS);
		unit.untilAsleep();
		const connected: number[] = [];
		for (let i = 0; i < 96; i++) {
			await gateway.wake();
			const fromMs = gateway.world.time.nowMs;
			unit.untilAsleep();
			const ms = gateway.world.time.nowMs - fromMs;
			if (ms > 30_000) connected.push(ms);
		}
		assert.ok(connected.length >= 3 && connected.length <= 4, `${connected.length} times`);
		assert.ok(Math.max(...connected) < 90_000, connected.join());
	});

	it("turns the radio on to send a readout to the hub, and soon sleeps again after success or failure", async () => {
		unit = new OnBattery(START_MS + MINUTE_MS);
		const { gateway } = unit;
		const servers: StateServer[] = [];
		let isServed = true;
		unit.onWorld = (world) => {
			const server = new StateServer(world);
			if (isServed) server.serve(8123);
			servers.push(server);
		};
		await unit.begin(QUARTERS);
		await gateway.write("hub", { enabled: true, url: `http://${ADDRESS}:8123`, token: TOKEN });
		unit.untilAsleep();
		for (let i = 0; i < 3; i++) {
			await unit.wakeUntilAsleep();
			assert.ok(servers.at(-1)!.states.size > 2, `${[...servers.at(-1)!.states.keys()]}\n${gateway.diagnosis}`);
			assert.ok(unit.awake.at(-1)! < 30_000, `${unit.awake.at(-1)} ms`);
		}
		isServed = false;
		await unit.wakeUntilAsleep();
		assert.ok(unit.awake.at(-1)! < 75_000, `${unit.awake.at(-1)} ms`);
	});

	it("turns the radio on to send a readout over MQTT, and disconnects before it sleeps", async () => {
		unit = new OnBattery(START_MS + MINUTE_MS);
		const { gateway } = unit;
		const brokers: ScriptedBroker[] = [];
		unit.onWorld = (world) => brokers.push(new ScriptedBroker(world));
		await unit.begin(QUARTERS);
		await gateway.write("mqtt", { enabled: true, url: `mqtt://${BROKER_ADDRESS}` });
		unit.untilAsleep();
		for (let i = 0; i < 3; i++) {
			await unit.wakeUntilAsleep();
			const { sessions, retained } = brokers.at(-1)!;
			const state = [...retained].find(([topic]) => topic.endsWith("/state"));
			assert.match(state?.[1] ?? gateway.diagnosis, /"1_8_0":50/);
			assert.deepEqual(
				sessions.map(({ isLeft }) => isLeft),
				[true],
			);
			assert.ok(unit.awake.at(-1)! < 30_000, `${unit.awake.at(-1)} ms`);
		}
	});

	it("waits for a meter's unsolicited data", async () => {
		unit = new OnBattery(START_MS + MINUTE_MS);
		const { gateway } = unit;
		unit.pushMs = 8000;
		unit.connect();
		await unit.begin(QUARTERS);
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
		unit.untilAsleep();
		for (let i = 0; i < 4; i++) {
			await unit.wakeUntilAsleep(30_000);
		}
		await visit();
		const { schedule_error, schedule_missed } = await gateway.read("system/status");
		assert.deepEqual([schedule_error, schedule_missed], ["", 0]);
	});
});
