/**
 * The history of what went through the meter: takes each good readout, keeps what is worth keeping of it, and tells the
 * energy of quarter hours, hours, days and months. For gateway.ts and the API.
 *
 *                a readout         due                              room again
 *   IDLE         WAITING           –                                –
 *   WAITING      WAITING, the new  TIDYING, or IDLE; it is kept     –
 *   TIDYING      WAITING           TIDYING, one more step           IDLE
 *
 * What is done is done in a turn of its own: the readout comes from deep in the reader's stack. Flash is written once for a
 * quarter of an hour at most, by the first readout in it.
 *
 * A readout is not kept when it has no time, is a simulated one, tells of no register, or is in a quarter that has one. One
 * that lacks a register that there was before is kept when the last is older than INCOMPLETE_S: it may be gone for good. A
 * clock that is put back by up to BACK_S is waited for; by more, what was read at the times that were wrong is one sum.
 */
import type { Driver, Task } from "../io/driver.js";
import { ERASE_SIZE, type Flash, type Partition } from "../io/flash.js";
import type { Storage } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import { type Readout, STATUS_CHECK_WRONG, STATUS_NONE } from "../readout/readout.js";
import { HOUR_S, LocalCalendar, QUARTER_S } from "../time/calendar.js";
import type { Offsets } from "../time/wall-clock.js";
import { Compaction, KEEP_S } from "./compaction.js";
import { Entry, FLAG_CHANGED, FLAG_PARTIAL, FLAG_START, FLAG_WRAPPED, REGISTER_COUNT } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { takeReadout } from "./from-readout.js";
import { Journal } from "./journal.js";
import { IDENT, KNOWN, MeterState, READINGS, SERIAL } from "./meter-state.js";
import { PeriodCursor } from "./periods.js";
import { countOf } from "./sectors.js";

/** Taking a readout into the history, and making room in it. */
export const HISTORY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 4096 });

const PARTITION = "history";
/** In the storage while the history is being erased, so that the next start goes on with it. */
const ERASING_KEY = "history_erase";

const INCOMPLETE_S = HOUR_S;
const BACK_S = HOUR_S;
/** When something is tried again for which there was no memory, and between two steps of compaction. */
const RETRY_MS = 1000;
const PAUSE_MS = 250;
/** Entries that are copied at once, a chip's work for about 20 ms, and until it goes on: others have their turn. */
const STEP_ENTRIES = 64;
const TURN_MS = 20;
/**
 * A reading that has fallen has gone past its last digit when it has risen by no more than this part of what the register
 * can show; otherwise the register is another one.
 */
const WRAP_PART = 50;

export interface HistoryDeps {
	readonly driver: Driver;
	readonly storage: Storage;
	/** A line for the developer's log. */
	trace(message: string): void;
}

export interface HistoryOptions {
	readonly deps: HistoryDeps;
	readonly ledger: MemoryLedger;
	/** Its local clock has the boundaries of periods. */
	readonly zone: Offsets;
	readonly flash: Flash | undefined;
}

/** Between two readings nothing is held of what is in flash: it takes less time to find it out than slots to know it. */
export class History implements Timed {
	readonly #deps: HistoryDeps;
	readonly #ledger: MemoryLedger;
	readonly #zone: Offsets;
	readonly #partition: Partition;
	readonly #task: Task;
	/** Time of the last entry, seconds; 0: it was not looked for yet. */
	#lastS = 0;
	/** The one to be kept next. */
	#waiting: Readout | undefined;
	/** In TIDYING. */
	#compaction: Compaction | undefined;
	/** When something is to be done. */
	#dueMs = Number.POSITIVE_INFINITY;
	/** A factory reset has begun. */
	#isErased = false;

	private constructor({ deps, ledger, zone }: HistoryOptions, partition: Partition) {
		this.#deps = deps;
		this.#ledger = ledger;
		this.#zone = zone;
		this.#partition = partition;
		this.#task = deps.driver.register("history", this);
	}

	/**
	 * Undefined where there is no flash for it. Goes on with a reset that was cut, in what comes before it (`wasErasing`) or in
	 * its own part; nothing is kept while that fails.
	 */
	static open(options: HistoryOptions, wasErasing: boolean): History | undefined {
		const partition = options.flash?.open(PARTITION);
		if (partition === undefined || countOf(partition) === 0) return undefined;
		const history = new History(options, partition);
		try {
			if (wasErasing || options.deps.storage.get(ERASING_KEY) !== undefined) {
				history.erase();
				history.#isErased = false;
			}
		} catch (error) {
			history.failed(error);
		}
		return history;
	}

