/**
 * Makes room in the history's flash: copies it from its beginning, dense and thinned out, a free sector at a time, until
 * what it was copied from is free. What is left of a reading depends on how old it is, counted from the last one before
 * the head (a clock that is wrong for a while does no harm then): each quarter hour for KEEP_S[QUARTERS], then the
 * readings next to hours, then those next to days, then those next to months.
 *
 * A step copies as much as goes into one sector, at least all that is left of the one it begins in: readings that are
 * thinned out only get fewer bytes. So no step leaves less room than there was. Where a whole pass brings none, days are
 * kept for half as long in the next one, and so on.
 */
import { ERASE_SIZE } from "../io/flash.js";
import { DAY_S, DAYS, HOUR_S, type LocalCalendar, MONTHS, QUARTER_S, QUARTERS, TOLERANCES } from "./calendar.js";
import { ENTRY_LIMIT, Entry, FLAG_START } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { DATA_END, END_S, type Sectors, SLOT } from "./sectors.js";

/** How long each level is kept, seconds: 2, 14 and 800 days, ten years. */
export const KEEP_S: readonly number[] = Object.freeze([2 * DAY_S, 14 * DAY_S, 800 * DAY_S, 3653 * DAY_S]);
/** And what must be there before, so that the first of them is told as it always was: two periods. */
const BEFORE_S = Object.freeze([2 * QUARTER_S, 2 * HOUR_S, 2 * DAY_S, 62 * DAY_S]);
/** Free sectors that there must be before another is taken for readings. */
const SPARE = 2;
/** From then on it isn't only days that are given up: no real meter gets there. */
const PRESSURE_ON_ALL = 8;

/** Bytes that are written at once, and what the longest entry may have beyond. */
const PIECE = 4 * SLOT;

export class Compaction {
	readonly #sectors: Sectors;
	/** Where the pass goes on; 0: another begins. */
	#fromS = 0;
	/** How often the days were halved. */
	#pressure = 0;

	constructor(sectors: Sectors) {
		this.#sectors = sectors;
	}

	/** There is too little room for the next sector of readings: step. */
	get isNeeded(): boolean {
		return this.#sectors.free < SPARE;
	}

	/** Copies into one more sector. Takes about as long as erasing it three times. Throws what the flash throws. */
	step(calendar: LocalCalendar): void {
		const sectors = this.#sectors;
		const untilS = sectors.baseOf(sectors.head);
		if (this.#fromS < untilS) {
			const sector = sectors.allocate();
			const fromS = this.#fromS;
			// A step that fails leaves a sector that doesn't count; the pass begins anew.
			this.#fromS = 0;
			const copy = new Copy(sectors, sector, { fromS, untilS, pressure: this.#pressure }, calendar);
			const endS = copy.run();
			sectors.addDense(sector, fromS, endS);
			this.#fromS = endS;
		}
		if (this.#fromS < untilS) return;
		this.#fromS = 0;
		if (this.isNeeded) this.#pressure++;
		else this.#pressure = 0;
	}
}

interface Range {
	/** After the entry of this time; 0: from the beginning. */
	readonly fromS: number;
	/** Up to the entry of this time. */
	readonly untilS: number;
	readonly pressure: number;
}

/** One step. */
class Copy {
	readonly #calendar: LocalCalendar;
	readonly #range: Range;
	readonly #source: EntryCursor;
	/** The entry that is looked at, with all that was left out before it. */
	readonly #current = new Entry();
	readonly #sectors: Sectors;
	readonly #sector: number;
	readonly #bytes = new Uint8Array(PIECE + ENTRY_LIMIT);
	/** Bytes that wait to be written, and where they go. */
	#waiting = 0;
	#at = 0;
	/** Time of the last entry copied. */
	#copiedS: number;

	constructor(sectors: Sectors, sector: number, range: Range, calendar: LocalCalendar) {
		this.#sectors = sectors;
		this.#sector = sector;
		this.#range = range;
		this.#calendar = calendar;
		this.#source = new EntryCursor(sectors, range.fromS);
		this.#copiedS = range.fromS;
	}

	/** Returns the time of the last entry that is in the sector. */
	run(): number {
		const { untilS, fromS } = this.#range;
		const current = this.#current;
		const { entry: next } = this.#source;
		let beforeS = fromS;
		/** Of the last one that was dropped for its age. */
		let droppedS = 0;
		let more = this.#source.next();
		while (more && beforeS < untilS) {
			current.add(next);
			const { timeS } = current;
			more = this.#source.next();
			const level = this.levelOf(untilS - timeS);
			if (level > MONTHS && timeS < untilS) {
				droppedS = timeS;
				current.clear();
				current.timeS = 0;
			} else if (timeS >= untilS || this.isKept(level, beforeS, more ? next.timeS : END_S)) {
				if (droppedS > 0) this.putStart(droppedS);
				droppedS = 0;
				if (!this.put(current)) break;
				current.clear();
				current.timeS = 0;
			}
			beforeS = timeS;
		}
		this.write(this.#waiting);
		return this.#copiedS;
	}

	/** At what level readings of this age are kept; beyond MONTHS: not at all. */
	private levelOf(ageS: number): number {
		const { pressure } = this.#range;
		const part = 2 ** Math.max(0, pressure - PRESSURE_ON_ALL);
		let level = QUARTERS;
		while (level <= MONTHS && ageS > KEEP_S[level] / (level === DAYS ? 2 ** pressure : part) + BEFORE_S[level]) level++;
		return level;
	}

	/**
	 * Whether the current entry, between those of the times `beforeS` and `nextS`, is the one nearest to a boundary; where
	 * both of its neighbours are too far to count as the reading there, both are kept, so that one can tell between them.
	 */
	private isKept(level: number, beforeS: number, nextS: number): boolean {
		const { timeS, flags } = this.#current;
		if (level === QUARTERS || flags & FLAG_START) return true;
		const tolerance = TOLERANCES[level];
		const floorS = this.#calendar.floor(level, timeS);
		const gapS = floorS - beforeS;
		if (gapS > 0 && (timeS - floorS <= gapS || gapS > tolerance)) return true;
		const afterS = this.#calendar.after(level, timeS);
		const restS = nextS - afterS;
		return restS >= 0 && (afterS - timeS < restS || restS > tolerance);
	}

	private putStart(timeS: number): void {
		const start = new Entry();
		start.timeS = timeS;
		start.flags = FLAG_START;
		this.put(start);
	}

	/** False: it doesn't fit into the sector. */
	private put(entry: Entry): boolean {
		const end = entry.encode(this.#bytes, this.#waiting, this.#copiedS);
		if (this.#at + end > DATA_END) return false;
		this.#copiedS = entry.timeS;
		this.#waiting = end;
		if (end >= PIECE) this.write(PIECE);
		return true;
	}

	/** Writes that many of the bytes that wait, and what is missing to a whole slot. */
	private write(count: number): void {
		if (count === 0) return;
		const bytes = this.#bytes;
		const size = Math.ceil(count / SLOT) * SLOT;
		bytes.fill(0xff, this.#waiting, size);
		this.#sectors.partition.write(this.#sector * ERASE_SIZE + this.#at, bytes, 0, size);
		this.#at += size;
		bytes.copyWithin(0, count, this.#waiting);
		this.#waiting = Math.max(0, this.#waiting - size);
	}
}
