/**
 * Frees sectors of the history's partition. For this, it copies the history from its beginning, packed and thinned out,
 * into one free sector at a time. Every quarter hour is kept for KEEP_S[QUARTERS]. Older entries are kept only if they
 * are nearest to the boundaries of hours, days and months, for as long as KEEP_S says. The age of an entry is its
 * distance in time from the last reading before the head sector.
 *
 * A copy contains at least the rest of its first source sector, so copying never reduces the number of free sectors.
 * While a copy is incomplete, its sector still counts as free. If a pass over the whole history does not free enough
 * sectors, the next pass keeps days for half the time. This can happen if all registers are stored in a partition of 32
 * KB.
 */
import { ERASE_SIZE } from "../io/flash.js";
import { DAY_S, DAYS, type LocalCalendar, MONTHS, PERIOD_S, QUARTERS } from "../time/calendar.js";
import { Entry, FLAG_START } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { EntryWriter } from "./entry-writer.js";
import { toleranceOf } from "./periods.js";
import { DATA_END, END_S, KIND_DENSE, RECORD_SIZE, type Sectors } from "./sectors.js";

/** Retention in seconds: 2 days for quarter hours, 14 days for hours, 800 days for days, ten years for months. */
export const KEEP_S: readonly number[] = Object.freeze([2 * DAY_S, 14 * DAY_S, 800 * DAY_S, 3653 * DAY_S]);
/**
 * The retention of days is halved this many times before the retention of hours, months and quarter hours is halved,
 * too. With household meters, no halving is necessary.
 */
const DAYS_FIRST = 8;
/** Minimum number of free sectors. If there are fewer, compaction is needed. */
const SPARE = 2;

export class Compaction {
	readonly #sectors: Sectors;
	/** Time up to which the present pass has copied entries, Unix seconds; 0 at the start of a pass. */
	#fromS = 0;
	#pressure = 0;
	#source: EntryCursor | undefined;
	/** Current entry. The rises of the omitted entries before it have been added to it. */
	readonly #current = new Entry();
	#beforeS = 0;
	#droppedS = 0;
	#start = 0;
	#writer: EntryWriter;

	constructor(sectors: Sectors) {
		this.#sectors = sectors;
		this.#writer = new EntryWriter(sectors.partition, 0, 0);
	}

	get isNeeded(): boolean {
		return this.#sectors.free < SPARE;
	}

	get isShort(): boolean {
		return this.#pressure > 0;
	}

	get isBegun(): boolean {
		return this.#source !== undefined;
	}

	/**
	 * Copies at most `limit` entries. The first call for a sector only erases the sector. Throws if the flash fails;
	 * the object must not be used any more then.
	 */
	step(calendar: LocalCalendar, limit = Number.POSITIVE_INFINITY): void {
		const sectors = this.#sectors;
		const untilS = sectors.baseOf(sectors.head);
		if (this.#fromS < untilS) {
			if (this.#source === undefined) this.begin();
			else if (this.copy(this.#source, calendar, untilS, limit)) this.complete();
			if (limit === Number.POSITIVE_INFINITY && this.isBegun) this.step(calendar);
			if (this.isBegun) return;
		}
		if (this.#fromS < untilS) return;
		this.#fromS = 0;
		this.#pressure = this.isNeeded ? this.#pressure + 1 : 0;
	}

	private begin(): void {
		const sectors = this.#sectors;
		const fromS = this.#fromS;
		this.#start = sectors.allocate() * ERASE_SIZE;
		this.#writer = new EntryWriter(sectors.partition, this.#start, fromS);
		this.#droppedS = 0;
		this.#beforeS = fromS;
		this.#current.clear();
		const source = new EntryCursor(sectors, fromS);
		if (source.next()) this.#source = source;
		else this.#fromS = END_S;
	}

	private complete(): void {
		const sectors = this.#sectors;
		const { lastS } = this.#writer;
		this.#writer.flush();
		const record = new Uint8Array(RECORD_SIZE);
		sectors.makeRecord(record, KIND_DENSE, this.#fromS, lastS);
		sectors.partition.write(this.#start + DATA_END, record);
		sectors.load();
		this.#fromS = lastS;
		this.#source = undefined;
	}

	/** Copies at most `limit` entries. Returns false if more entries remain. */
	private copy(source: EntryCursor, calendar: LocalCalendar, untilS: number, limit: number): boolean {
		const current = this.#current;
		const { entry: next } = source;
		for (let i = 0; i < limit; i++) {
			current.add(next);
			const { timeS } = current;
			const more = source.next();
			const level = this.levelOf(untilS - timeS);
			const isLast = timeS >= untilS;
			if (level > MONTHS && !isLast) {
				this.#droppedS = timeS;
				current.clear();
			} else if (isLast || isKept(calendar, level, this.#beforeS, current, more ? next.timeS : END_S)) {
				if (this.#droppedS > 0) {
					const start = new Entry();
					start.timeS = this.#droppedS;
					start.flags = FLAG_START;
					this.#writer.put(start);
					this.#droppedS = 0;
				}
				if (this.#writer.endOf(current) > this.#start + DATA_END) return true;
				this.#writer.put(current);
				current.clear();
			}
			this.#beforeS = timeS;
			if (!more || isLast) return true;
		}
		return false;
	}

	private levelOf(ageS: number): number {
		let level = QUARTERS;
		for (; level <= MONTHS; level++) {
			// The retention of days is halved first, because days take most of the room.
			const halved = level === DAYS ? this.#pressure : Math.max(0, this.#pressure - DAYS_FIRST);
			// Two periods are added, so that compaction does not change the first period that is reported.
			if (ageS <= KEEP_S[level] / 2 ** halved + 2 * PERIOD_S[level]) break;
		}
		return level;
	}
}

/**
 * Returns true if the entry is the nearest one to a boundary between two periods of the level. The entries before and
 * after it have the times `beforeS` and `nextS`. If the entries on both sides of a boundary are too far from it, both
 * are kept, because the reading at the boundary will be interpolated.
 */
function isKept(calendar: LocalCalendar, level: number, beforeS: number, entry: Entry, nextS: number): boolean {
	const { timeS, flags } = entry;
	if (level === QUARTERS || flags & FLAG_START) return true;
	const tolerance = toleranceOf(level);
	const floorS = calendar.boundary(level, timeS);
	const gapS = floorS - beforeS;
	if (gapS > 0 && (timeS - floorS <= gapS || gapS > tolerance)) return true;
	const afterS = calendar.boundary(level, timeS, 1);
	const restS = nextS - afterS;
	return restS >= 0 && (afterS - timeS < restS || restS > tolerance);
}
