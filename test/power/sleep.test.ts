import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Driver } from "../../modules/io/driver.js";
import type { Power } from "../../modules/io/host.js";
import {
	EMPTY_MS,
	HAND_MS,
	LIMIT_MS,
	LONGEST_MS,
	REQUEST_MS,
	SEND_MS,
	SETUP_MS,
	type Sleeper,
	SleepPolicy,
	START_BY_PERSON,
	START_BY_TIMER,
	STATE_ASLEEP,
	STATE_ATTENDED,
	STATE_AWAKE,
	STATE_LOW,
	STATE_ROUTINE,
	WORK_MS,
} from "../../modules/power/sleep.js";
import { isWeak, runsOnBattery, Supply } from "../../modules/power/supply.js";

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;

/** A device that takes its state from the test and records the policy's requests. */
class Bench implements Sleeper, Power {
	readonly time = new VirtualTime();
	readonly policy: SleepPolicy;
	readonly cells = 3;
	battery = 4.4;
	usb = 0;
	powerMode = 0;
	isNew = false;
	isWorking = false;
	isSending = false;
	nextRunMs = QUARTER_MS;
	readonly requests: string[] = [];

	constructor(setup: Partial<Pick<Bench, "battery" | "usb" | "powerMode" | "isNew" | "isWorking" | "isSending">> = {}) {
		Object.assign(this, setup);
		const driver = new Driver({ clock: this.time, timers: this.time, guard: (_part, run) => run() });
		this.policy = new SleepPolicy(driver, new Supply(this, false), this);
	}

	begin(start: number): this {
		this.policy.begin(start);
		return this;
	}

	connect(): void {
		this.requests.push("connect");
	}

	giveUp(): void {
		this.requests.push("give up");
	}

	emptied(): void {
		this.requests.push("emptied");
	}

	fallAsleep(ms: number): void {
		this.requests.push(`sleep ${ms}`);
	}

	batteryVoltage(): number {
		return this.battery;
	}

	usbVoltage(): number {
		return this.usb;
	}

	temperatureC(): number {
		return 20;
	}

	get state(): string {
		return NAMES[this.policy.state];
	}
}

const NAMES: Record<number, string> = {
	[STATE_AWAKE]: "AWAKE",
	[STATE_ATTENDED]: "ATTENDED",
	[STATE_ROUTINE]: "ROUTINE",
	[STATE_LOW]: "LOW",
	[STATE_ASLEEP]: "ASLEEP",
};

