/**
 * A meter that sends a damaged capture once to three times and then the good one, at the end of a modelled line of the
 * whole meter reader, in all modes, with and without echo and parity in hardware. Whatever was kept is right, and the
 * good one is read in the end.
 */
import assert from "node:assert/strict";
import { MODE_D } from "../../modules/iec62056-21/ident.js";
import { type Readout, STATUS_CHECK_WRONG, STATUS_OK } from "../../modules/meter/readout.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type MeterMode, splitTelegram, type Telegram } from "../../tools/meter/telegram.js";
import { textOf } from "../latin1.js";
import { ReaderBench } from "../meter/bench.js";
import { Mutator, runAll } from "./mutator.js";
import { assertSent, hasWrongCheck, hasWrongCRC, split, type Transmission, transmissions } from "./transmissions.js";

/** Longest transmission here: each of its characters is some events of the modelled line. */
const LENGTH_LIMIT = 3000;
/** Virtual time in which a conversation has ended, ms. */
const END_MS = 700_000;
const PUSH_BAUD = 9600;

/** A meter of any mode that this transmission can come from. */
function modeOf(one: Transmission, mutator: Mutator): MeterMode {
	return one.pushed ? "D" : mutator.pick(["A", "B", "C", "C"]);
}

/** The transmission with the speed letter of the mode. */
function inMode(bytes: Uint8Array, mode: MeterMode): Uint8Array {
	const copy = bytes.slice();
	if (mode !== "D") copy[splitTelegram(bytes).slash + 4] = { A: 0x21, B: 0x45, C: 0x35 }[mode];
	return copy;
}

function openBench(mode: MeterMode, mutator: Mutator): ReaderBench {
	return new ReaderBench(
		{ modeD: mode === "D", modeDBaud: PUSH_BAUD },
		{ hardwareParity: mutator.random.oneIn(2), echo: mutator.random.oneIn(4) },
	);
}

function connect(bench: ReaderBench, mode: MeterMode, source: () => Telegram): void {
	bench.world.serial.meter.connect(new IECMeter({ source, mode, pushBaud: PUSH_BAUD }));
}

/** Asks for a readout, lets the conversation come to its end, and gives what was kept last. */
function readOut(bench: ReaderBench): Readout | undefined {
	const { reader, world } = bench;
	bench.read();
	world.time.runWhile(() => reader.running, world.time.nowMs + END_MS);
	assert.equal(reader.running, false, "the conversation does not end");
	return reader.last;
}

function hexOf(readout: Readout | undefined): string {
	return Buffer.from(readout?.records ?? []).toString("hex");
}

/** A kept readout is the good one, or what the damaged transmission really said with nothing that tells it is damaged. */
function checkKept(kept: Readout, damaged: Uint8Array, good: string): void {
	assert.notEqual(kept.status, STATUS_CHECK_WRONG);
	if (hexOf(kept) === good) return;
	assertSent(kept.records, damaged);
	const { opening, message } = split(damaged);
	const isSameIdent = textOf(opening)
		.trimEnd()
		.endsWith(`/${textOf(kept.meterId)}`);
	const isWrong = kept.mode === MODE_D ? hasWrongCRC(damaged) : isSameIdent && hasWrongCheck(message);
	if (kept.status === STATUS_OK) assert.equal(isWrong, false, "kept in spite of its check");
}

/** What the undamaged transmission gives. */
function readWell(one: Transmission): string {
	const mode = one.pushed ? "D" : "C";
	const bench = openBench(mode, new Mutator(1));
	connect(bench, mode, () => splitTelegram(inMode(one.bytes, mode)));
	const readout = readOut(bench);
	assert.equal(readout?.status, STATUS_OK, one.name);
	return hexOf(readout);
}

/** Throws, with the seed, when one of `runs` damaged transmissions does harm. */
export function fuzzReader(seed: number, runs: number): void {
	const all = transmissions().filter(({ bytes, wrong }) => bytes.length <= LENGTH_LIMIT && !wrong);
	const goodOf = new Map<Transmission, string>();
	runAll("reader", seed, runs, (mutator) => {
		const one = mutator.pick(all);
		const mode = modeOf(one, mutator);
		const bytes = inMode(one.bytes, mode);
		const good = goodOf.get(one) ?? readWell(one);
		goodOf.set(one, good);
		const damaged = mutator.mutate(bytes, mutator.pick(all).bytes);
		let badOnes = 1 + mutator.random.below(3);
		const bench = openBench(mode, mutator);
		connect(bench, mode, () => (badOnes-- > 0 ? split(damaged) : splitTelegram(bytes)));
		const kept = readOut(bench);
		if (kept !== undefined) checkKept(kept, damaged, good);
		badOnes = 0;
		bench.world.advance(5000);
		const readout = readOut(bench);
		assert.notEqual(readout, kept, `${one.name} after the damaged one`);
		assert.equal(readout?.status, STATUS_OK, `${one.name} after the damaged one`);
		assert.equal(hexOf(readout), good, `${one.name} after the damaged one`);
	});
}
