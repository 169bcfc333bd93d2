/**
 * Cuts the power in each write and each erase of an update, in the OTA slots and in the boot loader's data, from the
 * first byte to the confirmed firmware.
 */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { PowerCut } from "../../hosts/node/virtual-storage.js";
import { makeFile, SIGNER } from "./firmware-files.js";
import { Unit } from "./unit.js";

/** Bytes in a TCP segment. */
const SEGMENT = 1460;
const SECTOR = 4096;

const OLD = "1.0.1";
const NEW = "1.0.2";

export interface Update {
	readonly seed: number;
	readonly packed: boolean;
	/** Bytes of the image. */
	readonly size: number;
	/** True if both slots are in use; otherwise the unit is new. */
	readonly usedBefore: boolean;
}

interface Cut {
	readonly name: string;
	arm(unit: Unit): void;
}

/** Runs the update once for each possible cut; returns the number of cuts. Throws an Error that names a failed cut. */
export function cutEverywhere(update: Update): number {
	const { seed, packed, size } = update;
	const [older, newer] = [OLD, NEW].map((version, i) => {
		const image = makeSimulatorImage({ version, build: i, size, seed: seed + i });
		return makeFile(image, { version, packed });
	});
	/** Each run is identical up to the cut. */
	const prepare = () => {
		const random = new SeededRandom(seed);
		const unit = new Unit({ keys: [SIGNER.point], size: Math.ceil(size / SECTOR) * SECTOR + SECTOR, seed });
		if (update.usedBefore) install(unit, older, random);
		return { unit, random, before: unit.version };
	};
	const whole = prepare();
	const { flash, storage } = whole.unit.slots;
	const [operations, writes] = [flash.operations, storage.writes];
	install(whole.unit, newer, whole.random);
	assert.equal(whole.unit.version, NEW);
	const cuts = [...flashCuts(flash.operations - operations, seed), ...storageCuts(storage.writes - writes)];
	for (const cut of cuts) {
		const { unit, random, before } = prepare();
		cut.arm(unit);
		try {
			assert.throws(() => install(unit, newer, random), PowerCut);
			checkAfter(unit, before, newer, random);
		} catch (error) {
			throw new Error(`SEED=${seed}: the power was cut in ${cut.name}`, { cause: error });
		}
	}
	return cuts.length;
}

/** Runs the update up to the confirmed firmware. Throws a PowerCut if it is interrupted. */
function install(unit: Unit, file: Uint8Array, random: SeededRandom): void {
	const code = unit.upload(file, random, file.length, SEGMENT);
	// The installer reports a cut as a flash error, but a real installer would not continue.
	if (!unit.hasPower) throw new PowerCut("in the upload");
	assert.equal(code, "");
	unit.reset();
	unit.loader.confirm();
	unit.reset();
}

/**
 * Checks that the unit runs one of the two versions, rolls back an unconfirmed one, and accepts the interrupted update
 * again.
 */
function checkAfter(unit: Unit, before: string, file: Uint8Array, random: SeededRandom): void {
	unit.restart();
	assert.ok([before, NEW].includes(unit.version), `it runs ${unit.version}`);
	if (!unit.isConfirmed) {
		assert.equal(unit.version, NEW);
		unit.restart();
		assert.equal(unit.version, before);
		assert.notEqual(unit.loader.givenUp, "");
	}
	assert.ok(unit.isConfirmed);
	const { version } = unit;
	unit.restart();
	assert.equal(unit.version, version, "a restart brought another firmware");
	install(unit, file, random);
	assert.deepEqual([unit.version, unit.isConfirmed], [NEW, true]);
	assert.deepEqual(unit.slots.flash.mistakes, []);
}

/** A cut in each flash operation, after a random part of it. */
function flashCuts(operations: number, seed: number): Cut[] {
	const random = new SeededRandom(seed);
	return Array.from({ length: operations }, (_, i) => {
		const bytes = random.oneIn(4) ? SECTOR : random.below(SEGMENT);
		return { name: `operation ${i + 1}, ${bytes} bytes`, arm: ({ slots }) => slots.flash.cutPowerAt(i + 1, bytes) };
	});
}

/** Cuts before and after each write. */
function storageCuts(writes: number): Cut[] {
	return Array.from({ length: 2 * writes }, (_, i) => {
		const [write, isStored] = [1 + (i >> 1), i % 2 === 1];
		const name = `${isStored ? "the end" : "the beginning"} of the boot loader's write ${write}`;
		return { name, arm: ({ slots }) => slots.storage.cutPowerAt(write, isStored) };
	});
}
