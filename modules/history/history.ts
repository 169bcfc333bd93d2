/**
 * History of consumption: stores good readouts, and returns the energy of quarter hours, hours, days and months.
 *
 *                a readout         due                              enough room
 *   IDLE         WAITING           –                                –
 *   WAITING      WAITING (newer)   TIDYING, or IDLE; it is stored   –
 *   TIDYING      WAITING           TIDYING, one more step           IDLE
 *
 * A separate task does the work, because `measured` is called deep in the stack. Flash is written at most once per
 * quarter hour, with the first readout in it.
 *
 * Readouts without a time or a register, simulated ones, and those of a quarter hour that has a reading already are
 * skipped. If a known register is missing, a readout is stored only after INCOMPLETE_S, when the register may be gone
 * for good. If the clock was set back by up to BACK_S, readouts are skipped until the clock has caught up. If it was
 * set back by more, the stored readings after the new time are merged into one.
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
import { FILL_LATER, fill, Gap, type MeterRows } from "./filling.js";
import { takeReadout } from "./from-readout.js";
import { Journal } from "./journal.js";
import { IDENT, KNOWN, MeterState, READINGS, SERIAL } from "./meter-state.js";
import { PeriodCursor } from "./periods.js";
import { countOf } from "./sectors.js";

export const HISTORY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 4096 });

const PARTITION = "history";
/** This key is stored while the history is erased; the next start completes an interrupted erase. */
const ERASING_KEY = "history_erase";

const INCOMPLETE_S = HOUR_S;
const BACK_S = HOUR_S;
/** Delay of a retry after a lack of memory, and pause between two sectors. */
const RETRY_MS = 1000;
const PAUSE_MS = 250;
/** Number of entries in a step, which takes 20 ms of CPU time, and the pause after it, ms. */
const STEP_ENTRIES = 64;
const TURN_MS = 20;
/**
 * A decrease is an overflow if the rise would be at most 1/WRAP_PART of the register's range, otherwise a reset or an
 * exchange.
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
	readonly zone: Offsets;
	readonly flash: Flash | undefined;
}

/** Periods are not cached, because a cache would cost more XS slots than a new scan. */
export class History implements Timed {
	readonly #deps: HistoryDeps;
	readonly #ledger: MemoryLedger;
	readonly #zone: Offsets;
	readonly #partition: Partition;
	readonly #task: Task;
	/** Time of the last reading, Unix seconds; 0 if not known yet. */
	#lastS = 0;
	#waiting: Readout | undefined;
	#compaction: Compaction | undefined;
	#dueMs = Number.POSITIVE_INFINITY;
	#isErased = false;
	/** True if the next reading must begin a sector, so that gaps in the sectors before it can be filled. */
	#endsSector = false;
	/** True if compaction has shortened the retention of days since the start. */
	isShort = false;

	private constructor({ deps, ledger, zone }: HistoryOptions, partition: Partition) {
		this.#deps = deps;
		this.#ledger = ledger;
		this.#zone = zone;
		this.#partition = partition;
		this.#task = deps.driver.register("history", this);
	}

	/** Returns undefined if there is no partition. Completes an interrupted factory reset (`wasErasing`) or erase. */
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

	/** Scans the flash; throws if it fails. */
	journal(): Journal {
		return new Journal(this.#partition);
	}

	/** Time of the last reading, Unix ms, or 0. Throws if the flash fails. */
	get lastUtcMs(): number {
		return this.journal().lastS * 1000;
	}

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
	 * Periods that begin from `fromS` to before `toS`, within the level's retention. Throws if the flash fails; the
	 * cursor throws if compaction changes the data meanwhile.
	 */
	periods(level: number, fromS: number, toS: number): PeriodCursor {
		const { sectors, lastS } = this.journal();
		const firstS = Math.max(fromS, lastS - KEEP_S[level]);
		const source = new EntryCursor(sectors, sectors.walk(firstS));
		return new PeriodCursor(source, new LocalCalendar(this.#zone), { level, fromS: firstS, toS });
	}

	/**
	 * Finds the newest gap before `beforeS`, and fills it from `rows` (filling.ts). Call it only while the history is not
	 * busy, with HISTORY_COST claimed. Throws if the flash fails.
	 */
	gap(beforeS: number, rows?: MeterRows): Gap {
		const journal = this.journal();
		const gap = new Gap(journal, beforeS);
		if (gap.filled === FILL_LATER) this.#endsSector = true;
		else if (rows !== undefined && gap.toS > 0 && !this.#isErased) gap.filled = fill(journal, gap, rows);
		const compaction = new Compaction(journal.sectors);
		if (gap.filled > 0 && compaction.isNeeded) {
			this.#task.update((nowMs) => {
				this.#compaction = compaction;
				this.#dueMs = nowMs;
			});
		}
		return gap;
	}

	/** Readouts are ignored until the next start, which completes an interrupted erase. */
	erase(): void {
		const { storage } = this.#deps;
		this.#isErased = true;
		storage.set(ERASING_KEY, new Uint8Array(0));
		this.#partition.erase(0, countOf(this.#partition) * ERASE_SIZE);
		storage.delete(ERASING_KEY);
	}

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
				if (compaction.isShort) this.isShort = true;
				if (compaction.isNeeded) this.#compaction = compaction;
			}
			if (this.#compaction !== undefined) this.#dueMs = nowMs + (this.#compaction.isBegun ? TURN_MS : PAUSE_MS);
		} catch (error) {
			this.failed(error);
		} finally {
			ledger.release(HISTORY_COST);
		}
	}

	private failed(error: unknown): void {
		this.#deps.trace(`history: ${error instanceof Error ? error.message : String(error)}`);
	}

	private keep(readout: Readout): void {
		const journal = this.journal();
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
		// Missing registers of the same meter keep their value.
		const next = new MeterState();
		if (!isOther) next.update(state);
		next.update(read);
		if (this.#endsSector) journal.endSector();
		this.#endsSector = false;
		const compaction = new Compaction(journal.sectors);
		// The entry needs the room now, so compaction can't wait.
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

/**
 * True if the quarter hour has a reading, or is before the last one because the clock was set back by at most BACK_S.
 */
function isOfKnownQuarter(timeS: number, lastS: number): boolean {
	return timeS >= lastS - BACK_S && Math.floor(timeS / QUARTER_S) <= Math.floor(lastS / QUARTER_S);
}

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

/**
 * Returns the rise if the register overflowed; negative if that is implausible. `fall`: change of the reading,
 * negative.
 */
function wrappedRise(before: number, fall: number): number {
	let end = 1;
	while (end <= before) end *= 10;
	const rise = fall + end;
	return rise <= end / WRAP_PART ? rise : -1;
}
