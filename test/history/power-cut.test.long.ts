/**
 * Power cuts at each byte of each write, and in each erase, after a reading. After the next start all earlier entries
 * are unchanged, the reading is stored or not, and further readings work.
 */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import { Entry, FLAG_START } from "../../modules/history/entry.js";
import { Journal } from "../../modules/history/journal.js";
import { expectFaults } from "../faults.js";
import { byRun } from "../runs.js";
import { periodsOf } from "./simulation.js";
import { at, LEVELS, type Level, type Period, Unit } from "./unit.js";

const QUARTER = 900;
const START = at("2026-06-01 00:00:07");
/** Number of readings with possible cuts, enough to fill and compact sectors. */
const CUT = 1100;
/** Cuts are also tried for this number of readings that only add an entry. */
const PLAIN_CUT = 40;

function timeOf(reading: number): number {
	return START + reading * QUARTER + (reading % 7);
}

function importOf(reading: number): number {
	return 1_000_000 + reading * 70 + (reading % 13) * 5;
}

function read(unit: Unit, reading: number): void {
	unit.read(timeOf(reading), { import: importOf(reading), export: 5000 + reading });
}

function entryOf(reading: number): Entry {
	const entry = new Entry();
	entry.timeS = timeOf(reading);
	if (reading === 0) entry.flags = FLAG_START;
	else {
		entry.known = 3;
		entry.rises[0] = importOf(reading) - importOf(reading - 1);
		entry.rises[1] = 1;
	}
	return entry;
}

/** Starts a new unit on a copy of the flash. */
function copyOf(unit: Unit, seed: number): Unit {
	const flash = new VirtualFlash(seed);
	flash.open("history")!.bytes.set(unit.partition.bytes);
	return new Unit("Europe/Berlin", flash);
}

type Listing = Readonly<Record<string, readonly Period[]>>;

function listingOf(entries: readonly Entry[], unit: Unit): Listing {
	const levels = Object.keys(LEVELS) as Level[];
	return Object.fromEntries(levels.map((level) => [level, periodsOf(entries, level, unit.zone)]));
}

function check(unit: Unit, expected: Listing, where: string): void {
	for (const level of Object.keys(LEVELS) as Level[])
		assert.deepEqual(unit.periods(level), expected[level], `${level}, ${where}`);
	assert.deepEqual(unit.flash.mistakes, [], where);
}

/**
 * Tries one in `part` of all possible cuts, chosen at random by `seed`, beginning with reading `after`. Returns the
 * number of cuts.
 */
function cutEverywhere(seed: number, part: number, after: number): number {
	expectFaults(/^fault: history: PowerCut/);
	const random = new SeededRandom(seed);
	const unit = new Unit();
	const entries: Entry[] = [];
	let most = 0;
	let cuts = 0;
	for (let reading = 0; reading < after + CUT; reading++) {
		// Each trial starts a new unit without caches, so this unit must lose its caches too.
		unit.restart();
		const before = copyOf(unit, 0);
		const lengths = watch(unit, () => read(unit, reading));
		let lists: readonly Listing[] | undefined;
		const isCut = reading >= after && (reading < after + PLAIN_CUT || lengths.length > 1);
		if (isCut) most = Math.max(most, lengths.length);
		for (let operation = 1; isCut && operation <= lengths.length; operation++) {
			for (let bytes = 0; bytes <= lengths[operation - 1]; bytes++) {
				if (!random.oneIn(part)) continue;
				lists ??= [
					listingOf(entries, unit),
					listingOf([...entries, entryOf(reading)], unit),
					listingOf([...entries, entryOf(reading), entryOf(reading + 1)], unit),
				];
				const where = `reading ${reading}, operation ${operation}, byte ${bytes} (seed ${seed})`;
				cut(copyOf(before, random.next()), reading, { operation, bytes, where, lists });
				cuts++;
			}
		}
		entries.push(entryOf(reading));
	}
	assert.ok(most > 40 || after === 0, "nothing was compacted");
	return cuts;
}

/** Returns the byte count of each write in `run`, 0 for an erase. */
function watch({ partition }: Unit, run: () => void): number[] {
	const lengths: number[] = [];
	const { write, erase } = partition;
	partition.write = (offset, bytes, start = 0, end = bytes.length) => {
		lengths.push(end - start);
		write.call(partition, offset, bytes, start, end);
	};
	partition.erase = (offset, length) => {
		lengths.push(0);
		erase.call(partition, offset, length);
	};
	run();
	Object.assign(partition, { write, erase });
	return lengths;
}

interface Cut {
	readonly operation: number;
	readonly bytes: number;
	readonly where: string;
	/** Expected lists: without the reading, with it, and with the next one too. */
	readonly lists: readonly Listing[];
}

function cut(unit: Unit, reading: number, { operation, bytes, where, lists }: Cut): void {
	unit.flash.cutPowerAt(operation, bytes);
	read(unit, reading);
	unit.restart();
	const journal = new Journal(unit.partition);
	const isThere = journal.lastS === timeOf(reading);
	if (!isThere) assert.equal(journal.lastS, reading === 0 ? 0 : timeOf(reading - 1), where);
	check(unit, lists[isThere ? 1 : 0], where);
	// A unit that lost this reading gets it again; every unit gets the next one.
	if (!isThere) read(unit, reading);
	read(unit, reading + 1);
	unit.restart();
	check(unit, lists[2], `afterwards, ${where}`);
}

/** One in `part` cuts is tried, after this number of stored readings; more than `least` cuts must have been possible. */
const RUNS = byRun({
	test: [{ after: 2400, part: 20, least: 100 }],
	long: [
		{ after: 0, part: 1, least: 500 },
		{ after: 2400, part: 1, least: 3000 },
		{ after: 12_000, part: 1, least: 3000 },
	],
});

describe("The history with power cuts", () => {
	for (const { after, part, least } of RUNS) {
		it(`loses none of ${after} stored readings, and continues`, function () {
			const seed = Number(process.env.SEED) || 1 + Math.floor(Math.random() * 1e9);
			this.test!.title += ` (seed ${seed})`;
			const cuts = cutEverywhere(seed, part, after);
			this.test!.title += `: ${cuts} cuts`;
			assert.ok(cuts > least);
		});
	}
});
