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
class Bed implements Sleeper, Power {
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

	constructor(setup: Partial<Pick<Bed, "battery" | "usb" | "powerMode" | "isNew" | "isWorking" | "isSending">> = {}) {
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
	/** A test bed in each state. */
	const STATES: Record<string, () => Bed> = {
		AWAKE: () => new Bed({ usb: 5 }).begin(START_BY_PERSON),
		ATTENDED: () => new Bed().begin(START_BY_PERSON),
		ROUTINE: () => new Bed({ isWorking: true }).begin(START_BY_TIMER),
		LOW: () => new Bed({ battery: 2.8 }).begin(START_BY_PERSON),
		ASLEEP: () => new Bed().begin(START_BY_TIMER),
	};
	const EVENTS: Record<string, (bed: Bed) => void> = {
		"the time of that state is over": (bed) => bed.time.advance(WORK_MS),
		"nothing is left to do": (bed) => {
			bed.isWorking = false;
			bed.time.advance(1000);
		},
		"the button is pressed": (bed) => bed.policy.pressed(),
		"a token was shown": (bed) => bed.policy.requestReceived(),
		"USB is plugged in": (bed) => {
			bed.usb = 5;
			bed.time.advance(10_000);
		},
		"USB is pulled out": (bed) => {
			bed.usb = 0;
			bed.time.advance(10_000);
		},
		"the new mode never lets the unit sleep": (bed) => {
			bed.powerMode = 2;
			bed.time.advance(10_000);
		},
		"the new mode always lets the unit sleep": (bed) => {
			bed.powerMode = 1;
			bed.time.advance(10_000);
		},
		"the cells are empty": (bed) => {
			bed.usb = 0;
			bed.battery = 2.8;
			bed.time.advance(20_000);
		},
		"the cells have recovered": (bed) => {
			bed.battery = 4.4;
			bed.time.advance(1000);
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
				const bed = make();
				assert.equal(bed.state, state);
				happen(bed);
				assert.equal(bed.state, AFTER[event][index], bed.requests.join());
				const sleeps = bed.requests.filter((line) => line.startsWith("sleep"));
				assert.equal(sleeps.length, bed.state === "ASLEEP" ? 1 : 0);
				assert.equal(bed.policy.deadlineMs === Number.POSITIVE_INFINITY, bed.state === "ASLEEP");
				// The radio is on exactly while clients may connect.
				const isOpen = state !== "LOW" && state !== "ASLEEP" && bed.requests.includes("connect");
				if (bed.state === "AWAKE" || bed.state === "ATTENDED") assert.ok(isOpen);
				if (state === "LOW" || state === "ASLEEP") assert.ok(!bed.requests.includes("connect"));
				bed.time.advance(2 * LIMIT_MS);
			});

	it("sleeps until the next reading, for a day at most, and stays awake if the reading is near", () => {
		const bed = new Bed();
		bed.nextRunMs = 12_000;
		bed.begin(START_BY_TIMER);
		assert.deepEqual(bed.requests, ["sleep 12000"]);
		const near = new Bed();
		near.nextRunMs = 9000;
		near.begin(START_BY_TIMER);
		near.time.advance(9000);
		assert.equal(near.state, "ROUTINE");
		near.nextRunMs = Number.POSITIVE_INFINITY;
		near.time.advance(250);
		assert.deepEqual(near.requests, [`sleep ${LONGEST_MS}`]);
	});

	it("keeps the radio off until there is data to send, and waits for that for a minute at most", () => {
		const bed = new Bed({ isWorking: true }).begin(START_BY_TIMER);
		bed.time.advance(5000);
		assert.deepEqual(bed.requests, []);
		bed.isWorking = false;
		bed.isSending = true;
		bed.time.advance(SEND_MS - 1000);
		assert.deepEqual(bed.requests, ["connect"]);
		bed.isSending = false;
		bed.time.advance(250);
		assert.equal(bed.requests.length, 2);
		const stuck = new Bed({ isSending: true }).begin(START_BY_TIMER);
		stuck.time.advance(SEND_MS);
		assert.deepEqual(stuck.requests, ["connect", `sleep ${QUARTER_MS - SEND_MS}`]);
	});

	it("aborts a task that takes too long", () => {
		const bed = new Bed({ isWorking: true }).begin(START_BY_TIMER);
		bed.time.advance(WORK_MS - 1000);
		assert.deepEqual(bed.requests, []);
		bed.time.advance(1000);
		assert.deepEqual(bed.requests, ["give up", `sleep ${QUARTER_MS - WORK_MS}`]);
	});

	it("stays awake for a user for ten minutes, and for the first setup for thirty", () => {
		for (const [isNew, ms] of [
			[false, HAND_MS],
			[true, SETUP_MS],
		] as const) {
			const bed = new Bed({ isNew }).begin(START_BY_PERSON);
			bed.nextRunMs = Number.POSITIVE_INFINITY;
			assert.equal(bed.policy.awakeUntilMs, ms);
			bed.time.advance(ms - 1);
			assert.equal(bed.state, "ATTENDED");
			bed.time.advance(1);
			assert.equal(bed.state, "ASLEEP");
		}
	});

	it("stays awake two minutes after each request, but at most an hour after a press, or ten minutes after a start by the timer", () => {
		for (const [start, limitMs] of [
			[START_BY_PERSON, LIMIT_MS],
			[START_BY_TIMER, HAND_MS],
		] as const) {
			const bed = new Bed({ isWorking: true }).begin(start);
			bed.nextRunMs = Number.POSITIVE_INFINITY;
			bed.isWorking = false;
			while (bed.state !== "ASLEEP") {
				bed.policy.requestReceived();
				bed.time.advance(1000);
				assert.ok(bed.time.nowMs <= limitMs);
			}
			assert.equal(bed.time.nowMs, limitMs);
		}
		const bed = new Bed().begin(START_BY_PERSON);
		bed.nextRunMs = Number.POSITIVE_INFINITY;
		bed.time.advance(HAND_MS - 1000);
		bed.policy.requestReceived();
		assert.equal(bed.policy.awakeUntilMs, HAND_MS - 1000 + REQUEST_MS);
	});

	it("stays awake for ten minutes when USB is plugged in, even in the mode that always sleeps", () => {
		const bed = new Bed({ powerMode: 1, isWorking: true }).begin(START_BY_TIMER);
		bed.usb = 5;
		bed.time.advance(10_000);
		assert.equal(bed.state, "ATTENDED");
		assert.equal(bed.policy.awakeUntilMs, 10_000 + HAND_MS);
		bed.isWorking = false;
		bed.time.advance(HAND_MS);
		assert.equal(bed.state, "ASLEEP", "USB is not plugged in a second time");
	});

	it("does nothing but show that the cells are empty, and sleeps long, in every mode", () => {
		for (const powerMode of [0, 1, 2]) {
			const bed = new Bed({ powerMode, battery: 2.8, isSending: true, isWorking: true }).begin(START_BY_PERSON);
			bed.policy.requestReceived();
			bed.policy.pressed();
			bed.time.advance(MINUTE_MS);
			assert.deepEqual(bed.requests, ["emptied", `sleep ${EMPTY_MS}`]);
		}
	});

	it("does nothing after it is stopped", () => {
		const bed = new Bed().begin(START_BY_PERSON);
		bed.policy.stop();
		bed.time.advance(LIMIT_MS);
		assert.deepEqual(bed.requests, ["connect"]);
	});
});

