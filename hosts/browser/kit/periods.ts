/**
 * Periods of the history in wall-clock time, and sums for comparisons. Times are those of wall.ts: ms of the gateway's
 * wall clock.
 */
import type { History, Period } from "./replies.js";

export type Level = History["period"];
export type Amount = "import_wh" | "export_wh" | "gas_l" | "water_l" | "heat_wh";

export interface Piece {
	readonly period: Period;
	readonly fromMs: number;
	readonly toMs: number;
	/** Season at the start. Only set for the hours around a clock change, in which the wall clock alone is ambiguous. */
	readonly season?: Season | undefined;
}

export type Season = "summer" | "winter";

/** A span of time from `fromMs` to `toMs`, which is excluded. */
export interface Span {
	readonly fromMs: number;
	readonly toMs: number;
}

/** Number of units that the gateway keeps with enough detail for bars (docs/history.md). */
export const KEPT = { day: 14, week: 114, month: 27, year: 11 } as const;
export type Unit = keyof typeof KEPT;

/** Tolerance at the boundary of a period, because a readout takes this long. */
const NEAR_MS = 60_000;
const DAY_MS = 86_400_000;
/** Days from the Monday before 1 January 1970 to that day. */
const THURSDAY = 3;
export const HOUR_S = 3600;
export const QUARTER_S = 900;
/** Step of a coarse counter, Wh. */
const COARSE_WH = 100;

/** Converts periods, which must be in chronological order. */
export function piecesOf(periods: readonly Period[]): readonly Piece[] {
	const wallClockOf = ({ localtime }: Period) => Date.parse(`${localtime.slice(0, 19)}Z`);
	/** Returns the seconds by which the wall clock is ahead of UTC. */
	const ahead = (period: Period) => wallClockOf(period) / 1000 - period.start;
	const changes = periods.flatMap((period, index) => {
		const byS = index === 0 ? 0 : ahead(period) - ahead(periods[index - 1]);
		return byS === 0 ? [] : [{ atS: period.start, byS }];
	});
	const seasonOf = ({ start, end }: Period): Season | undefined => {
		const change = changes.find(({ atS, byS }) => start >= atS - Math.abs(byS) && start < atS + Math.abs(byS));
		if (change === undefined || end - start > HOUR_S) return undefined;
		return start < change.atS === change.byS < 0 ? "summer" : "winter";
	};
	return periods.map((period, index) => {
		const { start, end } = period;
		const next = periods[index + 1];
		const fromMs = wallClockOf(period);
		// A day with a clock change is an hour longer or shorter than its wall-clock times suggest.
		const toMs = next?.start === end ? wallClockOf(next) : fromMs + (end - start) * 1000;
		return { period, fromMs, toMs, season: seasonOf(period) };
	});
}

/**
 * Returns the end by the clock that is valid at the start. For example, this is 03:00 if the clocks then go back to
 * 02:00.
 */
export function shownEnd({ period: { start, end }, fromMs, toMs }: Piece): number {
	return end - start > HOUR_S ? toMs : fromMs + (end - start) * 1000;
}

/** Returns the unit that contains the time, shifted by `steps` units. */
export function spanOf(unit: Unit, wallMs: number, steps = 0): Span {
	const date = new Date(wallMs);
	const day = Math.floor(wallMs / DAY_MS);
	const at = (more: number) =>
		unit === "day"
			? (day + more) * DAY_MS
			: unit === "week"
				? (Math.floor((day + THURSDAY) / 7 + more) * 7 - THURSDAY) * DAY_MS
				: unit === "month"
					? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + more)
					: Date.UTC(date.getUTCFullYear() + more, 0);
	return { fromMs: at(steps), toMs: at(steps + 1) };
}

export function within(pieces: readonly Piece[], { fromMs, toMs }: Span): readonly Piece[] {
	return pieces.filter((piece) => piece.fromMs >= fromMs && piece.fromMs < toMs);
}

/**
 * Removes increases of 0. A meter that waits for its PIN counts whole kWh. Therefore an increase of 0 means that it is
 * unknown.
 */
export function withoutNothing(pieces: readonly Piece[]): readonly Piece[] {
	return pieces.map((piece) => {
		const { import_wh, export_wh, ...others } = piece.period;
		const period = { ...others, ...(import_wh ? { import_wh } : {}), ...(export_wh ? { export_wh } : {}) };
		return { ...piece, period };
	});
}

