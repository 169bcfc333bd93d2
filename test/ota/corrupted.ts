/** Sends samples to a unit, one after another, and looks at what has become of it each time. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { BAD_SIGNATURE, checkFirmwareFile, DOWNGRADE, Refusal, WRONG_DEVICE } from "../../tools/ota/check.js";
import { OPTIONS, type Sample, Samples, TARGET } from "./corruptions.js";
import { Unit } from "./unit.js";

/** Of so many samples one is good. */
const GOOD_EACH = 30;
/** What is known before anything is erased. */
const EARLY = [BAD_SIGNATURE, WRONG_DEVICE, DOWNGRADE];

/** What `npm run ota -- verify` would say; empty: ok. */
function verdictOf(file: Uint8Array): string {
	try {
		checkFirmwareFile(file, TARGET);
		return "";
	} catch (error) {
		if (error instanceof Refusal) return error.code;
		throw error;
	}
}

function checkBad(unit: Unit, { file, code, notStartable }: Sample, random: SeededRandom): void {
	const { version } = unit;
	const { flash } = unit.slots;
	const running = unit.chosenSlot;
	const { operations } = flash;
	assert.equal(unit.upload(file, random), code);
	assert.equal(verdictOf(file), notStartable ? "" : code, "the tool's verdict");
	assert.ok(unit.chosenSlot.equals(running), "what starts next has changed");
	if (EARLY.includes(code)) assert.equal(flash.operations, operations, "it was touched");
	unit.restart();
	assert.deepEqual([unit.version, unit.isConfirmed], [version, true]);
	assert.deepEqual(flash.mistakes, []);
}

function checkGood(unit: Unit, { file, version }: ReturnType<Samples["nextGood"]>, random: SeededRandom): void {
	assert.equal(verdictOf(file), "");
	assert.equal(unit.upload(file, random), "");
	unit.restart();
	assert.deepEqual([unit.version, unit.isConfirmed], [version, false]);
	unit.loader.confirm();
	unit.restart();
	assert.deepEqual([unit.version, unit.isConfirmed], [version, true]);
}

/** Sends `count` files that are to be refused, and good ones between them. Throws, with the seed, when one goes wrong. */
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
