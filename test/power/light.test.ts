import assert from "node:assert/strict";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Gateway } from "../../modules/app/gateway.js";
import { Light } from "../../modules/core/light.js";
import { Driver } from "../../modules/io/driver.js";
import type { LEDPort } from "../../modules/io/host.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { ReaderBed, type Settings } from "../meter/reader-bed.js";
import { iecVectors } from "../vectors.js";

const OFF = "off";
const ON = "on";
const SLOW = "1000 on, 1000 off";
const FAST = "100 on, 100 off";
const FLASHES = "100 on, 400 off";
const MEDIUM = "300 on, 300 off";

/** A light that records what it is set to. */
class RecordingLight {
	readonly #states: string[] = [];
	closed = 0;
	readonly port: LEDPort;

	constructor() {
		const recorder = this;
		this.port = {
			pins: { marker: 1 },
			io: class {
				constructor(options: object) {
					assert.deepEqual(options, { marker: 1 });
				}
				blink(onMs: number, offMs: number): void {
					assert.equal(recorder.closed, 0, "the light is not set after it is closed");
					recorder.#states.push(onMs === 0 ? OFF : offMs === 0 ? ON : `${onMs} on, ${offMs} off`);
				}
				close(): void {
					recorder.closed++;
				}
			},
		};
	}

	/** Returns the states that the light was set to since the last call. */
	take(): string[] {
		return this.#states.splice(0);
	}
}

describe("power/light", () => {
	let time: VirtualTime;
	let recorder: RecordingLight;
	let light: Light;

	beforeEach(() => {
		time = new VirtualTime();
		recorder = new RecordingLight();
		const driver = new Driver({ clock: time, timers: time, guard: (_part, run) => run() });
		light = new Light({ driver }, recorder.port);
	});

	const STATES: Readonly<Record<string, () => void>> = {
		OFF: () => {},
		WAITING: () => light.waiting(true),
		READING: () => light.reading(true),
		FLASHING: () => light.flash(),
		IDENTIFIED: () => light.identifying(true),
		EMPTY: () => light.empty(),
		RESETTING: () => light.resetting(),
	};
	const EVENTS: Readonly<Record<string, () => void>> = {
		"waits for its network": () => light.waiting(true),
		"stops waiting": () => light.waiting(false),
		"reads the meter": () => light.reading(true),
		"stops reading": () => light.reading(false),
		"has a readout": () => light.flash(),
		"is being reset": () => light.resetting(),
		"has finished the flash": () => time.advance(100),
		"has empty cells": () => light.empty(),
		"is to be identified by its light": () => light.identifying(true),
		"was identified": () => light.identifying(false),
	};
	/** State of the light after each event, for each state in the order of EVENTS; "" if the light is not set again. */
	const SHOWN: Readonly<Record<string, readonly string[]>> = {
		OFF: [SLOW, "", ON, "", ON, FAST, "", FLASHES, MEDIUM, ""],
		WAITING: ["", OFF, ON, "", ON, FAST, "", FLASHES, MEDIUM, ""],
		READING: [ON, "", "", OFF, ON, FAST, "", FLASHES, MEDIUM, ""],
		FLASHING: [SLOW, "", ON, "", ON, FAST, OFF, FLASHES, MEDIUM, ""],
		IDENTIFIED: [MEDIUM, "", MEDIUM, "", "", FAST, "", FLASHES, "", OFF],
		EMPTY: [FLASHES, "", FLASHES, "", "", FAST, "", "", FLASHES, ""],
		RESETTING: [FAST, "", FAST, "", "", "", "", FAST, FAST, ""],
	};
	for (const [state, enter] of Object.entries(STATES))
		for (const [index, [event, happen]] of Object.entries(EVENTS).entries()) {
			const shown = SHOWN[state][index];
			it(`${shown === "" ? "is not set" : `shows "${shown}"`} if it is ${state} and the gateway ${event}`, () => {
				enter();
				recorder.take();
				happen();
				assert.deepEqual(recorder.take().join(), shown);
			});
		}
	it("blinks slowly while the network is waited for, and is set only once", () => {
		light.waiting(false);
		light.waiting(true);
		light.waiting(true);
		time.advance(10_000);
		assert.deepEqual(recorder.take(), [SLOW]);
		light.waiting(false);
		light.waiting(false);
		assert.deepEqual(recorder.take(), [OFF]);
	});

	it("is on while the meter is read, even if the network is waited for", () => {
		light.reading(true);
		light.waiting(true);
		assert.deepEqual(recorder.take(), [ON, ON]);
		light.reading(false);
		assert.deepEqual(recorder.take(), [SLOW]);
	});

	it("flashes for a readout, and afterwards shows the same as before", () => {
		light.flash();
		time.advance(99);
		assert.deepEqual(recorder.take(), [ON]);
		time.advance(1);
		assert.deepEqual(recorder.take(), [OFF]);
		light.waiting(true);
		light.flash();
		time.advance(50);
		light.flash();
		time.advance(99);
		assert.deepEqual(recorder.take(), [SLOW, ON, ON]);
		time.advance(1000);
		assert.deepEqual(recorder.take(), [SLOW]);
	});

	it("ends a flash at once when the meter is read", () => {
		light.flash();
		light.reading(true);
		time.advance(1000);
		assert.deepEqual(recorder.take(), [ON, ON]);
		light.reading(false);
		assert.deepEqual(recorder.take(), [OFF]);
	});

	it("blinks fast during a factory reset, and shows nothing else afterwards", () => {
		light.reading(true);
		light.flash();
		light.resetting();
		light.flash();
		light.reading(false);
		light.waiting(true);
		time.advance(1000);
		const states = recorder.take();
		assert.deepEqual(states.splice(0, 2), [ON, ON]);
		assert.deepEqual(new Set(states), new Set([FAST]));
	});

	it("closes its port and its timer when it is stopped", () => {
		light.flash();
		light.stop();
		assert.equal(recorder.closed, 1);
		time.advance(1000);
		assert.deepEqual(recorder.take(), [ON]);
	});
});