	/** Unix ms of the last readout that is kept; 0: there is none. Throws what the flash throws. */
	get lastUtcMs(): number {
		return new Journal(this.#partition).lastS * 1000;
	}

	/** A good readout has come: it is kept soon, if it is worth it. */
	measured(readout: Readout): void {
		const { status, utcMs } = readout;
		if (utcMs === 0 || status === STATUS_NONE || status === STATUS_CHECK_WRONG || this.#isErased) return;
		if (isOfKnownQuarter(Math.floor(utcMs / 1000), this.#lastS)) return;
		this.#task.update((nowMs) => {
			this.#waiting = readout;
			this.#dueMs = nowMs;
		});
	}

	/**
	 * The periods of a level (QUARTERS to MONTHS) that begin at or after `fromS` and before `toS`, as far back as the level
	 * is kept. The cursor throws when what it reads is compacted meanwhile. Throws what the flash throws.
	 */
	periods(level: number, fromS: number, toS: number): PeriodCursor {
		const { sectors, lastS } = new Journal(this.#partition);
		const firstS = Math.max(fromS, lastS - KEEP_S[level]);
		const source = new EntryCursor(sectors, sectors.walk(firstS));
		return new PeriodCursor(source, new LocalCalendar(this.#zone), { level, fromS: firstS, toS });
	}

	/**
	 * Forgets everything; nothing is kept until the next start, which goes on with it when this one is cut. Throws what flash
	 * and storage throw.
	 */
	erase(): void {
		const { storage } = this.#deps;
		this.#isErased = true;
		storage.set(ERASING_KEY, new Uint8Array(0));
		this.#partition.erase(0, countOf(this.#partition) * ERASE_SIZE);
		storage.delete(ERASING_KEY);
	}

	/** A readout waits to be kept, or room is being made. */
	get isBusy(): boolean {
		return this.#dueMs < Number.POSITIVE_INFINITY;
	}

	stop(): void {
		this.#task.stop();
	}

	/** For the driver. */
	get deadlineMs(): number {
		return this.#dueMs;
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.#dueMs) return;
		const ledger = this.#ledger;
		this.#dueMs = nowMs + RETRY_MS;
		if (!ledger.claim(HISTORY_COST)) return;
		this.#dueMs = Number.POSITIVE_INFINITY;
		const readout = this.#waiting;
		const compaction = this.#compaction;
		this.#waiting = this.#compaction = undefined;
		try {
			if (this.#isErased) return;
			if (readout !== undefined) this.keep(readout);
			else if (compaction !== undefined) {
				compaction.step(new LocalCalendar(this.#zone), STEP_ENTRIES);
				if (compaction.isNeeded) this.#compaction = compaction;
			}
			if (this.#compaction !== undefined) this.#dueMs = nowMs + (this.#compaction.isBegun ? TURN_MS : PAUSE_MS);
		} catch (error) {
			// What there is of the write is found out before the next one.
			this.failed(error);
		} finally {
			ledger.release(HISTORY_COST);
		}
	}

	/** Flash refuses. */
	private failed(error: unknown): void {
		this.#deps.trace(`history: ${error instanceof Error ? error.message : String(error)}`);
	}

	private keep(readout: Readout): void {
		const journal = new Journal(this.#partition);
		const { lastS, state } = journal;
		this.#lastS = lastS;
		const entry = new Entry();
		entry.timeS = Math.floor(readout.utcMs / 1000);
		if (isOfKnownQuarter(entry.timeS, lastS)) return;
		const isBack = entry.timeS < lastS;
		const read = new MeterState();
		takeReadout(readout, read);
		const isOther = state.isOther(read);
		const isComplete = isOther || (state.numbers[KNOWN] & ~read.numbers[KNOWN]) === 0;
		if (read.numbers[KNOWN] === 0 || (!isComplete && !isBack && entry.timeS - lastS < INCOMPLETE_S)) return;
		if (isOther) entry.flags = FLAG_CHANGED | FLAG_PARTIAL;
		else if (!isComplete) entry.flags = FLAG_PARTIAL;
		const isBreak = compare(entry, state, read, isOther) || isOther;
		// Registers missing from this readout keep their previous value, for the same meter only.
		const next = new MeterState();
		if (!isOther) next.update(state);
		next.update(read);
		const compaction = new Compaction(journal.sectors);
		// There was time for it before, if there was any.
		if (journal.isFull || isBack) while (compaction.isNeeded) compaction.step(new LocalCalendar(this.#zone));
		const afterS = isBack ? journal.takeBack(entry) : lastS;
		if (afterS === 0) {
			const { timeS } = entry;
			entry.clear();
			entry.timeS = timeS;
			entry.flags = FLAG_START;
		}
		journal.append(entry, next, isBreak, afterS);
		this.#lastS = entry.timeS;
		if (compaction.isNeeded) this.#compaction = compaction;
	}
}

/** Whether there is a reading of that quarter of an hour, or the clock was put back so little that one waits for it. */
function isOfKnownQuarter(timeS: number, lastS: number): boolean {
	return timeS >= lastS - BACK_S && Math.floor(timeS / QUARTER_S) <= Math.floor(lastS / QUARTER_S);
}

/** Fills in by how much each register has risen. True: the state of the meter doesn't follow from the entry. */
function compare(entry: Entry, state: MeterState, read: MeterState, isOther: boolean): boolean {
	const before = state.numbers;
	const now = read.numbers;
	let isBreak = now[IDENT] !== before[IDENT] || now[SERIAL] !== before[SERIAL];
	for (let i = 0; i < REGISTER_COUNT; i++) {
		const bit = 1 << i;
		if ((now[KNOWN] & bit) === 0 || isOther) continue;
		if ((before[KNOWN] & bit) === 0) {
			isBreak = true;
			continue;
		}
		let rise = now[READINGS + i] - before[READINGS + i];
		if (rise < 0) {
			isBreak = true;
			rise = wrappedRise(before[READINGS + i], rise);
			entry.flags |= rise < 0 ? FLAG_CHANGED | FLAG_PARTIAL : FLAG_WRAPPED;
		}
		if (rise < 0) continue;
		entry.known |= bit;
		entry.rises[i] = rise;
	}
	return isBreak;
}

/** The rise of a register from `before` past its last digit, where it is `fall` from there; below 0: that can't be. */
function wrappedRise(before: number, fall: number): number {
	let end = 1;
	while (end <= before) end *= 10;
	const rise = fall + end;
	return rise <= end / WRAP_PART ? rise : -1;
}
