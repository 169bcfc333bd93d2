/**
 * Calculates the month's peak and the mean power of the running interval, if the owner has chosen a length of
 * intervals.
 *
 *              readout of a new quarter hour     due
 *   IDLE       WAITING                           -
 *   WAITING    WAITING                           IDLE; the history is scanned as soon as it has stored the readout
 *
 * The mean of an interval is calculated from two readings in the history: the first one after the start of the interval
 * and the first one after its end. Both must be soon enough after these times (`toleranceOf`) and from the same meter.
 * If the clock changes by more than STEP_MS, the running interval is ignored. Flash is written only when one of the
 * highest intervals changes.
 */
import type { Core, Running } from "../../core/core.js";
import { KEEP_S } from "../../history/compaction.js";
import { Entry, FLAG_CHANGED, FLAG_START, IMPORT } from "../../history/entry.js";
import { EntryCursor } from "../../history/entry-cursor.js";
import { HISTORY_COST, type History } from "../../history/history.js";
import { KNOWN, MeterState, READINGS } from "../../history/meter-state.js";
import { toleranceOf } from "../../history/periods.js";
import type { Task } from "../../io/driver.js";
import type { Timed } from "../../io/machine.js";
import { LIVE_COUNT, LIVE_IMPORT, LIVE_POWER, takeLiveValues } from "../../live-meter/live-values.js";
import { type Readout, STATUS_CHECK_WRONG, STATUS_NONE } from "../../readout/readout.js";
import { HOURS, LocalCalendar, QUARTER_S, QUARTERS } from "../../time/calendar.js";
import { HISTORY } from "../history/part.js";
import { PEAKS_COUNT, PEAKS_INTERVAL_MINS } from "./fields.js";
import { addInterval, FROM, localMonthAt, MONTH, peakOf, SHAPE, STORED } from "./month.js";

const KEY = "peaks_month";

/* Indexes of further numbers, which are not stored in flash. */
/** Unix time of the first reading of the running interval, s; 0 if unknown. */
const EDGE_S = STORED;
/** Energy counter at EDGE_S, Wh. */
const EDGE_WH = STORED + 1;
/** Unix time of the last readout, s. */
const TIME_S = STORED + 2;
/** Energy counter in the last readout, Wh. */
const WH = STORED + 3;
/** Power in the last readout, W. */
const POWER = STORED + 4;
/** Number of the quarter hour of the last readout, counted from 1970. */
const QUARTER = STORED + 5;
/** Unix time minus monotonic time at the last readout, ms; 0 before the first readout. */
const OFFSET_MS = STORED + 6;
const COUNT = STORED + 7;

/** Largest change of the clock, compared with monotonic time, that is ignored, ms. */
const STEP_MS = 5000;
/**
 * Delay between a readout and the scan of the history, ms. The delay is repeated until the history has stored the
 * readout.
 */
const STORE_MS = 1000;

const HAS_IMPORT = 1 << IMPORT;

export class Peaks implements Running, Timed {
	readonly #core: Core;
	#task: Task | undefined;
	/** Undefined as long as no length of intervals is chosen; readouts are then ignored. */
	#numbers: Float64Array | undefined;
	#dueMs = Number.POSITIVE_INFINITY;

	constructor(core: Core) {
		this.#core = core;
		this.settingsChanged();
	}

	settingsChanged(): void {
		const { config, driver, storage } = this.#core;
		this.whenStopping();
		const minutes = config.get(PEAKS_INTERVAL_MINS);
		if (minutes === 0) return;
		const numbers = new Float64Array(COUNT);
		const shape = minutes + config.get(PEAKS_COUNT);
		const stored = storage.get(KEY);
		const bytes = new Uint8Array(numbers.buffer, 0, STORED * 8);
		if (stored?.length === bytes.length) bytes.set(stored);
		if (numbers[SHAPE] !== shape) numbers.fill(0);
		numbers[SHAPE] = shape;
		this.#numbers = numbers;
		this.#task = driver.register("peaks", this);
	}

