/** Enters the PIN of a meter with light on a modelled line; the display counts flashes as real displays do. */
import assert from "node:assert/strict";
import { OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { PINEntry, type PINPlan } from "../../modules/meter/pin.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type DisplayOptions, MENU, MeterDisplay } from "../../tools/meter/meter-display.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";
import { ReaderBed } from "./reader-bed.js";

const ebz = iecVectors().find(({ name }) => name === "ebz-dd3-push")!;
/** Longer than the reaction of any meter, ms. */
const END_MS = 300_000;

/** A meter that sends nothing and detects light. */
class LitMeter extends PushMeter {
	constructor(display: MeterDisplay) {
		super({ source: () => new Uint8Array(0), baud: 9600, pushMs: Number.POSITIVE_INFINITY, display });
	}
}

/** Starts the entry of a PIN. */
function begin(bed: ReaderBed, plan: Partial<PINPlan> = {}): PINEntry {
	let entry: PINEntry | undefined;
	const isFree = bed.reader.lend((driver, port, { nowMs }, over) => {
		entry = new PINEntry(
			{ pin: "1234", flashes: 2, litMs: Number.NEGATIVE_INFINITY, ...plan },
			driver,
			port,
			nowMs,
			over,
		);
		return entry;
	});
	assert.ok(isFree && entry !== undefined);
	return entry;
}

/** Enters the whole PIN; returns the time that this took, ms. */
function enter(bed: ReaderBed, plan: Partial<PINPlan>): number {
	const entry = begin(bed, plan);
	const startMs = bed.world.clock.monotonicMs();
	assert.ok(entry.isRunning);
	assert.equal(bed.reader.borrower, entry);
	bed.world.time.runWhile(() => entry.isRunning, startMs + END_MS);
	assert.equal(bed.world.clock.monotonicMs() - startMs, entry.timesMs.at(-1));
	assert.equal(bed.reader.borrower, undefined);
	return entry.timesMs.at(-1)!;
}

/** A reader at a meter with a display of these options. */
function bedWith(options: DisplayOptions): { bed: ReaderBed; display: MeterDisplay } {
	const bed = new ReaderBed();
	const display = new MeterDisplay(options);
	bed.world.serial.meter.connect(new LitMeter(display));
	return { bed, display };
}

describe("PIN entry by light", () => {
	for (const pin of ["1234", "0000", "9999", "1000", "0090", "80051", "01234567"]) {
		it(`enters ${pin}`, () => {
			const { bed, display } = bedWith({ pin });
			const durationMs = enter(bed, { pin });
			assert.ok(display.isOpen(durationMs));
			assert.deepEqual(display.entered, [pin]);
			const { flashes } = display;
			for (const { fromMs, toMs } of flashes)
				assert.ok(toMs - fromMs > 400 && toMs - fromMs < 550, `${toMs - fromMs} ms`);
			for (let i = 1; i < flashes.length; i++) assert.ok(flashes[i].fromMs - flashes[i - 1].toMs > 400);
		});
	}
	it("reports each digit when the display takes it", () => {
		const { bed, display } = bedWith({ pin: "0815" });
		const entry = begin(bed, { pin: "0815" });
		assert.deepEqual(entry.timesMs, [7000, 19_000, 24_000, 33_000, 33_000]);
		const shown: string[] = [];
		display.onShows = (what) => shown.push(what);
		for (const [i, ms] of entry.timesMs.slice(0, 4).entries()) {
			bed.world.advance(ms - bed.world.clock.monotonicMs());
			display.isOpen(ms);
			assert.equal(shown.at(-1), i === 3 ? "P" : `PIN ${"*".repeat(i + 1)}0`);
		}
	});
	it("sends as many flashes as the display needs to wake up", () => {
		const { bed, display } = bedWith({ pin: "1204", flashes: 1 });
		assert.ok(display.isOpen(enter(bed, { pin: "1204", flashes: 1 })));
		// This display already prompts for its PIN.
		const { bed: other, display: prepared } = bedWith({ pin: "4021", flashes: 1 });
		prepared.light(-1500, -1000);
		assert.ok(prepared.isOpen(enter(other, { pin: "4021", flashes: 0 })));
	});
	it("switches the menu item InF on with a long flash after the PIN if the plan includes this", () => {
		const { bed, display } = bedWith({ pin: "1234", needsInf: true });
		const plan = { inf: MENU.indexOf("InF") };
		const durationMs = enter(bed, plan);
		assert.equal(durationMs, 30_000 + 8 * 2000 + 6500);
		assert.deepEqual([display.isOpen(durationMs), display.switched], [true, ["InF"]]);
		// The display stays open.
		assert.ok(display.isOpen(durationMs + 200_000));
		bed.world.advance(200_000);
		const last = display.flashes.at(-1)!;
		assert.ok(last.toMs - last.fromMs > 5000 && last.toMs - last.fromMs < 6000);
		// The same entry switches InF off again.
		const againMs = bed.world.clock.monotonicMs() + enter(bed, plan);
		assert.deepEqual([display.isOpen(againMs), display.switched], [false, ["InF", "InF"]]);
	});
	it("switches the first menu item, which needs no flash before it", () => {
		const { bed, display } = bedWith({ pin: "1234" });
		assert.equal(enter(bed, { inf: 0 }), 36_500);
		display.isOpen(40_000);
		assert.deepEqual(display.switched, [MENU[0]]);
	});
	it("leaves the display locked after a wrong or incomplete PIN", () => {
		const { bed, display } = bedWith({ pin: "1234" });
		const endMs = enter(bed, { pin: "1235" });
		assert.deepEqual([display.isOpen(endMs), display.entered], [false, ["1235"]]);
		const entry = begin(bed);
		bed.world.advance(10_000);
		entry.end();
		assert.deepEqual([entry.isRunning, bed.reader.borrower], [false, undefined]);
		bed.world.advance(30_000);
		// A missing digit counts as 0.
		assert.equal(display.isOpen(bed.world.clock.monotonicMs()), false);
		assert.deepEqual(display.entered, ["1235", "1100"]);
		const wholeMs = bed.world.clock.monotonicMs() + enter(bed, {});
		assert.ok(display.isOpen(wholeMs));
	});
	it("keeps flashes separate when the gateway was busy for a while", () => {
		const bed = new ReaderBed();
		const entry = begin(bed, { pin: "9999", flashes: 0 });
		bed.world.advance(100);
		const nowMs = bed.world.clock.monotonicMs() + 2500;
		entry.advance(nowMs);
		assert.equal(entry.poll().kind, OUTPUT_TRANSMIT);
		assert.equal(entry.poll().kind, OUTPUT_NONE);
		assert.equal(entry.deadlineMs, nowMs + 1000);
	});
	it("takes half a minute for a four-digit PIN, like a meter", () => {
		assert.equal(enter(new ReaderBed(), {}), 30_000);
	});
	it("does not wait for a running session, prevents others from beginning, and logs no bytes", () => {
		const bed = new ReaderBed({ modeD: true, modeDBaud: 9600 });
		const source = () => splitTelegram(ebz.telegram);
		bed.world.serial.meter.connect(new IECMeter({ source, mode: "D", pushBaud: 9600, pushMs: 1000 }));
		bed.reader.reconfigure();
		const lines: string[] = [];
		const log = {
			bytes: (direction: number) => lines.push(`${direction}`),
			line: (baud: number) => lines.push(`${baud}`),
		};
		bed.reader.log = log as never;
		let isNotified = false;
		begin(bed);
		bed.world.advance(100);
		assert.equal(
			bed.reader.lend(() => assert.fail()),
			false,
		);
		assert.equal(bed.reader.probe({ finished: () => assert.fail() }), false);
		bed.reader.read({ finished: () => (isNotified = true) });
		bed.world.advance(10_000);
		assert.deepEqual([isNotified, lines], [false, []]);
		// The reader then listens again, and the waiting caller gets its readout.
		bed.world.advance(30_000);
		assert.equal(isNotified, true);
		assert.equal(lines[0], "9600");
	});
	it("ends at once if the port can't be opened, or is pulled out", () => {
		const bed = new ReaderBed();
		bed.world.serial.meter.unplug();
		assert.deepEqual([begin(bed).isRunning, bed.reader.borrower !== undefined], [false, false]);
		bed.world.serial.meter.plugIn();
		const entry = begin(bed);
		bed.world.advance(5000);
		assert.deepEqual([entry.isRunning, bed.reader.borrower !== undefined], [true, true]);
		bed.world.serial.meter.unplug();
		bed.world.advance(1);
		assert.deepEqual([entry.isRunning, bed.reader.borrower !== undefined], [false, false]);
	});
	it("ends when the reader stops", () => {
		const { bed, display } = bedWith({ pin: "1234" });
		begin(bed);
		bed.world.advance(3000);
		bed.reader.stop();
		bed.world.advance(60_000);
		display.isOpen(60_000);
		assert.equal(display.flashes.length, 2);
	});
});