describe("power/supply", () => {
	it("knows its supply, and when it needs new cells", () => {
		assert.deepEqual([runsOnBattery(4.1, 0), runsOnBattery(4.1, 4.8), runsOnBattery(0, 0)], [true, false, false]);
		assert.deepEqual([isWeak(3.2, 3), isWeak(3.4, 3), isWeak(0, 3), isWeak(0, 0)], [true, false, false, false]);
	});

	it("considers cells empty below 1.0 V each, measured twice, until they have 1.2 V", () => {
		const bed = new Bed();
		const supply = new Supply(bed, false);
		const measured = (volts: number) => {
			bed.battery = volts;
			supply.measure();
			return supply.isLow;
		};
		assert.deepEqual([3, 2.99, 3, 2.99, 2.99].map(measured), [false, false, false, false, true]);
		assert.deepEqual([3.2, 3.59, 3.6, 3.2].map(measured), [true, true, false, false]);
		assert.deepEqual([2.9, 2.9].map(measured), [false, true]);
		bed.usb = 5;
		supply.measure();
		assert.deepEqual([supply.isLow, supply.isOnBattery, supply.isOnUSB], [false, false, true]);
	});

	it("decides with one measurement at the start, when the unit draws little current", () => {
		const bed = new Bed({ battery: 2.9 });
		assert.equal(new Supply(bed, false).isLow, true);
		bed.battery = 3.3;
		assert.deepEqual([new Supply(bed, false).isLow, new Supply(bed, true).isLow], [false, true]);
		assert.equal(new Supply(undefined, true).isLow, false);
	});
});
