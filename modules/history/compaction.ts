/**
 * Makes room in the history's flash: copies it from its beginning, dense and thinned out, a free sector at a time, until
 * what it was copied from is free. What is left of a reading depends on how old it is, counted from the last one before
 * the head (a clock that is wrong for a while does no harm then): each quarter hour for KEEP_S[QUARTERS], then the
 * readings next to hours, then those next to days, then those next to months.
 *
 * A step copies as much as goes into one sector, at least all that is left of the one it begins in: readings that are
 * thinned out only get fewer bytes. So no step leaves less room than there was. Where a whole pass brings none, days are
 * kept for half as long in the next one: so it may be with all five registers in 32 KB.
 */
import { ERASE_SIZE } from "../io/flash.js";
import { DAY_S, DAYS, type LocalCalendar, MONTHS, PERIOD_S, QUARTERS } from "../time/calendar.js";
import { ENTRY_LIMIT, Entry, FLAG_START } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { toleranceOf } from "./periods.js";
import { DATA_END, END_S, KIND_DENSE, RECORD_SIZE, type Sectors, SLOT } from "./sectors.js";

/** How long each level is kept, seconds: 2, 14 and 800 days, ten years. */
export const KEEP_S: readonly number[] = Object.freeze([2 * DAY_S, 14 * DAY_S, 800 * DAY_S, 3653 * DAY_S]);
/** How often the time of days is halved before that of anything else: no household meter comes to that. */
const DAYS_FIRST = 8;
/** Free sectors that there must be before another is taken for readings. */
const SPARE = 2;
/** Bytes that are written at once, and what the longest entry may have beyond. */
const PIECE = 4 * SLOT;

export class Compaction {
	readonly #sectors: Sectors;
	/** Where the pass goes on; 0: another begins. */
	#fromS = 0;
	/** How often the days' time was halved. */
	#pressure = 0;
	/** Of a step: bytes that wait to be written, how many, and where in flash they go. */
	readonly #bytes = new Uint8Array(PIECE + ENTRY_LIMIT);
	#waiting = 0;
	#at = 0;

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
			const fromS = this.#fromS;
			const start = sectors.allocate() * ERASE_SIZE;
			this.#at = start;
			this.#waiting = 0;
			this.#fromS = this.copy(calendar, fromS, untilS);
			this.write(this.#waiting);
			const record = new Uint8Array(RECORD_SIZE);
			sectors.makeRecord(record, KIND_DENSE, fromS, this.#fromS);
			sectors.partition.write(start + DATA_END, record);
			sectors.load();
		}
		if (this.#fromS < untilS) return;
		this.#fromS = 0;
		this.#pressure = this.isNeeded ? this.#pressure + 1 : 0;
	}

	/** Copies the entries after `fromS`, to that of `untilS` or as many as there is room for; returns the time of the last. */
	private copy(calendar: LocalCalendar, fromS: number, untilS: number): number {
		const endAt = this.#at + DATA_END;
		const source = new EntryCursor(this.#sectors, fromS);
		const { entry: next } = source;
		/** The one that is looked at, with all that was left out before it. */
		const current = new Entry();
		let copiedS = fromS;
		let beforeS = fromS;
		/** Of the last one that was dropped for its age. */
		let droppedS = 0;
		for (let more = source.next(); more && beforeS < untilS; ) {
			current.add(next);
			const { timeS } = current;
			more = source.next();
			const level = this.levelOf(untilS - timeS);
			const isLast = timeS >= untilS;
			if (level > MONTHS && !isLast) {
				droppedS = timeS;
				current.clear();
			} else if (isLast || isKept(calendar, level, beforeS, current, more ? next.timeS : END_S)) {
				if (droppedS > 0) {
					// The history begins there now.
					const start = new Entry();
					start.timeS = droppedS;
					start.flags = FLAG_START;
					this.put(start, copiedS);
					copiedS = droppedS;
					droppedS = 0;
				}
				if (this.#at + current.encode(this.#bytes, this.#waiting, copiedS) > endAt) break;
				this.put(current, copiedS);
				copiedS = timeS;
				current.clear();
			}
			beforeS = timeS;
		}
		return copiedS;
	}

	/** At what level readings of this age are kept; beyond MONTHS: not at all. */
	private levelOf(ageS: number): number {
		let level = QUARTERS;
		for (; level <= MONTHS; level++) {
			// Days give way first: they take most of the room.
			const halved = level === DAYS ? this.#pressure : Math.max(0, this.#pressure - DAYS_FIRST);
			// With two periods before, so that the first one is told as it always was.
			if (ageS <= KEEP_S[level] / 2 ** halved + 2 * PERIOD_S[level]) break;
		}
		return level;
	}

	private put(entry: Entry, beforeS: number): void {
		this.#waiting = entry.encode(this.#bytes, this.#waiting, beforeS);
		if (this.#waiting >= PIECE) this.write(PIECE);
	}

	/** Writes that many of the bytes that wait, and what is missing to a whole slot. */
	private write(count: number): void {
		if (count === 0) return;
		const bytes = this.#bytes;
		const size = Math.ceil(count / SLOT) * SLOT;
		bytes.fill(0xff, this.#waiting, size);
		this.#sectors.partition.write(this.#at, bytes, 0, size);
		this.#at += size;
		bytes.copyWithin(0, count, this.#waiting);
		this.#waiting = Math.max(0, this.#waiting - size);
	}
}

/**
 * Whether the entry, between those of the times `beforeS` and `nextS`, is the one nearest to a boundary; where both of its
 * neighbours are too far to count as the reading there, both are kept, so that one can tell between them.
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
