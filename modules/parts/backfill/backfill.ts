/**
 * Reads the meter's load profile in pieces, from the newest piece to the oldest, if the user has enabled this. The
 * counter readings in the profile fill the gaps of the history (history/filling.ts).
 *
 *              enabled    due                  readout, failure     disabled
 *   OFF        WAITING    -                    -                    -
 *   WAITING    WAITING    READING, END (a)     -                    OFF
 *   READING    WAITING    -                    STORING              OFF
 *   STORING    WAITING    WAITING, END (b)     -                    OFF
 *   END        WAITING    -                    -                    OFF
 *
 *     (a) END if there is nothing left to read. The state stays WAITING while the meter or the history is in use,
 *         while the history's newest sector still contains the end of the gap, and while the next scheduled readout
 *         is too near.
 *     (b) WAITING for an earlier piece if this piece was stored, otherwise for this piece. END if the profile can't be
 *         used, if EMPTY_LIMIT pieces in a row had no rows, if the rows come from another meter, or if the history is
 *         full.
 *
 * Each piece is read in its own session and has at most ROWS_LIMIT rows. After each piece `#numbers` is stored in
 * flash, so that after a restart reading continues with the next piece.
 */
import { crc16 } from "../../bytes/crc16.js";
import type { Core, Running } from "../../core/core.js";
import { FILL_DAYS, FILL_LATER, FILL_OTHER, type MeterRows } from "../../history/filling.js";
import { HISTORY_COST, type History } from "../../history/history.js";
import type { Task } from "../../io/driver.js";
import type { Timed } from "../../io/machine.js";
import type { Cost } from "../../io/memory.js";
import { FAILURE_PROFILE_WAIT } from "../../meter/failures.js";
import type { ReadCallback } from "../../meter/pending-reads.js";
import { ProfileRows, profileGroups, SEASON_NONE } from "../../meter/profile-rows.js";
import { OBISCode } from "../../obis/code.js";
import { BUSY, type Failure, METER_AUTH_FAILED, NO_PROFILE } from "../../readout/failure.js";
import type { ProfileSpan } from "../../readout/protocol.js";
import { type Readout, STATUS_CUT } from "../../readout/readout.js";
import { ROWS_LIMIT } from "../../readout/record-writer.js";
import { DAY_S, HOUR_S, QUARTER_S } from "../../time/calendar.js";
import { HISTORY } from "../history/part.js";
import { METER } from "../meter/part.js";
import { takeCounters } from "./counters.js";
import { BACKFILL_ENABLED, BACKFILL_OBIS } from "./fields.js";
import { clockErrorOf, kindOfClock, kindOfRow, momentOf, offsetsOf } from "./meter-clock.js";

const KEY = "backfill_state";

/**
 * This constant and the following ones are indices in the stored numbers. END: reason why reading has ended (END_…); 0
 * while it continues.
 */
export const END = 0;
/**
 * Three times in Unix seconds, 0 if unknown. TOP_S: time of the history's last reading when the backfill began.
 * CURSOR_S: end of the next piece. OLDEST_S: time of the oldest row that was stored.
 */
export const TOP_S = 1;
export const CURSOR_S = 2;
export const OLDEST_S = 3;
/** Number of rows that were stored in the history. */
export const ROWS = 4;
/** Total duration of all sessions, ms, and total time span of their pieces, s. */
export const LINE_MS = 5;
const COVERED_S = 6;
/** Period of the profile, s, and number of rows in a piece. */
const PERIOD_S = 7;
const PIECE_ROWS = 8;
/** Kind of time that the meter's clock shows: CLOCK_… (meter-clock.ts). */
const CLOCK = 9;
/** Number of consecutive pieces without rows. */
const EMPTY = 10;
/** Time span of all rows in the meter's memory, s; 0 if unknown. */
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

/** Memory that is needed to store a piece, including the readout with its rows. */
const STORE_COST: Cost = Object.freeze({ slots: HISTORY_COST.slots + 100, chunkBytes: 8192 });

/**
 * Number of rows in a piece at first: the quarter hours of a day. ROWS_LIMIT is larger, because the rows at both ends
 * of a piece are read too.
 */
const FULL_PIECE = 96;
const SMALLEST_PIECE = 4;
/**
 * Number of consecutive pieces without rows after which reading ends. It is more than one, because a meter that was
 * without power for days has no rows for those days.
 */
const EMPTY_LIMIT = 10;
/**
 * An error of the meter's clock up to CLOCK_SLACK_S is ignored. An error up to CLOCK_LIMIT_S is corrected in the times
 * of the rows. With a larger error, the rows can't be used.
 */
const CLOCK_LIMIT_S = HOUR_S;
const CLOCK_SLACK_S = 120;

/**
 * Number of bits on the line for the quarter hours of a day: 96 rows of 51 characters, with DLMS/COSEM as well as with
 * IEC 62056-21.
 */
const DAY_BITS = 96 * 510;

/**
 * Minimum pause after a piece (PAUSE_MS), and interval of checks while the meter or the history is in use (BUSY_MS),
 * ms.
 */
const PAUSE_MS = 3000;
const BUSY_MS = 5000;
/** Interval of checks while the history must store a new reading before the gap can be filled, ms. */
const LATER_MS = 60_000;
/**
 * Pause after a failure, ms. It doubles with each further failure, up to RETRY_LIMIT_MS. If the meter refuses the
 * password, the first pause is already RETRY_LIMIT_MS.
 */
