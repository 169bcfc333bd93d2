/**
 * Damaged telegrams of an AMIS meter, against the session that listens to it. Half of the damaged telegrams get a
 * correct sum afterwards, because an eight-bit sum accepts one of 256 by chance. The session never throws. A readout
 * has exactly the values of a telegram that was sent, and the meter is read again afterwards. With a wrong key there is
 * no readout.
 */
import assert from "node:assert/strict";
import { AMIS_KEY } from "../../tools/meter/amis-meter.js";
import { longFrame } from "../../tools/meter/mbus-meter.js";
import { Bed, telegram, VALUES } from "../amis/bed.js";
import { type Mutator, runAll } from "./mutator.js";

const WRONG_KEY = AMIS_KEY.map((byte) => byte ^ 0x10);
/** One run in this many has a wrong key. */
const WRONG_RUNS = 8;
const BODY_LIMIT = 255;

/** Telegram number `i` of a run; no two have a value in common. */
function numbered(run: number, i: number): Uint8Array {
	const more = run * 10 + i;
	return telegram(i, {
		utcMs: VALUES.utcMs + more * 1000,
		energyImport: VALUES.energyImport + more,
		energyExport: VALUES.energyExport + more,
		reactiveImport: VALUES.reactiveImport + more,
		reactiveExport: VALUES.reactiveExport + more,
		powerImport: more,
		powerExport: more * 2,
		reactivePowerImport: more * 3,
		reactivePowerExport: more * 4,
		balance: -more,
	});
}

/** Returns the records of each accepted telegram. The first only shows the listener the header. */
function readings(telegrams: readonly Uint8Array[]): string[] {
	return new Bed().receive(...telegrams).map(({ records }) => records.join(" "));
}

function damaged(mutator: Mutator, frame: Uint8Array): Uint8Array {
	if (mutator.random.below(2) === 0) return mutator.mutate(frame, frame);
	const body = frame.subarray(4, -2);
	return longFrame([...mutator.mutate(body, body).subarray(0, BODY_LIMIT)]);
}

export async function fuzzAMIS(seed: number, count: number): Promise<void> {
	let taken = 0;
	await runAll("AMIS", seed, count, (mutator, run) => {
		const isWrong = run % WRONG_RUNS === WRONG_RUNS - 1;
		const bed = new Bed(isWrong ? WRONG_KEY : AMIS_KEY);
		const telegrams = Array.from({ length: 6 }, (_, i) => numbered(run, i));
		const good = isWrong ? [] : readings(telegrams);
		assert.equal(good.length, isWrong ? 0 : telegrams.length - 1);
		const read: string[] = [];
		const feed = (bytes: Uint8Array) =>
			mutator.inPieces(bytes, (buffer, start, end) => {
				for (const { records } of bed.take(buffer, start, end, 0)) if (records.length > 0) read.push(records.join(" "));
			});
		feed(telegrams[0]);
		feed(telegrams[1]);
		const before = read.length;
		feed(damaged(mutator, telegrams[2]));
		taken += read.length - before;
		feed(telegrams[3]);
		bed.silence();
		feed(telegrams[4]);
		feed(telegrams[5]);
		for (const records of read) assert.ok(good.includes(records), `${records} was never sent`);
		if (!isWrong) assert.equal(read.at(-1), good.at(-1), "the meter is not read again");
	});
	// Noise around a whole telegram, and a change to the same value, leave the telegram intact.
	assert.ok(taken > 0 && taken < count / 5, `${taken} of ${count} were taken`);
}
