/** Sends sample files to a unit, one after another, and checks the result of each. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { checkFront, INVALID_IMAGE, imageOf, Refusal, readFirmwareFile, readFront } from "../../tools/ota/check.js";
import { CONTENT_AT, decodeHeader } from "../../tools/ota/format.js";
import { OPTIONS, type Sample, Samples, TARGET } from "./corruptions.js";
import { Unit } from "./unit.js";

/** One sample in this many is intact. */
const GOOD_EACH = 30;

/**
 * The code that the tool's own parser expects; empty if the file is good. `total`: length of the file if known in
 * advance.
 */
export function verdictOf(file: Uint8Array, total: number): string {
	try {
		if (file.length < CONTENT_AT) return INVALID_IMAGE;
		const front = readFront(file.subarray(0, CONTENT_AT), total || decodeHeader(file).fileLength);
		checkFront(front, TARGET);
		imageOf(readFirmwareFile(file));
		return "";
	} catch (error) {
		if (error instanceof Refusal) return error.code;
		throw error;
	}
}

/**
 * Returns true if the bytes before the image suffice for a refusal. `total`: length of the file if known in advance.
 */
function isKnownEarly(file: Uint8Array, total: number): boolean {
	if (file.length < CONTENT_AT) return true;
	const front = file.subarray(0, CONTENT_AT);
	try {
		checkFront(readFront(front, total || decodeHeader(front).fileLength), TARGET);
		return false;
	} catch {
		return true;
	}
}

function checkBad(unit: Unit, { file, code, notStartable }: Sample, random: SeededRandom): void {
	const { version } = unit;
	const { flash } = unit.slots;
	const running = unit.chosenSlot;
	const { operations } = flash;
	const total = random.oneIn(2) ? file.length : 0;
	assert.equal(unit.upload(file, random, total), code);
	assert.equal(verdictOf(file, total), notStartable ? "" : code, "the tool's verdict");
	assert.ok(unit.chosenSlot.equals(running), "another firmware starts next");
	if (isKnownEarly(file, total)) assert.equal(flash.operations, operations, "flash was written");
	unit.restart();
	assert.deepEqual([unit.version, unit.isConfirmed], [version, true]);
	assert.deepEqual(flash.mistakes, []);
}

function checkGood(unit: Unit, { file, version }: ReturnType<Samples["nextGood"]>, random: SeededRandom): void {
	assert.equal(verdictOf(file, file.length), "");
	assert.equal(unit.upload(file, random, random.oneIn(2) ? file.length : 0), "");
	unit.restart();
	assert.deepEqual([unit.version, unit.isConfirmed], [version, false]);
	unit.loader.confirm();
	unit.restart();
	assert.deepEqual([unit.version, unit.isConfirmed], [version, true]);
}

/** Sends `count` corrupted files, with good ones between them. Throws with the seed on a wrong result. */
export function sendCorrupted(seed: number, count: number): void {
	const random = new SeededRandom(seed);
	const samples = new Samples(random);
	const unit = new Unit({ ...OPTIONS, seed });
	for (let done = 0; done < count; done++) {
		const good = done % GOOD_EACH === 0 ? samples.nextGood() : undefined;
		const bad = samples.nextBad();
		let sample: Sample = good ?? bad;
		try {
			if (good !== undefined) checkGood(unit, good, random);
			sample = bad;
			checkBad(unit, bad, random);
		} catch (error) {
			throw new Error(`SEED=${seed}, file ${done}: ${sample.name}`, { cause: error });
		}
	}
}
