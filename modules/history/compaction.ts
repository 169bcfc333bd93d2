/**
 * Makes room in the history's flash: copies it from its beginning, dense and thinned out, a free sector at a time, until
 * what it was copied from is free. What is left of a reading depends on how old it is, counted from the last one before
 * the head (a clock that is wrong for a while does no harm then): each quarter hour for KEEP_S[QUARTERS], then the
 * readings next to hours, then those next to days, then those next to months.
 *
 * It goes sector by sector: each takes as much as goes into it, at least all that is left of the one it begins in, for
 * readings that are thinned out only get fewer bytes. So none leaves less room than there was. One that is not completed is free
 * still. Where a whole pass brings none, days are
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
	/** What the sector is copied from that is being made; undefined: none is. */
	#source: EntryCursor | undefined;
	/** The entry that is looked at, with all that was left out before it. */
	readonly #current = new Entry();
	/** Times of the last entry that was copied, that was looked at, and that was dropped for its age (0: none was). */
	#copiedS = 0;
	#beforeS = 0;
	#droppedS = 0;
	/** Bytes that wait to be written, how many, and where in flash they go. */
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

	/** A sector is being made. */
	get isBegun(): boolean {
		return this.#source !== undefined;
	}

	/**
	 * Copies into one more sector, of at most `limit` entries: a call again goes on with it. The first call for a sector
	 * erases it. Throws what the flash throws; make another one then.
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
		this.#at = sectors.allocate() * ERASE_SIZE;
		this.#waiting = this.#droppedS = 0;
		this.#copiedS = this.#beforeS = fromS;
		this.#current.clear();
		const source = new EntryCursor(sectors, fromS);
		if (source.next()) this.#source = source;
		else this.#fromS = END_S;
	}

	/** The record makes it count. */
	private complete(): void {
		const sectors = this.#sectors;
		const start = this.#at - (this.#at % ERASE_SIZE);
		this.write(this.#waiting);
		const record = new Uint8Array(RECORD_SIZE);
		sectors.makeRecord(record, KIND_DENSE, this.#fromS, this.#copiedS);
		sectors.partition.write(start + DATA_END, record);
		sectors.load();
		this.#fromS = this.#copiedS;
		this.#source = undefined;
	}

	/** Copies up to the entry of `untilS`, as many as there is room for. False: there is more to do after `limit` of them. */
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
					// The history begins there now.
					const start = new Entry();
					start.timeS = this.#droppedS;
					start.flags = FLAG_START;
					this.put(start);
					this.#droppedS = 0;
				}
				const end = this.#at - (this.#at % ERASE_SIZE) + DATA_END;
				if (this.#at + current.encode(this.#bytes, this.#waiting, this.#copiedS) > end) return true;
				this.put(current);
				current.clear();
			}
			this.#beforeS = timeS;
			if (!more || isLast) return true;
		}
		return false;
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

	private put(entry: Entry): void {
		this.#waiting = entry.encode(this.#bytes, this.#waiting, this.#copiedS);
		this.#copiedS = entry.timeS;
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