	whenMeasured(readout: Readout): void {
		const { clock, text } = this.#core;
		const numbers = this.#numbers;
		const { status, utcMs } = readout;
		if (numbers === undefined || utcMs === 0 || status === STATUS_NONE || status === STATUS_CHECK_WRONG) return;
		const live = new Float64Array(LIVE_COUNT).fill(Number.NaN);
		takeLiveValues(readout, text, live);
		numbers[TIME_S] = Math.floor(utcMs / 1000);
		numbers[WH] = live[LIVE_IMPORT];
		numbers[POWER] = live[LIVE_POWER];
		const offsetMs = (clock.utcMs() ?? 0) - clock.monotonicMs();
		const isStep = numbers[OFFSET_MS] !== 0 && Math.abs(offsetMs - numbers[OFFSET_MS]) > STEP_MS;
		numbers[OFFSET_MS] = offsetMs;
		// `scan` replaces this value by the start of the next interval.
		if (isStep) numbers[FROM] = Number.POSITIVE_INFINITY;
		const quarter = Math.floor(numbers[TIME_S] / QUARTER_S);
		if (quarter === numbers[QUARTER] && !isStep) return;
		numbers[QUARTER] = quarter;
		this.#task?.update((nowMs) => {
			this.#dueMs = nowMs + STORE_MS;
		});
	}

	/** Mean and forecast of the interval are unknown while the power is too old. */
	whenMeterFailed(isOld: boolean): void {
		if (isOld && this.#numbers !== undefined) this.#numbers[WH] = Number.NaN;
	}

	/**
	 * Peak of the month, mean power of the running interval until now, and expected mean power at its end: W, NaN if
	 * unknown. Empty as long as no length of intervals is chosen.
	 */
	get values(): readonly number[] {
		const { clock, config, zone } = this.#core;
		const numbers = this.#numbers;
		if (numbers === undefined) return [];
		const edgeS = numbers[EDGE_S];
		const timeS = numbers[TIME_S];
		const endS = new LocalCalendar(zone).boundary(this.level, edgeS, 1);
		const isKnown = edgeS > 0 && timeS > edgeS && (clock.utcMs() ?? 0) < endS * 1000 && numbers[WH] >= numbers[EDGE_WH];
		const energy = isKnown ? (numbers[WH] - numbers[EDGE_WH]) * 3600 : Number.NaN;
		const meanW = energy / (timeS - edgeS);
		const powerW = Number.isNaN(numbers[POWER]) ? meanW : Math.max(0, numbers[POWER]);
		const forecastW = (energy + powerW * (endS - timeS)) / (endS - edgeS);
		return [peakOf(this.highest, config.get(PEAKS_COUNT)), meanW, forecastW].map(Math.round);
	}

	/** Highest intervals of this month, in the layout of month.ts; all 0 if no interval is known. */
	get highest(): Float64Array {
		const { clock, zone } = this.#core;
		const numbers = this.#numbers?.slice(0, STORED) ?? new Float64Array(STORED);
		const month = localMonthAt(new LocalCalendar(zone), (clock.utcMs() ?? 0) / 1000);
		return numbers[MONTH] === month ? numbers : numbers.fill(0);
	}

	get isBusy(): boolean {
		return this.#dueMs < Number.POSITIVE_INFINITY;
	}

	whenErasing(): void {
		this.whenStopping();
		this.#core.storage.delete(KEY);
	}

	whenStopping(): void {
		this.#task?.stop();
		this.#task = this.#numbers = undefined;
		this.#dueMs = Number.POSITIVE_INFINITY;
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	advance(nowMs: number): void {
		const { ledger, live } = this.#core;
		const history = this.#core.find(HISTORY);
		const numbers = this.#numbers;
		if (nowMs < this.#dueMs) return;
		this.#dueMs = nowMs + STORE_MS;
		if (history?.isBusy || !ledger.claim(HISTORY_COST)) return;
		this.#dueMs = Number.POSITIVE_INFINITY;
		try {
			if (history !== undefined && numbers !== undefined) this.scan(history, numbers);
		} finally {
			ledger.release(HISTORY_COST);
		}
		live.changed();
	}

	private get level(): number {
		return this.#core.config.get(PEAKS_INTERVAL_MINS) === 60 ? HOURS : QUARTERS;
	}

	private scan(history: History, numbers: Float64Array): void {
		const { storage, zone } = this.#core;
		const { level } = this;
		const calendar = new LocalCalendar(zone);
		const nowS = numbers[TIME_S];
		const { lastS, sectors, state } = history.journal();
		// If the clock was set back, new readings in the history follow its last one, so the next interval begins after
		// that.
		const nextS = calendar.boundary(level, Math.max(nowS, lastS), 1);
		let hasChanged = numbers[FROM] > nextS;
		if (hasChanged) numbers[FROM] = nextS;
		// The stored month is in the future, because the clock was ahead when these intervals were measured.
		if (numbers[MONTH] > localMonthAt(calendar, nowS)) numbers[MONTH] = 0;
		const cursor = new EntryCursor(sectors, sectors.walk(Math.max(numbers[FROM], nowS - KEEP_S[level])));
		let startS = 0;
		let edgeS = 0;
		let sum = 0;
		const add = ({ flags, known, rises, timeS }: Entry) => {
			const isFirst = (flags & (FLAG_START | FLAG_CHANGED)) !== 0;
			const hasRise = (known & HAS_IMPORT) !== 0;
			if (isFirst || !hasRise) edgeS = 0;
			sum += rises[IMPORT];
			const beginS = calendar.boundary(level, timeS);
			if (beginS === startS) return;
			const isNear = timeS - beginS <= toleranceOf(level);
			const isNext = isNear && edgeS > 0 && calendar.boundary(level, startS, 1) === beginS;
			const watts = Math.round((sum * 3600) / (timeS - edgeS));
			if (isNext && startS >= numbers[FROM] && addInterval(numbers, calendar, startS, watts)) hasChanged = true;
			startS = beginS;
			// If this entry has no counter, the next increase of the counter covers more than the time since this entry.
			edgeS = isNear && (isFirst || hasRise) ? timeS : 0;
			sum = 0;
		};
		while (cursor.next()) add(cursor.entry);
		const readings = new MeterState();
		readings.update(state);
		const { held } = history;
		if (held !== undefined && held.timeS > lastS) {
			add(entryOf(held, state));
			readings.update(held);
		}
		numbers[EDGE_S] = startS >= numbers[FROM] ? edgeS : 0;
		numbers[EDGE_WH] = readings.numbers[READINGS + IMPORT] - sum;
		numbers[FROM] = Math.max(numbers[FROM], startS);
		if (hasChanged) storage.set(KEY, new Uint8Array(numbers.buffer, 0, STORED * 8));
	}
}

/** Returns the entry that a held reading will make after the last one. Its rises are only those of the import. */
function entryOf(held: MeterState, state: MeterState): Entry {
	const entry = new Entry();
	const rise = held.numbers[READINGS + IMPORT] - state.numbers[READINGS + IMPORT];
	entry.timeS = held.timeS;
	entry.known = held.numbers[KNOWN];
	const isSame = !state.isOther(held) && !state.isElsewhere(held, IMPORT) && rise >= 0;
	const isFirst = (state.numbers[KNOWN] & HAS_IMPORT) === 0 || !isSame;
	if (isFirst && entry.known & HAS_IMPORT) entry.flags = FLAG_CHANGED;
	else entry.rises[IMPORT] = rise;
	return entry;
}
