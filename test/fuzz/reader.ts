/**
 * The whole reader with a meter on a modelled line, in all modes, with and without echo and hardware parity. The meter
 * repeatedly sends a damaged capture and then the undamaged one. Every stored readout is correct, and the undamaged
 * capture is read in the end.
 */
import assert from "node:assert/strict";
import { MODE_D } from "../../modules/iec62056-21/ident.js";
import { type Readout, STATUS_CHECK_WRONG, STATUS_OK } from "../../modules/readout/readout.js";
import type { MeterMode } from "../../tools/meter/telegram.js";
import { textOf } from "../latin1.js";
import { ReaderBed } from "../meter/reader-bed.js";
import { FaultyMeter, goodMeter, meterTransmissions, PUSH_BAUD } from "./faulty-meter.js";
import { Mutator, runAll } from "./mutator.js";
import { assertSent, hasWrongCheck, hasWrongCRC, split, type Transmission } from "./transmissions.js";

const LENGTH_LIMIT = 3000;
/** Virtual time within which every session ends, ms. */
const END_MS = 700_000;

function openBed(mode: MeterMode, mutator: Mutator): ReaderBed {
	return new ReaderBed(
		{ modeD: mode === "D", modeDBaud: PUSH_BAUD },
		{ hardwareParity: mutator.random.oneIn(2), echo: mutator.random.oneIn(4) },
	);
}

/** Requests a readout, waits for the end of the session, and returns the last stored readout. */
function readOut(bed: ReaderBed): Readout | undefined {
	const { reader, world } = bed;
	bed.read();
	world.time.runWhile(() => reader.running, world.time.nowMs + END_MS);
	assert.equal(reader.running, false, "the session does not end");
	return reader.outcomes.last;
}

function hexOf(readout: Readout | undefined): string {
	return Buffer.from(readout?.records ?? []).toString("hex");
}

/** A stored readout must be that of the undamaged capture, or of a damaged one with undetectable damage. */
function checkStored(stored: Readout, damaged: Uint8Array, good: string): void {
	assert.notEqual(stored.status, STATUS_CHECK_WRONG);
	if (hexOf(stored) === good) return;
	assertSent(stored.records, damaged);
	const { opening, message } = split(damaged);
	const isSameIdent = textOf(opening)
		.trimEnd()
		.endsWith(`/${textOf(stored.meterId)}`);
	const isWrong = stored.mode === MODE_D ? hasWrongCRC(damaged) : isSameIdent && hasWrongCheck(message);
	if (stored.status === STATUS_OK) assert.equal(isWrong, false, "a readout with a wrong check was stored");
}

function readWell(one: Transmission): string {
	const bed = openBed(one.pushed ? "D" : "C", new Mutator(1));
	bed.world.serial.meter.connect(goodMeter(one));
	const readout = readOut(bed);
	assert.equal(readout?.status, STATUS_OK, one.name);
	return hexOf(readout);
}

export async function fuzzReader(seed: number, runs: number): Promise<void> {
	const all = meterTransmissions(LENGTH_LIMIT);
	const goodOf = new Map<Transmission, string>();
	await runAll("reader", seed, runs, (mutator) => {
		const faulty = new FaultyMeter(mutator, all, ["A", "B", "C", "C"]);
		const one = faulty.transmission;
		const good = goodOf.get(one) ?? readWell(one);
		goodOf.set(one, good);
		const bed = openBed(faulty.mode, mutator);
		bed.world.serial.meter.connect(faulty.machine);
		const stored = readOut(bed);
		if (stored !== undefined) checkStored(stored, faulty.damaged, good);
		faulty.badOnes = 0;
		bed.world.advance(5000);
		const readout = readOut(bed);
		assert.notEqual(readout, stored, `${one.name}: not read after the damaged one`);
		assert.equal(readout?.status, STATUS_OK, `${one.name}: wrong status after the damaged one`);
		assert.equal(hexOf(readout), good, `${one.name}: misread after the damaged one`);
	});
}
