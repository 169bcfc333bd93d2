/**
 * History of consumption. Stores good readouts, and returns the consumption in quarter hours, hours, days and months.
 *
 *                a readout         due                              enough room
 *   IDLE         WAITING           –                                –
 *   WAITING      WAITING (newer)   stored; TIDYING or IDLE          –
 *   TIDYING      WAITING           TIDYING, one more step           IDLE
 *
 * A separate task does the work, because `measured` is called deep in the stack. Flash is written at most once per
 * quarter hour, with the first readout in it.
 *
 * Gas, water and heat of meters on M-Bus are in the period that the time of their reading belongs to. The first readout
 * of a quarter hour is therefore held while their reading at its start is still to come: until a later readout has it,
 * until the next quarter hour, or for HOLD_MS. The other values of the readout are not changed.
 *
 * Some readouts are skipped: those without a time or a register, simulated ones, and those in a quarter hour that has a
 * reading already. If a readout lacks a register that the history has, it is stored only if the last reading is
 * INCOMPLETE_S old, because the register may then be missing forever. An unconfirmed counter (counter-check.ts) counts
 * as missing. The first readout after a start is not compared there, so it is skipped likewise if a register has fallen,
 * or risen too much, since the last reading. If the clock was set back by up to BACK_S, readouts are skipped until the
 * clock has caught up. If it was set back by more, the stored readings after the new time are merged into one reading.
 */
import type { Driver, Task } from "../io/driver.js";
import { ERASE_SIZE, type Flash, type Partition } from "../io/flash.js";
import type { Storage } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import { isRise, RISE_PER_HOUR } from "../readout/counter-check.js";
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
/** Storage key that exists while the history is being erased. If this is interrupted, the next start completes it. */
const ERASING_KEY = "history_erase";

const INCOMPLETE_S = HOUR_S;
const BACK_S = HOUR_S;
/** Delay of a retry after a lack of memory (RETRY_MS), and pause between two sectors (PAUSE_MS). */
const RETRY_MS = 1000;
const PAUSE_MS = 250;
const HOLD_MS = 20 * 60_000;
/**
 * Number of entries that a step of compaction copies, which takes 20 ms of CPU time, and the pause after a step, ms.
 */
const STEP_ENTRIES = 64;
const TURN_MS = 20;
/**
 * If a register has decreased, it may have overflowed. This is assumed if the rise would then be at most 1/WRAP_PART of
 * the register's range. Otherwise the register was reset or the meter exchanged.
 */
const WRAP_PART = 50;

/**
 * Intervals in which meters on M-Bus are read: five minutes (DSMR 5), or an hour (DSMR 4), which is 12 short ones. The
 * electricity meter gets the reading of an interval's end some seconds or minutes after it.
 */
const SHORT_INTERVAL_S = 300;
const LONG_INTERVAL = HOUR_S / SHORT_INTERVAL_S;
/** Largest difference between the clocks of the meter and the gateway that is ignored here, seconds. */
const CLOCKS_S = 60;

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

/** Periods are not cached, because a cache would take more XS slots than a new scan of the flash. */
export class History implements Timed {
	readonly #deps: HistoryDeps;
	readonly #ledger: MemoryLedger;
	readonly #zone: Offsets;
	readonly #partition: Partition;
	readonly #task: Task;
	/** Time of the last reading in flash, Unix seconds; 0 while it is not known yet. */
	#lastS = 0;
	#waiting: Readout | undefined;
	/** Values that become the next reading as soon as those of meters on M-Bus are known. */
	held: MeterState | undefined;
	/** Time at which they are stored as they are. */
	#heldMs = Number.POSITIVE_INFINITY;
	#compaction: Compaction | undefined;
	#dueMs = Number.POSITIVE_INFINITY;
	#isErased = false;
	/** True if the next reading must begin a new sector, so that gaps in the sectors before it can be filled. */
	#endsSector = false;
	/** True if a reading was compared with the last one before the start. */
	#hasDoubted = false;
	/** True if compaction has shortened the retention of days since the start. */
	isShort = false;

