/**
 * Frees sectors of the history's partition. For this, it copies the history from its beginning, packed and thinned out,
 * into one free sector at a time. Every quarter hour is kept for KEEP_S[QUARTERS]. After that, only the readings
 * nearest to the boundaries of hours, days and months are kept, for as long as KEEP_S says. The age of an entry is its
 * distance from the last reading before the head sector.
 *
 * A copy holds at least the rest of its first source sector, so copying never reduces the free space. The sector of an
 * incomplete copy still counts as free. If a whole pass frees no sector, the next pass keeps days for half the time.
 * This can happen with all registers in 32 KB.
 */
import { ERASE_SIZE } from "../io/flash.js";
import { DAY_S, DAYS, type LocalCalendar, MONTHS, PERIOD_S, QUARTERS } from "../time/calendar.js";
import { Entry, FLAG_START } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { EntryWriter } from "./entry-writer.js";
import { toleranceOf } from "./periods.js";
import { DATA_END, END_S, KIND_DENSE, RECORD_SIZE, type Sectors } from "./sectors.js";

/** Retention by level, seconds: 2, 14 and 800 days, ten years. */
export const KEEP_S: readonly number[] = Object.freeze([2 * DAY_S, 14 * DAY_S, 800 * DAY_S, 3653 * DAY_S]);
/**
 * The retention of days is halved this many times before that of other levels is halved too. Household meters need no
 * halving.
 */
const DAYS_FIRST = 8;
/** Free sectors required before a further sector takes readings. */
const SPARE = 2;

export class Compaction {
	readonly #sectors: Sectors;
	/** Time up to which this pass has copied, seconds; 0 at the start of a pass. */
	#fromS = 0;
	#pressure = 0;
	#source: EntryCursor | undefined;
	/** Current entry, to which the entries omitted before it were added. */
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
	 * Copies at most `limit` entries; the first call for a sector erases it. If the flash fails it throws, and the
	 * object is unusable.
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
			// Days are halved first: they take most of the room.
			const halved = level === DAYS ? this.#pressure : Math.max(0, this.#pressure - DAYS_FIRST);
			// Two periods are added, so that the first reported period does not change.
			if (ageS <= KEEP_S[level] / 2 ** halved + 2 * PERIOD_S[level]) break;
		}
		return level;
	}
}

/**
 * Returns true if the entry is nearest to a boundary of the level, between neighbours at `beforeS` and `nextS`. If both
 * neighbours of a boundary are too far from it, both are kept, for interpolation.
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
