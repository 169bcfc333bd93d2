/**
 * Reads the meter's load profile backwards in pieces, if the user has enabled this. The counter readings in it fill the
 * gaps of the history (history/filling.ts).
 *
 *              enabled    due                  readout, failure     disabled
 *   OFF        WAITING    -                    -                    -
 *   WAITING    WAITING    READING, END (a)     -                    OFF
 *   READING    WAITING    -                    STORING              OFF
 *   STORING    WAITING    WAITING, END (b)     -                    OFF
 *   END        WAITING    -                    -                    OFF
 *
 *     (a) END if there is nothing left to read. It stays WAITING while the meter or the history is in use, while the
 *         newest sector still contains the end of the gap, and if the next scheduled readout is too near for a piece.
 *     (b) WAITING for the next piece: an earlier one if this one was stored. END if the profile can't be used, if
 *         EMPTY_LIMIT pieces in a row had no rows, if the rows are those of another meter, or if the history is full.
 *
 * Each piece is read in its own session and has at most ROWS_LIMIT rows. After each piece the state, `#numbers`, is
 * stored in flash, so that reading continues there after a restart.
 */
import { crc16 } from "../bytes/crc16.js";
import type { Core, Running } from "../core/core.js";
import { FILL_DAYS, FILL_LATER, FILL_OTHER, type MeterRows } from "../history/filling.js";
import { HISTORY_COST, type History } from "../history/history.js";
import { HISTORY } from "../history/part.js";
import type { Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import type { Cost } from "../io/memory.js";
import { FAILURE_PROFILE_WAIT } from "../meter/failures.js";
import { METER } from "../meter/part.js";
import type { ReadCallback } from "../meter/pending-reads.js";
import { ProfileRows, profileGroups, SEASON_NONE } from "../meter/profile-rows.js";
import { OBISCode } from "../obis/code.js";
import { BUSY, type Failure, METER_AUTH_FAILED, NO_PROFILE } from "../readout/failure.js";
import type { ProfileSpan } from "../readout/protocol.js";
import { type Readout, STATUS_CUT } from "../readout/readout.js";
import { ROWS_LIMIT } from "../readout/record-writer.js";
import { DAY_S, HOUR_S, QUARTER_S } from "../time/calendar.js";
import { takeCounters } from "./counters.js";
import { BACKFILL_ENABLED, BACKFILL_OBIS } from "./fields.js";
import { clockErrorOf, kindOfClock, kindOfRow, momentOf, offsetsOf } from "./meter-clock.js";

const KEY = "backfill_state";

/**
 * The following constants are indices in the stored numbers. END: reason why reading has ended (END_…); 0 while it
 * continues.
 */
export const END = 0;
/**
 * TOP_S: time of the last reading when the backfill began. CURSOR_S: end of the next piece. OLDEST_S: time of the
 * oldest row stored. All in Unix seconds; 0 if unknown.
 */
export const TOP_S = 1;
export const CURSOR_S = 2;
export const OLDEST_S = 3;
/** Number of rows stored in the history. */
export const ROWS = 4;
/** Duration of all sessions, ms, and the time that their pieces covered, s. */
export const LINE_MS = 5;
const COVERED_S = 6;
/** Period of the profile, s, and rows in a piece. */
const PERIOD_S = 7;
const PIECE_ROWS = 8;
/** Kind of the meter's time: CLOCK_… (meter-clock.ts). */
const CLOCK = 9;
/** Number of consecutive pieces without rows. */
const EMPTY = 10;
/** Time span of the rows that the meter keeps, s; 0 if unknown. */
const HELD_S = 11;
const STORED = 12;

/** Reasons why reading has ended, in the order of END_REASONS (routes.ts). */
const END_COMPLETE = 1;
const END_FULL = 2;
const END_METER_CHANGED = 3;
const END_NO_PROFILE = 4;
const END_NO_COUNTERS = 5;
const END_CLOCK = 6;
const END_NO_HISTORY = 7;

const STATE_OFF = 0;
const STATE_WAITING = 1;
const STATE_READING = 2;
const STATE_STORING = 3;
const STATE_END = 4;

/** Memory for storing a piece, including its readout. */
const STORE_COST: Cost = Object.freeze({ slots: HISTORY_COST.slots + 100, chunkBytes: 8192 });

/**
 * Number of rows in a piece: a day of quarter hours. ROWS_LIMIT is larger, because the rows at both ends are read too.
 */
const FULL_PIECE = 96;
const SMALLEST_PIECE = 4;
/**
 * Number of consecutive pieces without rows that ends reading. Fewer don't end it, because a meter that was without
 * power for days has no rows for that time.
 */
const EMPTY_LIMIT = 10;
/**
 * A clock error up to CLOCK_SLACK_S is ignored, and one up to CLOCK_LIMIT_S is corrected. With a larger one, the rows
 * can't be used.
 */
const CLOCK_LIMIT_S = HOUR_S;
const CLOCK_SLACK_S = 120;

/** Bits on the line for a day of quarter hours: 96 rows of 51 characters, as with DLMS/COSEM and with IEC 62056-21. */
const DAY_BITS = 96 * 510;

/** Minimum pause after a piece, and interval of checks while the meter or the history is in use, ms. */
const PAUSE_MS = 3000;
const BUSY_MS = 5000;
/** Interval of checks while the history needs a new reading, ms. */
const LATER_MS = 60_000;
/**
 * Pause after a failure, ms. It doubles with each further failure, up to RETRY_LIMIT_MS. After a refused password it is
 * RETRY_LIMIT_MS at once.
 */
const RETRY_MS = 60_000;
const RETRY_LIMIT_MS = 6 * 3_600_000;
/** Expected duration of the first piece, and margin added to the expected duration of later ones, ms. */
const FIRST_PIECE_MS = 45_000;
const MARGIN_MS = 2000;
/** Pieces become smaller after the next scheduled readout was too near for a piece this many times in a row. */
const NO_ROOM_LIMIT = 3;

export class Backfill implements Running, Timed, ReadCallback {
	readonly #core: Core;
	#task: Task | undefined;
	/**
	 * Stored numbers, undefined while disabled. `#disabledS` then keeps the time of the oldest row stored, Unix
	 * seconds.
	 */
	#numbers: Float64Array | undefined;
	#disabledS = 0;
	state = STATE_OFF;
	#dueMs = Number.POSITIVE_INFINITY;
	/** Piece being read, and start of its session, monotonic ms. */
	#span: ProfileSpan | undefined;
	#beganMs = 0;
	#readout: Readout | undefined;
	/** Failure of the last piece; undefined after a success. */
	failure: Failure | undefined;
	#failures = 0;
	#expectedMs = FIRST_PIECE_MS;
	#noRoom = 0;

	constructor(core: Core) {
		this.#core = core;
		this.begin(core.storage.get(KEY));
	}

	/** Starts from the newest gap again, if the settings enable it; otherwise only `filledS` is kept. */
	settingsChanged(): void {
		const { config, storage } = this.#core;
		this.stop();
		const stored = storage.get(KEY);
		const isOn = config.get(BACKFILL_ENABLED);
		if (isOn && stored !== undefined) storage.delete(KEY);
		this.begin(isOn ? undefined : stored);
	}

	get numbers(): Float64Array | undefined {
		return this.#numbers;
	}

	/**
	 * Time of the oldest row stored, Unix seconds. It is 0 until reading has ended or was disabled, and if there are no
	 * rows.
	 */
	get filledS(): number {
		const numbers = this.#numbers;
		if (numbers === undefined) return this.#disabledS;
		return numbers[END] === 0 ? 0 : numbers[OLDEST_S];
	}

	/** Start of the time for which rows are read, Unix seconds; 0 if unknown. */
	get bottomS(): number {
		const numbers = this.#numbers;
		if (numbers === undefined || numbers[TOP_S] === 0) return 0;
		const heldS = numbers[HELD_S] || Number.POSITIVE_INFINITY;
		return numbers[TOP_S] - Math.min(heldS, FILL_DAYS * DAY_S);
	}

	/**
	 * Estimated total duration of the remaining sessions, minutes; NaN if unknown. Before the first piece, the estimate
	 * is for FILL_DAYS at the speed of the last readout.
	 */
	get minutesLeft(): number {
		const numbers = this.#numbers;
		if (numbers !== undefined && numbers[END] > 0) return 0;
		if (numbers === undefined || numbers[COVERED_S] === 0) {
			const baud = this.#core.find(METER).reader.outcomes.measured?.baud || Number.NaN;
			return Math.ceil((FILL_DAYS * DAY_BITS) / baud / 60);
		}
		const leftS = Math.max(0, numbers[CURSOR_S] - this.bottomS);
		return Math.ceil(((leftS / numbers[COVERED_S]) * numbers[LINE_MS]) / 60_000);
	}

	/** True while a piece is read or stored; between two pieces the device may sleep. */
	get isBusy(): boolean {
		return this.state === STATE_READING || this.state === STATE_STORING;
	}

	erase(): void {
		this.stop();
		this.#core.storage.delete(KEY);
	}

	stop(): void {
		if (this.#numbers !== undefined) this.#core.find(METER).reader.cancel(this);
		this.#task?.stop();
		this.#task = this.#numbers = this.#readout = this.#span = this.failure = undefined;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.state = STATE_OFF;
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	finished(readout: Readout | undefined, failure: Failure | undefined): void {
		this.#task?.update((nowMs) => {
			if (this.state !== STATE_READING) return;
			this.#readout = failure === undefined ? readout : undefined;
			this.failure = failure;
			this.state = STATE_STORING;
			this.#dueMs = nowMs;
		});
	}

	advance(nowMs: number): void {
		const { ledger } = this.#core;
		const numbers = this.#numbers;
		const history = this.#core.find(HISTORY);
		if (nowMs < this.#dueMs || numbers === undefined) return;
		this.#dueMs = nowMs + BUSY_MS;
		if (history === undefined) {
			this.end(numbers, END_NO_HISTORY);
			return;
		}
		const cost = this.state === STATE_STORING ? STORE_COST : HISTORY_COST;
		if (history.isBusy || !ledger.claim(cost)) return;
		try {
			if (this.state === STATE_STORING) this.store(history, numbers, nowMs);
			else this.prepare(history, numbers, nowMs);
		} finally {
			ledger.release(cost);
		}
		if (this.state !== STATE_READING) return;
		const span = this.#span;
		if (span === undefined) return;
		this.#beganMs = nowMs;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.#core.find(METER).reader.read(this, { code: this.groups, entries: ROWS_LIMIT, span });
	}

	private begin(stored: Uint8Array | undefined): void {
		const { config, driver, safeMode } = this.#core;
		const numbers = new Float64Array(STORED);
		const bytes = new Uint8Array(numbers.buffer);
		if (stored?.length === bytes.length) bytes.set(stored);
		this.#disabledS = numbers[OLDEST_S];
		if (!config.get(BACKFILL_ENABLED) || safeMode !== "") return;
		numbers[PERIOD_S] ||= QUARTER_S;
		numbers[PIECE_ROWS] ||= FULL_PIECE;
		this.#numbers = numbers;
		this.#failures = this.#noRoom = 0;
		this.#expectedMs = FIRST_PIECE_MS;
		this.#task = driver.register("backfill", this);
		this.#task.update((nowMs) => {
			this.state = numbers[END] === 0 ? STATE_WAITING : STATE_END;
			if (this.state === STATE_WAITING) this.#dueMs = nowMs + BUSY_MS;
		});
	}

	/** Begins to read the next piece, unless it must wait or nothing is left. */
	private prepare(history: History, numbers: Float64Array, nowMs: number): void {
		const { clock } = this.#core;
		const { reader, schedule } = this.#core.find(METER);
		const utcMs = clock.utcMs();
		if (utcMs === undefined || reader.running || reader.isLent) return;
		const roomMs = schedule.nextRunUtcMs === 0 ? Number.POSITIVE_INFINITY : schedule.nextRunUtcMs - utcMs;
		if (roomMs < this.#expectedMs) {
			this.makeRoom(numbers, nowMs + Math.max(0, roomMs));
			return;
		}
		const gap = history.gap(numbers[CURSOR_S] || Number.POSITIVE_INFINITY);
		if (gap.lastS === 0 || gap.filled === FILL_LATER) {
			this.#dueMs = nowMs + LATER_MS;
			return;
		}
		numbers[TOP_S] ||= gap.lastS;
		const toS = Math.min(gap.toS, numbers[CURSOR_S] || gap.toS);
		if (gap.toS === 0) this.end(numbers, gap.isLimited ? END_METER_CHANGED : END_COMPLETE);
		else if (toS <= numbers[TOP_S] - FILL_DAYS * DAY_S) this.end(numbers, END_FULL);
		else if (toS <= this.bottomS - DAY_S) this.end(numbers, END_COMPLETE);
		else {
			const { zone } = this.#core;
			const fromS = Math.max(gap.fromS, toS - numbers[PIECE_ROWS] * numbers[PERIOD_S]);
			const kind = numbers[CLOCK];
			this.#span = {
				from: momentOf(zone, kind, fromS),
				to: momentOf(zone, kind, toS),
				clockS: Number.NaN,
				clockDeviation: Number.NaN,
				clockSeason: -1,
				rowsInMeter: -1,
			};
			this.#noRoom = 0;
			this.state = STATE_READING;
		}
	}

	/** Waits until the scheduled readout is over. */
	private makeRoom(numbers: Float64Array, scheduledMs: number): void {
		this.#dueMs = scheduledMs + BUSY_MS;
		this.#noRoom++;
		if (this.#noRoom < NO_ROOM_LIMIT || !this.shrink(numbers)) return;
		this.#noRoom = 0;
		this.#expectedMs /= 2;
	}

	/** Halves the number of rows in a piece; returns false if pieces are already as small as possible. */
	private shrink(numbers: Float64Array): boolean {
		if (numbers[PIECE_ROWS] <= SMALLEST_PIECE) return false;
		numbers[PIECE_ROWS] = Math.max(SMALLEST_PIECE, Math.floor(numbers[PIECE_ROWS] / 2));
		return true;
	}

	private store(history: History, numbers: Float64Array, nowMs: number): void {
		const tookMs = nowMs - this.#beganMs;
		const readout = this.#readout;
		const span = this.#span;
		this.#readout = this.#span = undefined;
		this.state = STATE_WAITING;
		this.#dueMs = nowMs + PAUSE_MS;
		if (span === undefined) return;
		if (readout === undefined) {
			this.failed(numbers, span, nowMs);
			return;
		}
		this.failure = undefined;
		this.#expectedMs = tookMs * 1.25 + MARGIN_MS;
		const rows = this.rowsOf(readout, span, numbers);
		if (rows === undefined) return;
		// If the flash refuses a write below, this pause remains.
		this.#dueMs = nowMs + LATER_MS;
		const gap = history.gap(numbers[CURSOR_S] || Number.POSITIVE_INFINITY, rows);
		// If the rows are those of another meter, the history notices the exchange with the next reading.
		if (gap.filled === FILL_LATER || gap.filled === FILL_OTHER) return;
		this.#failures = 0;
		numbers[LINE_MS] += tookMs;
		if (gap.filled > 0) {
			numbers[ROWS] += gap.filled;
			numbers[OLDEST_S] = Math.min(numbers[OLDEST_S] || gap.oldestS, gap.oldestS);
		}
		if (gap.isOther) this.end(numbers, END_METER_CHANGED);
		else if (history.isShort) this.end(numbers, END_FULL);
		else this.moveTo(numbers, span, rows.count);
		if (this.state === STATE_WAITING) this.#dueMs = nowMs + PAUSE_MS;
	}

	private moveTo(numbers: Float64Array, { from, to }: ProfileSpan, count: number): void {
		numbers[CURSOR_S] = from.utcS;
		numbers[COVERED_S] += to.utcS - from.utcS;
		numbers[EMPTY] = count === 0 ? numbers[EMPTY] + 1 : 0;
		if (numbers[EMPTY] === EMPTY_LIMIT) this.end(numbers, END_COMPLETE);
		else this.save(numbers);
	}

	/** Returns the rows; undefined if they can't be used, or if a different piece must be read instead. */
	private rowsOf(readout: Readout, span: ProfileSpan, numbers: Float64Array): MeterRows | undefined {
		const { clock, zone } = this.#core;
		const { meterId, records, status } = readout;
		const kind = numbers[CLOCK];
		const source = new ProfileRows(offsetsOf(zone, kind), records, this.groups);
		if (!source.isThere) {
			this.missing(numbers, span);
			return undefined;
		}
		const { periodS } = source;
		const rows = takeCounters(source);
		if (rows.known === 0) {
			this.end(numbers, END_NO_COUNTERS);
			return undefined;
		}
		// A meter that can't select rows by time sends its newest rows.
		if (rows.count > 0 && rows.timeS(0) > span.to.utcS + DAY_S) {
			this.missing(numbers, span);
			return undefined;
		}
		rows.ident = crc16(meterId, 0, meterId.length) || 1;
		if (span.rowsInMeter > 0) numbers[HELD_S] = span.rowsInMeter * periodS;
		const nowS = (clock.utcMs() ?? 0) / 1000;
		let isAgain = false;
		numbers[CLOCK] = kindOfRow(zone, kind, source.season, source.timeS);
		if (source.season === SEASON_NONE) numbers[CLOCK] = kindOfClock(zone, kind, span, nowS);
		if (numbers[CLOCK] !== kind) isAgain = true;
		else {
			const errorS = clockErrorOf(zone, kind, span, nowS);
			if (Math.abs(errorS) > CLOCK_LIMIT_S) {
				this.end(numbers, END_CLOCK);
				return undefined;
			}
			if (Math.abs(errorS) > CLOCK_SLACK_S) rows.moveBy(-Math.round(errorS));
		}
		// The rows did not all fit: they are longer than expected, or their period is shorter. The readout has only the
		// oldest ones.
		const isTooMuch = source.isCut || status === STATUS_CUT;
		if (periodS > 0 && periodS !== numbers[PERIOD_S]) {
			if (periodS < numbers[PERIOD_S]) isAgain = true;
			numbers[PERIOD_S] = periodS;
		} else if (isTooMuch && this.shrink(numbers)) isAgain = true;
		return isAgain ? undefined : rows;
	}

	private failed(numbers: Float64Array, span: ProfileSpan, nowMs: number): void {
		const { error } = this.failure ?? { error: BUSY };
		if (error === BUSY) return;
		if (error === NO_PROFILE) {
			this.missing(numbers, span);
			return;
		}
		if (this.failure === FAILURE_PROFILE_WAIT) this.shrink(numbers);
		const pauseMs = error === METER_AUTH_FAILED ? RETRY_LIMIT_MS : RETRY_MS * 2 ** this.#failures++;
		this.#dueMs = nowMs + Math.min(RETRY_LIMIT_MS, pauseMs);
	}

	/**
	 * Handles a piece for which the meter sends no profile. Before the first success this means that the meter has no
	 * such profile. Later, it may mean that the meter has no rows for that time.
	 */
	private missing(numbers: Float64Array, span: ProfileSpan): void {
		if (numbers[COVERED_S] === 0) {
			this.end(numbers, END_NO_PROFILE);
			return;
		}
		this.failure = undefined;
		this.moveTo(numbers, span, 0);
	}

	private end(numbers: Float64Array, reason: number): void {
		numbers[END] = reason;
		this.state = STATE_END;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.save(numbers);
	}

	private save(numbers: Float64Array): void {
		this.#core.storage.set(KEY, new Uint8Array(numbers.buffer));
	}

	private get groups(): Uint8Array {
		const { config, text } = this.#core;
		const obis = text.encode(config.get(BACKFILL_OBIS));
		const code = new OBISCode();
		code.parse(obis, 0, obis.length);
		return profileGroups(code);
	}
}
