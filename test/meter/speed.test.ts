import assert from "node:assert/strict";
import * as failures from "../../modules/iec62056-21/failures.js";
import { STATUS_OK } from "../../modules/readout/readout.js";
import type { MeterFaults } from "../../tools/meter/faults.js";
import { METER_SIGNED_ON } from "../../tools/meter/iec-meter.js";
import { iecVectors } from "../vectors.js";
import { ReaderBed } from "./reader-bed.js";

/** A meter that offers 9600 Bd: a short, complete telegram with a correct BCC. */
const logarex = iecVectors().find(({ name }) => name === "logarex-lk13-history")!.telegram;
/** Another meter that offers 9600 Bd. */
const other = Uint8Array.from(logarex);
other[other.indexOf(0x2f) + 6] ^= 1;

/** Three blocks with a wrong BCC make one session: the first block and two repetitions. */
const BLOCKS = 3;

class Speeds extends ReaderBed {
	writes = 0;

	constructor(before?: Speeds) {
		super(
			before === undefined ? {} : { learnedBaud: before.settings.learnedBaud, learnedFor: before.settings.learnedFor },
		);
		const { learn } = this.settings;
		this.settings.learn = (baud, meterId) => {
			this.writes++;
			learn(baud, meterId);
		};
	}

	meter(faults: MeterFaults = {}, telegram = logarex): this {
		return this.connect(telegram, { faults });
	}

	/** Reads successfully; returns the speed and the number of sign-ons. */
	speed(): [baud: number, signOns: number] {
		const { meter } = this.world.serial;
		const before = meter.meterEvents.length;
		const reads = this.reader.outcomes.readouts;
		this.read();
		this.world.time.runWhile(() => this.reader.running, this.world.clock.monotonicMs() + 600_000);
		assert.equal(this.reader.outcomes.readouts, reads + 1);
		assert.equal(this.reader.outcomes.last?.status, STATUS_OK);
		const signOns = meter.meterEvents.slice(before).filter((event) => event === METER_SIGNED_ON).length;
		return [this.reader.outcomes.last.baud, signOns];
	}

	/** Reads successfully `count` times, with one session each, at this speed. */
	clean(count: number, baud: number): this {
		for (let i = 0; i < count; i++) assert.deepEqual(this.speed(), [baud, 1], `readout ${i + 1} of ${count}`);
		return this;
	}
}