const RETRY_MS = 60_000;
const RETRY_LIMIT_MS = 6 * 3_600_000;
/**
 * Expected duration of the session of the first piece (FIRST_PIECE_MS), and margin that is added to the expected
 * duration of later sessions (MARGIN_MS), ms.
 */
const FIRST_PIECE_MS = 45_000;
const MARGIN_MS = 2000;
/** If the next scheduled readout is too near for a piece this many times in a row, pieces become smaller. */
const NO_ROOM_LIMIT = 3;

export class Backfill implements Running, Timed, ReadCallback {
	readonly #core: Core;
	#task: Task | undefined;
	/**
	 * Stored numbers, undefined while the backfill is disabled. `#disabledS` then has the time of the oldest row that
	 * was stored, Unix seconds.
	 */
	#numbers: Float64Array | undefined;
	#disabledS = 0;
	state = STATE_OFF;
	#dueMs = Number.POSITIVE_INFINITY;
	/** Time span of the piece that is being read, and start of its session (`#beganMs`), monotonic ms. */
	#span: ProfileSpan | undefined;
	#beganMs = 0;
	#readout: Readout | undefined;
	/** Failure of the session of the last piece; undefined after a success. */
	failure: Failure | undefined;
	#failures = 0;
	#expectedMs = FIRST_PIECE_MS;
	#noRoom = 0;

	constructor(core: Core) {
		this.#core = core;
		this.begin(core.storage.get(KEY));
	}

	/** Starts again at the newest gap if the settings enable the backfill; otherwise stops it and keeps `filledS`. */
	settingsChanged(): void {
		const { config, storage } = this.#core;
		this.whenStopping();
		const stored = storage.get(KEY);
		const isOn = config.get(BACKFILL_ENABLED);
		if (isOn && stored !== undefined) storage.delete(KEY);
		this.begin(isOn ? undefined : stored);
	}

	get numbers(): Float64Array | undefined {
		return this.#numbers;
	}

	/**
	 * Time of the oldest row that was stored, Unix seconds. It is 0 until reading has ended or the backfill is
	 * disabled. It stays 0 if no row was stored.
	 */
	get filledS(): number {
		const numbers = this.#numbers;
		if (numbers === undefined) return this.#disabledS;
		return numbers[END] === 0 ? 0 : numbers[OLDEST_S];
	}

	/** Time of the oldest row that will be read, Unix seconds; 0 if unknown. */
	get bottomS(): number {
		const numbers = this.#numbers;
		if (numbers === undefined || numbers[TOP_S] === 0) return 0;
		const heldS = numbers[HELD_S] || Number.POSITIVE_INFINITY;
		return numbers[TOP_S] - Math.min(heldS, FILL_DAYS * DAY_S);
	}

	/**
	 * Estimated total duration of the remaining sessions, minutes; NaN if unknown. Before the first piece, this is the
	 * duration for FILL_DAYS at the baud rate of the last readout.
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

	/** True while a piece is read or stored. Between two pieces the device may sleep. */
	get isBusy(): boolean {
		return this.state === STATE_READING || this.state === STATE_STORING;
	}

	whenErasing(): void {
		this.whenStopping();
		this.#core.storage.delete(KEY);
	}

	whenStopping(): void {
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

	/** Begins to read the next piece, unless reading must wait or nothing is left to read. */
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

	/** Postpones the next piece until the scheduled readout is over. */
	private makeRoom(numbers: Float64Array, scheduledMs: number): void {
		this.#dueMs = scheduledMs + BUSY_MS;
		this.#noRoom++;
		if (this.#noRoom < NO_ROOM_LIMIT || !this.shrink(numbers)) return;
		this.#noRoom = 0;
		this.#expectedMs /= 2;
	}

	/** Halves the number of rows in a piece. Returns false if pieces are already as small as possible. */
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
		// This is the pause before a retry if the flash refuses a write below.
		this.#dueMs = nowMs + LATER_MS;
		const gap = history.gap(numbers[CURSOR_S] || Number.POSITIVE_INFINITY, rows);
		// FILL_OTHER: the rows come from another meter than the history, which will notice the exchange at its next
		// reading.
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

	/** Returns the rows of the readout; undefined if they can't be used, or if another piece must be read instead. */
	private rowsOf(readout: Readout, span: ProfileSpan, numbers: Float64Array): MeterRows | undefined {
		const { clock, zone } = this.#core;
		const { meterId, protocol, records, status } = readout;
		const kind = numbers[CLOCK];
		const source = new ProfileRows(offsetsOf(zone, kind), records, this.groups);
		if (!source.isThere) {
			this.missing(numbers, span);
			return undefined;
		}
		const { periodS } = source;
		const rows = takeCounters(source, protocol);
		if (rows.known === 0) {
			this.end(numbers, END_NO_COUNTERS);
			return undefined;
		}
		// The rows are later than the piece. The meter can't select rows by time, and has sent its newest rows.
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
		// Not all rows fitted in the readout, because they are longer than expected or their period is shorter. The
		// readout has only the oldest rows.
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
	 * Handles a piece for which the meter sends no profile. If this is the first piece, the meter has no such profile.
	 * If earlier requests were successful, the meter probably has no rows for the time of this piece.
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