describe("power/sleep", () => {
	/** A bench in each state. */
	const STATES: Record<string, () => Bench> = {
		AWAKE: () => new Bench({ usb: 5 }).begin(START_BY_PERSON),
		ATTENDED: () => new Bench().begin(START_BY_PERSON),
		ROUTINE: () => new Bench({ isWorking: true }).begin(START_BY_TIMER),
		LOW: () => new Bench({ battery: 2.8 }).begin(START_BY_PERSON),
		ASLEEP: () => new Bench().begin(START_BY_TIMER),
	};
	const EVENTS: Record<string, (bench: Bench) => void> = {
		"the time of that state is over": (bench) => bench.time.advance(WORK_MS),
		"nothing is left to do": (bench) => {
			bench.isWorking = false;
			bench.time.advance(1000);
		},
		"the button is pressed": (bench) => bench.policy.pressed(),
		"a token was shown": (bench) => bench.policy.requestReceived(),
		"USB is plugged in": (bench) => {
			bench.usb = 5;
			bench.time.advance(10_000);
		},
		"USB is pulled out": (bench) => {
			bench.usb = 0;
			bench.time.advance(10_000);
		},
		"the new mode never lets the unit sleep": (bench) => {
			bench.powerMode = 2;
			bench.time.advance(10_000);
		},
		"the new mode always lets the unit sleep": (bench) => {
			bench.powerMode = 1;
			bench.time.advance(10_000);
		},
		"the cells are empty": (bench) => {
			bench.usb = 0;
			bench.battery = 2.8;
			bench.time.advance(20_000);
		},
		"the cells have recovered": (bench) => {
			bench.battery = 4.4;
			bench.time.advance(1000);
		},
	};
	const AFTER: Record<string, readonly string[]> = {
		"the time of that state is over": ["AWAKE", "ASLEEP", "ASLEEP", "ASLEEP", "ASLEEP"],
		"nothing is left to do": ["AWAKE", "ATTENDED", "ASLEEP", "LOW", "ASLEEP"],
		"the button is pressed": ["AWAKE", "ATTENDED", "ATTENDED", "LOW", "ASLEEP"],
		"a token was shown": ["AWAKE", "ATTENDED", "ATTENDED", "LOW", "ASLEEP"],
		"USB is plugged in": ["AWAKE", "AWAKE", "AWAKE", "ASLEEP", "ASLEEP"],
		"USB is pulled out": ["ATTENDED", "ATTENDED", "ROUTINE", "ASLEEP", "ASLEEP"],
		"the new mode never lets the unit sleep": ["AWAKE", "AWAKE", "AWAKE", "ASLEEP", "ASLEEP"],
		"the new mode always lets the unit sleep": ["ATTENDED", "ATTENDED", "ROUTINE", "ASLEEP", "ASLEEP"],
		"the cells are empty": ["LOW", "LOW", "LOW", "ASLEEP", "ASLEEP"],
		"the cells have recovered": ["AWAKE", "ATTENDED", "ROUTINE", "LOW", "ASLEEP"],
	};
	for (const [event, happen] of Object.entries(EVENTS))
		for (const [index, [state, make]] of Object.entries(STATES).entries())
			it(`state ${state} leads to ${AFTER[event][index]} if ${event}`, () => {
				const bench = make();
				assert.equal(bench.state, state);
				happen(bench);
				assert.equal(bench.state, AFTER[event][index], bench.requests.join());
				const sleeps = bench.requests.filter((line) => line.startsWith("sleep"));
				assert.equal(sleeps.length, bench.state === "ASLEEP" ? 1 : 0);
				assert.equal(bench.policy.deadlineMs === Number.POSITIVE_INFINITY, bench.state === "ASLEEP");
				// The radio is on exactly while clients may connect.
				const isOpen = state !== "LOW" && state !== "ASLEEP" && bench.requests.includes("connect");
				if (bench.state === "AWAKE" || bench.state === "ATTENDED") assert.ok(isOpen);
				if (state === "LOW" || state === "ASLEEP") assert.ok(!bench.requests.includes("connect"));
				bench.time.advance(2 * LIMIT_MS);
			});

	it("sleeps until the next reading, for a day at most, and stays awake if the reading is near", () => {
		const bench = new Bench();
		bench.nextRunMs = 12_000;
		bench.begin(START_BY_TIMER);
		assert.deepEqual(bench.requests, ["sleep 12000"]);
		const near = new Bench();
		near.nextRunMs = 9000;
		near.begin(START_BY_TIMER);
		near.time.advance(9000);
		assert.equal(near.state, "ROUTINE");
		near.nextRunMs = Number.POSITIVE_INFINITY;
		near.time.advance(250);
		assert.deepEqual(near.requests, [`sleep ${LONGEST_MS}`]);
	});

	it("keeps the radio off until there is data to send, and waits for that for a minute at most", () => {
		const bench = new Bench({ isWorking: true }).begin(START_BY_TIMER);
		bench.time.advance(5000);
		assert.deepEqual(bench.requests, []);
		bench.isWorking = false;
		bench.isSending = true;
		bench.time.advance(SEND_MS - 1000);
		assert.deepEqual(bench.requests, ["connect"]);
		bench.isSending = false;
		bench.time.advance(250);
		assert.equal(bench.requests.length, 2);
		const stuck = new Bench({ isSending: true }).begin(START_BY_TIMER);
		stuck.time.advance(SEND_MS);
		assert.deepEqual(stuck.requests, ["connect", `sleep ${QUARTER_MS - SEND_MS}`]);
	});

	it("aborts a task that takes too long", () => {
		const bench = new Bench({ isWorking: true }).begin(START_BY_TIMER);
		bench.time.advance(WORK_MS - 1000);
		assert.deepEqual(bench.requests, []);
		bench.time.advance(1000);
		assert.deepEqual(bench.requests, ["give up", `sleep ${QUARTER_MS - WORK_MS}`]);
	});

	it("stays awake for a user for ten minutes, and for the first setup for thirty", () => {
		for (const [isNew, ms] of [
			[false, HAND_MS],
			[true, SETUP_MS],
		] as const) {
			const bench = new Bench({ isNew }).begin(START_BY_PERSON);
			bench.nextRunMs = Number.POSITIVE_INFINITY;
			assert.equal(bench.policy.awakeUntilMs, ms);
			bench.time.advance(ms - 1);
			assert.equal(bench.state, "ATTENDED");
			bench.time.advance(1);
			assert.equal(bench.state, "ASLEEP");
		}
	});

	it("stays awake two minutes after each request, but at most an hour after a press, or ten minutes after a start by the timer", () => {
		for (const [start, limitMs] of [
			[START_BY_PERSON, LIMIT_MS],
			[START_BY_TIMER, HAND_MS],
		] as const) {
			const bench = new Bench({ isWorking: true }).begin(start);
			bench.nextRunMs = Number.POSITIVE_INFINITY;
			bench.isWorking = false;
			while (bench.state !== "ASLEEP") {
				bench.policy.requestReceived();
				bench.time.advance(1000);
				assert.ok(bench.time.nowMs <= limitMs);
			}
			assert.equal(bench.time.nowMs, limitMs);
		}
		const bench = new Bench().begin(START_BY_PERSON);
		bench.nextRunMs = Number.POSITIVE_INFINITY;
		bench.time.advance(HAND_MS - 1000);
		bench.policy.requestReceived();
		assert.equal(bench.policy.awakeUntilMs, HAND_MS - 1000 + REQUEST_MS);
	});

	it("stays awake for ten minutes when USB is plugged in, even in the mode that always sleeps", () => {
		const bench = new Bench({ powerMode: 1, isWorking: true }).begin(START_BY_TIMER);
		bench.usb = 5;
		bench.time.advance(10_000);
		assert.equal(bench.state, "ATTENDED");
		assert.equal(bench.policy.awakeUntilMs, 10_000 + HAND_MS);
		bench.isWorking = false;
		bench.time.advance(HAND_MS);
		assert.equal(bench.state, "ASLEEP", "USB is not plugged in a second time");
	});

	it("does nothing but show that the cells are empty, and sleeps long, in every mode", () => {
		for (const powerMode of [0, 1, 2]) {
			const bench = new Bench({ powerMode, battery: 2.8, isSending: true, isWorking: true }).begin(START_BY_PERSON);
			bench.policy.requestReceived();
			bench.policy.pressed();
			bench.time.advance(MINUTE_MS);
			assert.deepEqual(bench.requests, ["emptied", `sleep ${EMPTY_MS}`]);
		}
	});

	it("does nothing after it is stopped", () => {
		const bench = new Bench().begin(START_BY_PERSON);
		bench.policy.stop();
		bench.time.advance(LIMIT_MS);
		assert.deepEqual(bench.requests, ["connect"]);
	});
});

