/**
 * Years of a household in virtual time, read by a unit that has power cuts, is off for days and gets another meter. The
 * periods computed from flash must equal those computed from a list of all entries. For simulated-month.test.ts and
 * simulated-years.long.ts.
 */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { KEEP_S } from "../../modules/history/compaction.js";
import { Entry, FLAG_CHANGED, FLAG_PARTIAL, FLAG_START } from "../../modules/history/entry.js";
import { Journal } from "../../modules/history/journal.js";
import { PeriodCursor } from "../../modules/history/periods.js";
import { LocalCalendar } from "../../modules/time/calendar.js";
import type { TimeZone } from "../../modules/time/zone.js";
import { permitFaults } from "../faults.js";
import { LEVELS, type Level, listOf, NAMES, type Period, type Register, Unit } from "./unit.js";

const QUARTER = 900;
const DAY = 86_400;

export interface Setup {
	readonly seed: number;
	readonly zone?: string;
	/** Registers of the meter; default: import and export. */
	readonly registers?: readonly Register[];
	/** Planned seconds between readings; default: a quarter of an hour. */
	readonly stepS?: number;
	/** Average number of readings between two power cuts; 0: never. */
	readonly cuts?: number;
	/** Average number of readings between two outages; 0: never. */
	readonly outages?: number;
	/** Average number of readings between two meter exchanges; 0: never. */
	readonly exchanges?: number;
	/** Unit to use; default: a new one with the history partition for 4 MB flash. */
	readonly unit?: Unit;
}

class ListSource {
	entry = new Entry();
	timeS = 0;
	#at = 0;
	readonly #entries: readonly Entry[];

	constructor(entries: readonly Entry[]) {
		this.#entries = entries;
	}

	next(): boolean {
		if (this.#at === this.#entries.length) return false;
		this.entry = this.#entries[this.#at++];
		this.timeS = this.entry.timeS;
		return true;
	}
}

/** Returns the periods of a level that the history must make from the entries. */
export function periodsOf(entries: readonly Entry[], level: Level, zone: TimeZone): Period[] {
	const lastS = entries.at(-1)?.timeS ?? 0;
	const fromS = Math.max(0, lastS - KEEP_S[LEVELS[level]]);
	// Begin with entries well before the first period wanted.
	const begin = entries.findIndex(({ timeS }) => timeS >= fromS - 70 * DAY);
	const source = new ListSource(entries.slice(Math.max(0, begin)));
	return listOf(new PeriodCursor(source, new LocalCalendar(zone), { level: LEVELS[level], fromS, toS: 2 ** 32 }));
}

export class Simulation {
	readonly unit: Unit;
	readonly random: SeededRandom;
	readonly entries: Entry[] = [];
	/** Sum of the entries' amounts for each register. */
	readonly totals: Record<Register, number> = { import: 0, export: 0, gas: 0, water: 0, heat: 0, tariff2: 0 };
	readonly #setup: Setup;
	readonly #registers: readonly Register[];
	#timeS: number;
	#readings = new Map<Register, number>();
	/** Readings of the last entry. */
	#last = new Map<Register, number>();
	#meter = 1;
	#lastMeter = 1;
	cuts = 0;

	constructor(setup: Setup, startS: number) {
		if (setup.cuts) permitFaults(/^fault: history: PowerCut/);
		this.#setup = setup;
		this.#registers = setup.registers ?? ["import", "export"];
		this.random = new SeededRandom(setup.seed);
		this.unit = setup.unit ?? new Unit(setup.zone);
		this.#timeS = startS;
		for (const register of this.#registers) this.#readings.set(register, this.random.below(50_000_000));
	}

	get timeS(): number {
		return this.#timeS;
	}

	/** Runs the household and the unit until `untilS`. */
	run(untilS: number): void {
		const { cuts = 0, outages = 0, exchanges = 0, stepS = QUARTER } = this.#setup;
		const { random } = this;
		while (this.#timeS < untilS) {
			let waitS = stepS;
			if (random.oneIn(outages)) waitS += random.below(4 * DAY);
			this.#pass(waitS - (this.#timeS % stepS));
			// A readout is up to 25 s late; one in 20 is delayed by up to `stepS`.
			this.#pass(random.oneIn(20) ? random.below(stepS) : random.below(25));
			if (random.oneIn(exchanges)) {
				this.#meter++;
				for (const register of this.#registers) this.#readings.set(register, random.below(1000));
			}
			// Cut the power anywhere in the next writes, even during a compaction.
			if (random.oneIn(cuts)) this.unit.flash.cutPowerAt(1 + random.below(300), random.below(70));
			this.read();
		}
	}

	/** Reads the meter now; the reading is stored unless the power fails. */
	read(): void {
		const { unit } = this;
		unit.read(this.#timeS, Object.fromEntries(this.#readings), { serial: `no${this.#meter}` });
		if (unit.flash.hasPower) {
			this.#note();
			return;
		}
		this.cuts++;
		unit.restart();
		const journal = new Journal(unit.partition);
		if (journal.lastS === this.#timeS) this.#note();
		else assert.equal(journal.lastS, this.entries.at(-1)?.timeS ?? 0, "an older reading was lost");
		for (const level of ["quarters", "hours"] as const)
			assert.deepEqual(
				unit.periods(level),
				this.expected(level),
				`${level} wrong after a power cut (seed ${this.#setup.seed})`,
			);
	}

	/** Checks that flash equals the list and that no error has occurred. */
	check(): void {
		const { unit } = this;
		assert.deepEqual(unit.flash.mistakes, []);
		for (const level of Object.keys(LEVELS) as Level[]) {
			const periods = unit.periods(level);
			assert.deepEqual(periods, this.expected(level), `${level} (seed ${this.#setup.seed})`);
			for (let i = 1; i < periods.length; i++) assert.equal(periods[i].start, periods[i - 1].end, level);
		}
		const first = this.entries[0].timeS;
		// Months are kept for ten years, so within that time their sum must be everything counted.
		if (this.#timeS - first < KEEP_S[LEVELS.months])
			for (const register of this.#registers)
				assert.equal(unit.sum("months", register), this.totals[register], `${register} (seed ${this.#setup.seed})`);
		if (this.#timeS - first < KEEP_S[LEVELS.days])
			for (const register of this.#registers) assert.equal(unit.sum("days", register), this.totals[register], register);
	}

	/** Expected periods of a level. */
	expected(level: Level): Period[] {
		return periodsOf(this.entries, level, this.unit.zone);
	}

	/** Adds the last readout to the list if it is the first in its quarter of an hour. */
	#note(): void {
		const before = this.entries.at(-1)?.timeS ?? 0;
		if (Math.floor(this.#timeS / QUARTER) <= Math.floor(before / QUARTER)) return;
		const entry = new Entry();
		entry.timeS = this.#timeS;
		if (before === 0) entry.flags = FLAG_START;
		else if (this.#meter !== this.#lastMeter) entry.flags = FLAG_CHANGED | FLAG_PARTIAL;
		else {
			for (const register of this.#registers) {
				const index = NAMES.indexOf(register);
				entry.known |= 1 << index;
				entry.rises[index] = this.#readings.get(register)! - this.#last.get(register)!;
				this.totals[register] += entry.rises[index];
			}
		}
		this.entries.push(entry);
		this.#last = new Map(this.#readings);
		this.#lastMeter = this.#meter;
	}

	#pass(seconds: number): void {
		this.#timeS += seconds;
		for (const [register, reading] of this.#readings)
			this.#readings.set(register, reading + this.random.below(Math.ceil((seconds / QUARTER) * 400) + 1));
	}
}