/** Returns the sum, or undefined if no piece has the amount. */
export function sumOf(pieces: readonly Piece[], amount: Amount): number | undefined {
	const known = pieces.flatMap(({ period }) => period[amount] ?? []);
	return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** Shortest time whose mean power is shown, seconds. In a shorter one, a step of the counter (1 Wh) is more than 12 W. */
const MEAN_LEAST_S = 300;

/**
 * Returns the mean power of a period for each Wh, in W. The running period is shorter than `wholeS` seconds. Returns
 * undefined if the amount covers only a part of the period: the meter was exchanged, or a value was missing for a while.
 */
export function wattsPerWh({ start, end, partial, meter_changed }: Period, wholeS: number): number | undefined {
	const seconds = end - start;
	const isCovered = !meter_changed && !(partial && seconds >= wholeS);
	return isCovered && seconds >= MEAN_LEAST_S ? HOUR_S / seconds : undefined;
}

/**
 * Returns true if the counter has steps of less than 0.1 kWh, which are 400 W in a quarter of an hour. `pieces`: hours or
 * quarter hours.
 */
export function isFine(pieces: readonly Piece[]): boolean {
	return pieces.some(
		({ period: { import_wh = 0, export_wh = 0, interpolated, partial } }) =>
			!interpolated && !partial && (import_wh % COARSE_WH > 0 || export_wh % COARSE_WH > 0),
	);
}

/**
 * Returns the start of the period with the highest mean import, and that power in W. Ignores periods whose end was not
 * read from the meter.
 */
export function highestOf(pieces: readonly Piece[]): { readonly fromMs: number; readonly watts: number } | undefined {
	const known = pieces.flatMap(({ fromMs, period: { start, end, import_wh = 0, gap, interpolated, partial } }) =>
		gap || interpolated || partial ? [] : { fromMs, watts: (import_wh * 3600) / (end - start) },
	);
	known.sort((one, other) => other.watts - one.watts);
	return known[0] !== undefined && known[0].watts > 0 ? known[0] : undefined;
}

/** Returns the import of each hour whose quarter hours were all read from the meter, as mean power in W. */
export function hoursOf(quarters: readonly Piece[]): readonly { readonly fromMs: number; readonly watts: number }[] {
	const hours = new Map<number, number[]>();
	for (const { fromMs, period } of quarters) {
		const { import_wh, gap, interpolated, partial } = period;
		if (import_wh === undefined || gap || interpolated || partial) continue;
		const hourMs = fromMs - (fromMs % (HOUR_S * 1000));
		hours.set(hourMs, [...(hours.get(hourMs) ?? []), import_wh]);
	}
	return [...hours].flatMap(([fromMs, all]) =>
		all.length === 4 ? { fromMs, watts: all.reduce((sum, wh) => sum + wh, 0) } : [],
	);
}

/** Amounts in the current unit until now, and in an equally long part of the previous unit. */
export interface Comparison {
	readonly now: Span;
	readonly before: Span;
	readonly nowSum: number;
	readonly beforeSum: number;
}

/**
 * Returns the same time `steps` units earlier. If that month does not have that day, returns a time after its end.
 */
function earlier(unit: Unit, wallMs: number, steps: number): number {
	const date = new Date(wallMs);
	if (unit === "day" || unit === "week") return wallMs - steps * (unit === "day" ? 1 : 7) * DAY_MS;
	if (unit === "month") date.setUTCMonth(date.getUTCMonth() - steps);
	else date.setUTCFullYear(date.getUTCFullYear() - steps);
	return date.getTime();
}

/** Returns the sum over a span, which must end at a boundary of pieces. Returns undefined if data are missing. */
function sumUpTo(pieces: readonly Piece[], { fromMs, toMs }: Span, amount: Amount): number | undefined {
	const inside = pieces.filter((piece) => piece.fromMs >= fromMs - NEAR_MS && piece.toMs <= toMs + NEAR_MS);
	let at = fromMs;
	for (const { period, fromMs: from, toMs: to } of inside) {
		if (Math.abs(from - at) > NEAR_MS || period[amount] === undefined || period.meter_changed) return undefined;
		at = to;
	}
	return Math.abs(at - toMs) <= NEAR_MS && inside.length > 0 ? sumOf(inside, amount) : undefined;
}

/**
 * Compares the current unit with the one `steps` before. Both sums end with the last complete period. Returns undefined
 * if there is no such unit, or if data are missing.
 */
export function compare(
	pieces: readonly Piece[],
	unit: Unit,
	wallMs: number,
	amount: Amount,
	steps = 1,
): Comparison | undefined {
	const whole = spanOf(unit, wallMs);
	const whole1 = spanOf(unit, wallMs, -steps);
	const ends = within(pieces, whole).filter(({ period, toMs }) => !period.partial && toMs <= whole.toMs + NEAR_MS);
	const toMs = ends.at(-1)?.toMs;
	if (toMs === undefined) return undefined;
	const now = { fromMs: whole.fromMs, toMs };
	const before = { fromMs: whole1.fromMs, toMs: toMs >= whole.toMs ? whole1.toMs : earlier(unit, toMs, steps) };
	// That month is too short to contain that time.
	if (before.toMs > whole1.toMs) return undefined;
	const nowSum = sumUpTo(pieces, now, amount);
	const beforeSum = sumUpTo(pieces, before, amount);
	return nowSum === undefined || beforeSum === undefined ? undefined : { now, before, nowSum, beforeSum };
}
