/**
 * History of the meter's consumption. It selects and stores good readouts and returns the energy of quarter hours,
 * hours, days and months. Used by gateway.ts and the API.
 *
 *                a readout         due                              enough room
 *   IDLE         WAITING           –                                –
 *   WAITING      WAITING (newer)   TIDYING, or IDLE; it is stored   –
 *   TIDYING      WAITING           TIDYING, one more step           IDLE
 *
 * The work runs later in a task of its own, because readouts arrive deep in the reader's call stack. Flash is written
 * at most once per quarter hour, by its first readout.
 *
 * A readout is skipped if it has no time, is simulated, has no register, or falls into a quarter hour with a reading. A
 * readout that lacks a previously known register is stored only if the last reading is older than INCOMPLETE_S, because
 * the register may be gone for good. If the clock is set back by up to BACK_S, readouts are skipped until it catches
 * up. If it is set back further, the readings with later times are merged into one.
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

/** Memory for storing a readout and for compaction. */
export const HISTORY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 4096 });

const PARTITION = "history";
/** Storage key that is set during an erase, so that the next start completes it. */
const ERASING_KEY = "history_erase";

const INCOMPLETE_S = HOUR_S;
const BACK_S = HOUR_S;
/** Delay of a retry for lack of memory, and pause between two sectors of compaction. */
const RETRY_MS = 1000;
const PAUSE_MS = 250;
/** Entries copied per step, about 20 ms of CPU time, and the pause after it, in which other tasks run. */
const STEP_ENTRIES = 64;
const TURN_MS = 20;
/**
 * A decrease of a reading counts as an overflow if the rise is at most one WRAP_PART-th of the register's range;
 * otherwise the register was reset or replaced.
 */
const WRAP_PART = 50;

export interface HistoryDeps {
	readonly driver: Driver;
	readonly storage: Storage;
	trace(message: string): void;
}

export interface HistoryOptions {
	readonly deps: HistoryDeps;
	readonly ledger: MemoryLedger;
	/** Time zone that determines the boundaries of periods. */
	readonly zone: Offsets;
	readonly flash: Flash | undefined;
}

/** Keeps nothing from flash between readings: a new scan costs less than the XS slots of a cache. */
export class History implements Timed {
	readonly #deps: HistoryDeps;
	readonly #ledger: MemoryLedger;
	readonly #zone: Offsets;
	readonly #partition: Partition;
	readonly #task: Task;
	/** Time of the last entry, seconds; 0: not yet known. */
	#lastS = 0;
	/** Readout to be stored next. */
	#waiting: Readout | undefined;
	/** Compaction in the TIDYING state. */
	#compaction: Compaction | undefined;
	/** Time of the next work. */
	#dueMs = Number.POSITIVE_INFINITY;
	/** True after the start of a factory reset. */
	#isErased = false;

	private constructor({ deps, ledger, zone }: HistoryOptions, partition: Partition) {
		this.#deps = deps;
		this.#ledger = ledger;
		this.#zone = zone;
		this.#partition = partition;
		this.#task = deps.driver.register("history", this);
	}

	/**
	 * Opens the history; undefined if there is no flash partition for it. Completes an interrupted factory reset
	 * (`wasErasing`) or erase of the history.
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

	/** Time of the last stored readout, Unix ms; 0 when there is no readout. Throws what the flash throws. */
	get lastUtcMs(): number {
		return new Journal(this.#partition).lastS * 1000;
	}

	/** Accepts a good readout, which is stored soon if it qualifies. */
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
	 * Returns the periods of a level (QUARTERS to MONTHS) that begin at or after `fromS` and before `toS`, within the
	 * retention of the level. Throws what the flash throws; the cursor throws if compaction changes the data meanwhile.
	 */
	periods(level: number, fromS: number, toS: number): PeriodCursor {
		const { sectors, lastS } = new Journal(this.#partition);
		const firstS = Math.max(fromS, lastS - KEEP_S[level]);
		const source = new EntryCursor(sectors, sectors.walk(firstS));
		return new PeriodCursor(source, new LocalCalendar(this.#zone), { level, fromS: firstS, toS });
	}

	/**
	 * Erases the history; readouts are ignored until the next start, which completes an interrupted erase. Throws what
	 * flash and storage throw.
	 */
	erase(): void {
		const { storage } = this.#deps;
		this.#isErased = true;
		storage.set(ERASING_KEY, new Uint8Array(0));
		this.#partition.erase(0, countOf(this.#partition) * ERASE_SIZE);
		storage.delete(ERASING_KEY);
	}

	/** True while a readout waits to be stored or compaction is in progress. */
	get isBusy(): boolean {
		return this.#dueMs < Number.POSITIVE_INFINITY;
	}

	stop(): void {
		this.#task.stop();
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

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
			// The next write scans the flash again and finds the state of this one.
			this.failed(error);
		} finally {
			ledger.release(HISTORY_COST);
		}
	}

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
		// Compaction in steps would have come first if there had been time.
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

/** Returns true if the quarter hour has a reading, or if the clock was set back by at most BACK_S. */
function isOfKnownQuarter(timeS: number, lastS: number): boolean {
	return timeS >= lastS - BACK_S && Math.floor(timeS / QUARTER_S) <= Math.floor(lastS / QUARTER_S);
}

/** Computes the rise of each register. Returns true if the meter state does not follow from the entry. */
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

/** Returns the rise of a register that overflowed after `before`, with `fall` the difference; negative if implausible. */
function wrappedRise(before: number, fall: number): number {
	let end = 1;
	while (end <= before) end *= 10;
	const rise = fall + end;
	return rise <= end / WRAP_PART ? rise : -1;
}
