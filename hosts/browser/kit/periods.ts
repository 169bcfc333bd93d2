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

/** Length of each view, and the number of such lengths that the gateway keeps (docs/history.md). */
export const VIEWS = {
	quarters: { unit: "day", kept: 2 },
	hours: { unit: "day", kept: 14 },
	days: { unit: "month", kept: 27 },
	months: { unit: "year", kept: 11 },
} as const satisfies Record<Level, { unit: Unit; kept: number }>;
export type Unit = "day" | "month" | "year";

/** Tolerance at the boundary of a period, because a readout takes this long. */
const NEAR_MS = 60_000;
const DAY_MS = 86_400_000;
const HOUR_S = 3600;

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
	const at = (more: number) =>
		unit === "day"
			? Math.floor(wallMs / DAY_MS + more) * DAY_MS
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

/** Amounts in the current unit until now, and in an equally long part of the previous unit. */
export interface Comparison {
	readonly now: Span;
	readonly before: Span;
	readonly nowSum: number;
	readonly beforeSum: number;
}

/**
 * Returns the same time in the previous unit. If the previous month does not have that day, returns a time after its
 * end.
 */
function earlier(unit: Unit, wallMs: number): number {
	const date = new Date(wallMs);
	if (unit === "day") return wallMs - DAY_MS;
	if (unit === "month") date.setUTCMonth(date.getUTCMonth() - 1);
	else date.setUTCFullYear(date.getUTCFullYear() - 1);
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
 * Compares the current unit with the previous one. Both sums end with the last complete period. Returns undefined if
 * there is no previous unit, or if data are missing.
 */
export function compare(pieces: readonly Piece[], unit: Unit, wallMs: number, amount: Amount): Comparison | undefined {
	const whole = spanOf(unit, wallMs);
	const whole1 = spanOf(unit, wallMs, -1);
	const ends = within(pieces, whole).filter(({ period, toMs }) => !period.partial && toMs <= whole.toMs + NEAR_MS);
	const toMs = ends.at(-1)?.toMs;
	if (toMs === undefined) return undefined;
	const now = { fromMs: whole.fromMs, toMs };
	const before = { fromMs: whole1.fromMs, toMs: toMs >= whole.toMs ? whole.fromMs : earlier(unit, toMs) };
	// The previous month is too short to contain that time.
	if (before.toMs > whole.fromMs) return undefined;
	const nowSum = sumUpTo(pieces, now, amount);
	const beforeSum = sumUpTo(pieces, before, amount);
	return nowSum === undefined || beforeSum === undefined ? undefined : { now, before, nowSum, beforeSum };
}