describe("the negotiated speed", () => {
	it("is tried again after a session of damaged blocks, and nothing is stored", () => {
		for (const wrongBCC of [BLOCKS, 2 * BLOCKS - 1]) {
			const bed = new Speeds().meter({ wrongBCC });
			assert.deepEqual(bed.speed(), [9600, 2]);
			assert.deepEqual([bed.settings.learnedBaud, bed.writes], [0, 0]);
		}
	});
	it("is tried again after a block that broke off, and after one that did not arrive", () => {
		for (const [faults, failure] of [
			[{ cut: 100 }, failures.IEC_CUT],
			[{ lieBaud: 4800 }, failures.IEC_NO_BLOCK],
		] as const) {
			const bed = new Speeds().meter(faults);
			// Connects the meter in the silence after the first session.
			bed.world.timers.set(() => bed.meter(), 3000);
			assert.equal(bed.speed()[0], 9600, failure.code);
			const failed = bed.world.traced.filter((line) => line.includes("failed"));
			assert.deepEqual(failed, [`meter: a session failed: ${failure.code}`]);
			assert.equal(bed.writes, 0);
		}
	});
	it("is not lowered by single faults with clean readouts between them", () => {
		const bed = new Speeds();
		for (let accident = 0; accident < 8; accident++) {
			bed.meter({ wrongBCC: BLOCKS });
			assert.deepEqual(bed.speed(), [9600, 2]);
			bed.clean(1, 9600);
		}
		assert.equal(bed.writes, 0);
	});
	it("is lowered after two sessions of damaged blocks, and stored for that meter", () => {
		const bed = new Speeds().meter({ wrongBCC: 2 * BLOCKS });
		assert.deepEqual(bed.speed(), [4800, 3]);
		assert.deepEqual([bed.settings.learnedBaud, bed.writes], [4800, 1]);
		bed.clean(3, 4800);
	});
	it("is the full speed in the first readout of another meter, and the stored speed is kept", () => {
		const bed = new Speeds().meter({ lieBaud: 1200 });
		bed.speed();
		bed.meter({}, other).clean(10, 9600);
		assert.equal(bed.settings.learnedBaud, 1200);
		bed.meter({ lieBaud: 1200 }).clean(1, 1200);
		assert.equal(bed.writes, 1);
	});
	it("is stored for the other meter when that also needs a lower speed", () => {
		const bed = new Speeds().meter({ lieBaud: 1200 });
		bed.speed();
		bed.meter({ lieBaud: 4800 }, other);
		assert.deepEqual(bed.speed(), [4800, 3]);
		bed.clean(3, 4800);
		assert.equal(bed.settings.learnedBaud, 4800);
	});
	it("is the full speed again after four clean readouts at a lower speed, which is then deleted", () => {
		const bed = new Speeds().meter({ wrongBCC: 2 * BLOCKS });
		assert.deepEqual(bed.speed(), [4800, 3]);
		bed.clean(3, 4800).clean(10, 9600);
		assert.deepEqual([bed.settings.learnedBaud, bed.writes], [0, 2]);
	});
	it("is raised on trial more and more rarely if the meter can't use the higher speed, but at least every 256 readouts; trials are not stored", () => {
		const bed = new Speeds().meter({ lieBaud: 4800 });
		bed.speed();
		bed.clean(3, 4800);
		for (const wait of [8, 16, 32, 64, 128, 256, 256]) {
			// The trial at full speed fails, but the readout succeeds.
			assert.deepEqual(bed.speed(), [4800, 2]);
			bed.clean(wait - 1, 4800);
		}
		assert.equal(bed.writes, 1);
	});
	it("rises step by step if the full speed fails and a lower speed works", () => {
		const bed = new Speeds().meter({ lieBaud: 300 });
		bed.speed();
		bed.clean(3, 300);
		// 9600 is tried and fails.
		assert.deepEqual(bed.speed(), [300, 2]);
		bed.clean(7, 300).meter({ lieBaud: 600 }).clean(1, 600);
		assert.equal(bed.settings.learnedBaud, 600);
	});
	it("is lowered for longer and longer if the full speed works only now and then", () => {
		const bed = new Speeds();
		for (const wait of [4, 8, 16, 32]) {
			bed.meter({ wrongBCC: 2 * BLOCKS });
			assert.deepEqual(bed.speed(), [4800, 3]);
			bed.clean(wait - 1, 4800).clean(2, 9600);
		}
		// After that many successful readouts at full speed, the initial state is back.
		bed.clean(40, 9600).meter({ wrongBCC: 2 * BLOCKS });
		assert.deepEqual(bed.speed(), [4800, 3]);
		bed.clean(3, 4800).clean(1, 9600);
	});
	it("is the stored speed after a restart, and a higher speed is tried four readouts later", () => {
		const before = new Speeds().meter({ wrongBCC: 2 * BLOCKS });
		before.speed();
		before.clean(2, 4800);
		new Speeds(before).meter().clean(4, 4800).clean(1, 9600);
	});
	it("is deleted when the owner changes a setting", () => {
		const bed = new Speeds().meter({ lieBaud: 4800 });
		bed.speed();
		bed.reader.forget();
		assert.equal(bed.settings.learnedBaud, 0);
		assert.deepEqual(bed.speed(), [4800, 3]);
	});
	it("rises only within the limit of the settings", () => {
		const bed = new Speeds().meter({ wrongBCC: 2 * BLOCKS });
		bed.settings.baudMax = 2400;
		assert.deepEqual(bed.speed(), [1200, 3]);
		bed.clean(3, 1200).clean(3, 2400);
	});
});