describe("the light of a gateway", () => {
	it("blinks while the access point waits for a client, and faster when the button resets the unit", () => {
		const recorder = new RecordingLight();
		const world = new VirtualWorld({ led: recorder.port, wifi: (timers) => new VirtualAir(timers).port });
		const gateway = new Gateway(world);
		gateway.start();
		world.advance(1000);
		assert.deepEqual(recorder.take(), [SLOW]);
		world.button!.press(12_000);
		world.advance(9900);
		assert.deepEqual(recorder.take(), []);
		world.advance(200);
		assert.deepEqual(recorder.take(), [FAST]);
		gateway.stop();
		assert.equal(recorder.closed, 1);
	});

	const telegramOf = (mode: string) => splitTelegram(iecVectors().find((vector) => vector.mode === mode)!.telegram);
	let recorder: RecordingLight;

	/** Creates a reader with a recorded light. */
	function readerOf(settings: Partial<Settings>): ReaderBed {
		recorder = new RecordingLight();
		const world = new VirtualWorld();
		const { clock, timers } = world;
		const light = new Light({ driver: new Driver({ clock, timers, guard: (_part, run) => run() }) }, recorder.port);
		return new ReaderBed(settings, {}, light);
	}

	it("is on while the meter is read, even if reading fails, and flashes for a readout", () => {
		const bed = readerOf({});
		bed.read();
		assert.deepEqual(recorder.take(), [ON, OFF]);
		bed.world.serial.meter.connect(new IECMeter({ source: () => telegramOf("C") }));
		bed.world.advance(5000);
		bed.read();
		assert.deepEqual(recorder.take(), [ON, OFF, ON]);
	});

	it("flashes for each unsolicited telegram", () => {
		const bed = readerOf({ modeD: true, modeDBaud: 9600 });
		const source = () => telegramOf("D");
		bed.world.serial.meter.connect(new IECMeter({ source, mode: "D", pushBaud: 9600, pushMs: 20_000 }));
		assert.deepEqual(recorder.take(), []);
		bed.world.advance(18_000);
		assert.deepEqual(recorder.take(), [ON]);
	});
});