	private constructor({ deps, ledger, zone }: HistoryOptions, partition: Partition) {
		this.#deps = deps;
		this.#ledger = ledger;
		this.#zone = zone;
		this.#partition = partition;
		this.#task = deps.driver.register("history", this);
	}

	/**
	 * Opens the history. Returns undefined if there is no partition. Completes an erasure that was interrupted.
	 */
	static open(options: HistoryOptions): History | undefined {
		const partition = options.flash?.open(PARTITION);
		if (partition === undefined || countOf(partition) === 0) return undefined;
		const history = new History(options, partition);
		try {
			if (options.deps.storage.get(ERASING_KEY) !== undefined) {
				history.whenErasing();
				history.#isErased = false;
			}
		} catch (error) {
			history.failed(error);
		}
		return history;
	}

	/** Scans the flash. Throws if the flash fails. */
	journal(): Journal {
		return new Journal(this.#partition);
	}

	/** Time of the last reading, Unix ms; 0 if there is none. Throws if the flash fails. */
	get lastUtcMs(): number {
		return this.journal().lastS * 1000;
	}

	whenMeasured(readout: Readout): void {
		const { status, utcMs } = readout;
		if (utcMs === 0 || status === STATUS_NONE || status === STATUS_CHECK_WRONG || this.#isErased) return;
		if (isOfKnownQuarter(Math.floor(utcMs / 1000), this.#lastS)) return;
		this.#task.update((nowMs) => {
			this.#waiting = readout;
			this.#dueMs = nowMs;
		});
	}

	/**
	 * Returns the periods that begin from `fromS` to before `toS` and within the retention of the level. Throws if the
	 * flash fails. The cursor throws if compaction changes the data while they are read.
	 */
	periods(level: number, fromS: number, toS: number): PeriodCursor {
		const { sectors, lastS } = this.journal();
		const firstS = Math.max(fromS, lastS - KEEP_S[level]);
		const source = new EntryCursor(sectors, sectors.walk(firstS));
		return new PeriodCursor(source, new LocalCalendar(this.#zone), { level, fromS: firstS, toS });
	}

	/**
	 * Finds the newest gap before `beforeS`, and fills it with `rows` (filling.ts) if they are given. Call it only
	 * while the history is not busy, and claim HISTORY_COST before. Throws if the flash fails.
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

	/**
	 * Erases the history. Readouts are ignored until the next start. If the erasure is interrupted, the next start
	 * completes it.
	 */
	whenErasing(): void {
		const { storage } = this.#deps;
		this.#isErased = true;
		this.held = undefined;
		storage.set(ERASING_KEY, new Uint8Array(0));
		this.#partition.erase(0, countOf(this.#partition) * ERASE_SIZE);
		storage.delete(ERASING_KEY);
	}

	get isBusy(): boolean {
		return this.#dueMs < Number.POSITIVE_INFINITY;
	}

	whenStopping(): void {
		this.#task.stop();
		try {
			this.storeHeld();
		} catch (error) {
			this.failed(error);
		}
	}

	get deadlineMs(): number {
		return Math.min(this.#dueMs, this.#heldMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const ledger = this.#ledger;
		const isHeldDue = nowMs >= this.#heldMs;
		this.#dueMs = nowMs + RETRY_MS;
		if (isHeldDue) this.#heldMs = this.#dueMs;
		if (!ledger.claim(HISTORY_COST)) return;
		this.#dueMs = Number.POSITIVE_INFINITY;
		const readout = this.#waiting;
		const compaction = this.#compaction;
		this.#waiting = this.#compaction = undefined;
		try {
			if (this.#isErased) return;
			if (isHeldDue) this.storeHeld();
			if (readout !== undefined) this.take(readout, nowMs);
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
		this.#deps.driver.failed("history", error);
	}

	private take(readout: Readout, nowMs: number): void {
		const read = new MeterState();
		takeReadout(readout, read);
		const held = this.held;
		if (held !== undefined) {
			const isOther = held.isOther(read);
			if (!isOther) complete(held, read);
			const isSameQuarter = isOfKnownQuarter(read.timeS, held.timeS);
			if (!isOther && isSameQuarter && isEarly(held)) return;
			this.storeHeld();
		}
		if (!isEarly(read) || isOfKnownQuarter(read.timeS, this.#lastS)) this.keep(read);
		else {
			this.held = read;
			this.#heldMs = nowMs + HOLD_MS;
		}
	}

	private storeHeld(): void {
		const held = this.held;
		this.held = undefined;
		this.#heldMs = Number.POSITIVE_INFINITY;
		if (held !== undefined) this.keep(held);
	}

	private keep(read: MeterState): void {
		const journal = this.journal();
		const { lastS, state } = journal;
		this.#lastS = lastS;
		const entry = new Entry();
		entry.timeS = read.timeS;
		if (isOfKnownQuarter(entry.timeS, lastS)) return;
		const isBack = entry.timeS < lastS;
		const isOther = state.isOther(read);
		const isComplete = isOther || (state.numbers[KNOWN] & ~read.numbers[KNOWN]) === 0;
		if (read.numbers[KNOWN] === 0 || (!isComplete && !isBack && entry.timeS - lastS < INCOMPLETE_S)) return;
		if (isOther) entry.flags = FLAG_CHANGED | FLAG_PARTIAL;
		else if (!isComplete) entry.flags = FLAG_PARTIAL;
		const isBreak = compare(entry, state, read, isOther) || isOther;
		const isDoubted = !isOther && !isBack && !this.#hasDoubted && isImplausible(entry, entry.timeS - lastS);
		this.#hasDoubted = true;
		if (isDoubted && entry.timeS - lastS < INCOMPLETE_S) return;
		// A register that is missing in this readout of the same meter keeps its last value.
		const next = new MeterState();
		if (!isOther) next.update(state);
		next.update(read);
		if (this.#endsSector) journal.endSector();
		this.#endsSector = false;
		const compaction = new Compaction(journal.sectors);
		// The entry needs room now, so compaction is not left to later steps.
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
 * True if the quarter hour of `timeS` has a reading already, or if the time is before the last reading because the
 * clock was set back by at most BACK_S.
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
		if (state.isElsewhere(read, i)) {
			isBreak = true;
			entry.flags |= FLAG_CHANGED | FLAG_PARTIAL;
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

/** True if a register has fallen, or has risen by more than it can in this time. */
function isImplausible({ flags, rises }: Entry, seconds: number): boolean {
	const isPossible = (rise: number) => isRise(rise, RISE_PER_HOUR, seconds * 1000);
	return (flags & FLAG_CHANGED) !== 0 || !rises.every(isPossible);
}

/**
 * Returns the rise of a register that has overflowed; a negative number if an overflow is implausible. `fall` is the
 * change of the reading, a negative number.
 */
function wrappedRise(before: number, fall: number): number {
	let end = 1;
	while (end <= before) end *= 10;
	const rise = fall + end;
	return rise <= end / WRAP_PART ? rise : -1;
}

/** True if the reading of a meter on M-Bus at the start of the quarter hour is still to come. */
function isEarly({ timeS, timesS }: MeterState): boolean {
	const quarterS = timeS - (timeS % QUARTER_S);
	return timesS.some((readS) => {
		const gap = Math.round((quarterS - readS) / SHORT_INTERVAL_S);
		return gap === 1 || gap === LONG_INTERVAL;
	});
}

/** Takes those readings of meters on M-Bus from a later readout that belong to the time of this one. */
function complete(held: MeterState, read: MeterState): void {
	const { numbers, timesS } = read;
	for (let i = 0; i < REGISTER_COUNT; i++) {
		if (held.timesS[i] === 0 || timesS[i] <= held.timesS[i] || timesS[i] > held.timeS + CLOCKS_S) continue;
		held.timesS[i] = timesS[i];
		held.numbers[READINGS + i] = numbers[READINGS + i];
		held.setSource(i, read.sourceOf(i));
	}
}
