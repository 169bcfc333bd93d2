/** The PIN of a meter's display, as light on a modelled line; the meter here counts flashes as those in the field do. */
import assert from "node:assert/strict";
import { FORMAT_8N1 } from "../../modules/io/host.js";
import { type Machine, OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "../../modules/io/machine.js";
import { PINEntry } from "../../modules/meter/pin.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { lineChange, noOutput } from "../../tools/meter/outputs.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";
import { ReaderBench } from "./bench.js";

/** Longer darkness ends a flash: what characters leave dark between them is 3.3 ms. */
const DARK_MS = 40;
/** A digit is taken after so long without a flash. */
const TAKEN_MS = 3000;

const ebz = iecVectors().find(({ name }) => name === "ebz-dd3-push")!;

/** At rest, the test of the display, then the digits. */
class HiddenMeter implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	/** How long each flash was; the shortest darkness between two. */
	readonly flashes: number[] = [];
	leastDarkMs = Number.POSITIVE_INFINITY;
	digits = "";
	enteredMs = 0;
	#outputs: Output[] = [lineChange(300, FORMAT_8N1)];
	readonly #length: number;
	#opening: number;
	#digit = 0;
	#beganMs = 0;
	#seenMs = Number.NEGATIVE_INFINITY;

	/** `opening`: flashes from rest to the PIN. `length`: of the PIN. */
	constructor(length: number, opening = 2) {
		this.#length = length;
		this.#opening = opening;
	}

	/** Nine of ten bits of a NUL are light. */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		for (let i = start; i < end; i++) assert.equal(bytes[i], 0);
		const darkMs = nowMs - this.#seenMs;
		if (darkMs > DARK_MS) {
			this.flash(nowMs);
			this.leastDarkMs = Math.min(this.leastDarkMs, darkMs);
		}
		this.#seenMs = nowMs;
		this.flashes[this.flashes.length - 1] = nowMs - this.#beganMs;
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.digits += this.#digit;
		this.#digit = 0;
		this.deadlineMs = this.digits.length === this.#length ? Number.POSITIVE_INFINITY : nowMs + TAKEN_MS;
		this.enteredMs = nowMs;
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}

	private flash(nowMs: number): void {
		this.flashes.push(0);
		this.#beganMs = nowMs;
		if (this.digits.length === this.#length) assert.fail("light after the last digit");
		if (this.#opening > 0) this.#opening--;
		else this.#digit = (this.#digit + 1) % 10;
		if (this.#opening === 0) this.deadlineMs = nowMs + TAKEN_MS;
	}
}

/** Begins to enter it. */
function begin(bench: ReaderBench, pin = "1234", opening = 2): PINEntry {
	let entry: PINEntry | undefined;
	const isFree = bench.reader.lend((driver, port, nowMs, over) => {
		entry = new PINEntry(pin, opening, driver, port, nowMs, over);
		return entry;
	});
	assert.ok(isFree && entry !== undefined);
	return entry;
}

/** Enters it all. */
function enter(bench: ReaderBench, pin: string, opening?: number): number {
	const entry = begin(bench, pin, opening);
	const startMs = bench.world.clock.monotonicMs();
	assert.ok(entry.isGoingOn);
	bench.world.time.runWhile(() => entry.isGoingOn, startMs + 300_000);
	assert.equal(bench.world.clock.monotonicMs() - startMs, entry.durationMs);
	assert.equal(bench.reader.isLent, false);
	return entry.durationMs;
}

describe("the PIN of a meter, by light", () => {
	for (const pin of ["1234", "0000", "9999", "1000", "0090", "5", "80051", "01234567"]) {
		it(`${pin} is entered`, () => {
			const bench = new ReaderBench();
			const meter = new HiddenMeter(pin.length);
			bench.world.serial.meter.connect(meter);
			const durationMs = enter(bench, pin);
			assert.equal(meter.digits, pin);
			assert.ok(meter.enteredMs <= durationMs, `${meter.enteredMs} of ${durationMs} ms`);
			for (const flashMs of meter.flashes) assert.ok(flashMs > 400 && flashMs < 550, `${flashMs} ms`);
			assert.ok(meter.leastDarkMs > 400);
		});
	}
	it("follows as many flashes as the display wants", () => {
		for (const opening of [0, 1, 3]) {
			const bench = new ReaderBench();
			const meter = new HiddenMeter(4, opening);
			bench.world.serial.meter.connect(meter);
			if (opening === 0) meter.deadlineMs = 3000;
			enter(bench, "1204", opening);
			assert.equal(meter.digits, "1204");
		}
	});
	it("makes no two flashes one where the gateway was busy for a while", () => {
		const bench = new ReaderBench();
		const entry = begin(bench, "9999", 0);
		bench.world.advance(100);
		const nowMs = bench.world.clock.monotonicMs() + 2500;
		entry.advance(nowMs);
		assert.equal(entry.poll().kind, OUTPUT_TRANSMIT);
		assert.equal(entry.poll().kind, OUTPUT_NONE);
		assert.equal(entry.deadlineMs, nowMs + 1000);
	});
	it("takes what a 4-digit one takes: half a minute", () => {
		assert.equal(enter(new ReaderBench(), "1234"), 30_000);
	});
	it("waits for no conversation, lets none begin, and is no line of the log", () => {
		const bench = new ReaderBench({ modeD: true, modeDBaud: 9600 });
		const source = () => splitTelegram(ebz.telegram);
		bench.world.serial.meter.connect(new IECMeter({ source, mode: "D", pushBaud: 9600, pushMs: 1000 }));
		bench.reader.reconfigure();
		const lines: string[] = [];
		const log = {
			bytes: (direction: number) => lines.push(`${direction}`),
			line: (baud: number) => lines.push(`${baud}`),
		};
		bench.reader.log = log as never;
		let isTold = false;
		begin(bench);
		bench.world.advance(100);
		assert.equal(
			bench.reader.lend(() => assert.fail()),
			false,
		);
		assert.equal(bench.reader.probe({ finished: () => assert.fail() }), false);
		bench.reader.read({ finished: () => (isTold = true) });
		bench.world.advance(10_000);
		assert.deepEqual([isTold, lines], [false, []]);
		// Then it listens again, and who waited is told.
		bench.world.advance(30_000);
		assert.equal(isTold, true);
		assert.equal(lines[0], "9600");
	});
	it("is over at once where the port can't be opened, or is pulled out", () => {
		const bench = new ReaderBench();
		bench.world.serial.meter.unplug();
		assert.deepEqual([begin(bench).isGoingOn, bench.reader.isLent], [false, false]);
		bench.world.serial.meter.plugIn();
		const entry = begin(bench);
		bench.world.advance(5000);
		assert.deepEqual([entry.isGoingOn, bench.reader.isLent], [true, true]);
		bench.world.serial.meter.unplug();
		bench.world.advance(1);
		assert.deepEqual([entry.isGoingOn, bench.reader.isLent], [false, false]);
	});
	it("ends with the reader", () => {
		const bench = new ReaderBench();
		const meter = new HiddenMeter(4);
		bench.world.serial.meter.connect(meter);
		begin(bench);
		bench.world.advance(3000);
		bench.reader.stop();
		bench.world.advance(60_000);
		assert.equal(meter.flashes.length, 2);
	});
});