describe("power/supply", () => {
	it("knows its supply, and when it needs new cells", () => {
		assert.deepEqual([runsOnBattery(4.1, 0), runsOnBattery(4.1, 4.8), runsOnBattery(0, 0)], [true, false, false]);
		assert.deepEqual([isWeak(3.2, 3), isWeak(3.4, 3), isWeak(0, 3), isWeak(0, 0)], [true, false, false, false]);
	});

	it("considers cells empty below 1.0 V each, measured twice, until they have 1.2 V", () => {
		const bench = new Bench();
		const supply = new Supply(bench, false);
		const measured = (volts: number) => {
			bench.battery = volts;
			supply.measure();
			return supply.isLow;
		};
		assert.deepEqual([3, 2.99, 3, 2.99, 2.99].map(measured), [false, false, false, false, true]);
		assert.deepEqual([3.2, 3.59, 3.6, 3.2].map(measured), [true, true, false, false]);
		assert.deepEqual([2.9, 2.9].map(measured), [false, true]);
		bench.usb = 5;
		supply.measure();
		assert.deepEqual([supply.isLow, supply.isOnBattery, supply.isOnUSB], [false, false, true]);
	});

	it("decides with one measurement at the start, when the unit draws little current", () => {
		const bench = new Bench({ battery: 2.9 });
		assert.equal(new Supply(bench, false).isLow, true);
		bench.battery = 3.3;
		assert.deepEqual([new Supply(bench, false).isLow, new Supply(bench, true).isLow], [false, true]);
		assert.equal(new Supply(undefined, true).isLow, false);
	});
});
