/** Requests the gateway's history. */
import { get, READ_MS } from "./device.js";
import { KEPT, type Level, type Piece, piecesOf, type Span, spanOf, type Unit, within } from "./periods.js";
import type { History } from "./replies.js";
import { momentOf } from "./wall-clock.js";

/**
 * Time by which a span is extended at both ends. Until the zone's name has arrived, the current offset from UTC is
 * used, which may be wrong in another season.
 */
const SLACK_S = 3_600;
const DAY_MS = 86_400_000;

/** Loads the pieces of a span. Throws a DeviceError. */
export async function load(level: Level, span: Span, timeZone: string): Promise<readonly Piece[]> {
	const from = momentOf(span.fromMs, timeZone) - SLACK_S;
	const to = momentOf(span.toMs, timeZone) + SLACK_S;
	const path = `meter/history?period=${level}&from=${from}&to=${to}`;
	const { periods } = await get<History>(path, { timeoutMs: READ_MS });
	return within(piecesOf(periods), span);
}

/** The data loaded so far. Missing members have not arrived yet. */
export interface Recent {
	/** Quarter hours of yesterday and today. */
	readonly quarters?: readonly Piece[];
	/** Days of the last month and of this month. */
	readonly days?: readonly Piece[];
	/** Days of this month a year ago. */
	readonly daysBefore?: readonly Piece[];
	/** Months of the last year and of this year. */
	readonly months?: readonly Piece[];
}

/**
 * Returns the pieces of a span that `loadRecent` loads: null until they have arrived, undefined if it does not load them.
 */
export function knownIn(
	recent: Recent,
	level: Level,
	{ fromMs, toMs }: Span,
	wallMs: number,
): readonly Piece[] | null | undefined {
	const loaded: readonly (readonly [Level, Span, readonly Piece[] | undefined])[] = [
		["quarters", both("day", wallMs), recent.quarters],
		["days", both("month", wallMs), recent.days],
		["days", spanOf("month", wallMs, -12), recent.daysBefore],
		["months", both("year", wallMs), recent.months],
	];
	const found = loaded.find(([one, span]) => one === level && span.fromMs <= fromMs && span.toMs >= toMs);
	return found && (found[2] === undefined ? null : within(found[2], { fromMs, toMs }));
}

/** Returns a span that contains the unit and the previous one. */
function both(unit: Unit, wallMs: number): Span {
	return { fromMs: spanOf(unit, wallMs, -1).fromMs, toMs: spanOf(unit, wallMs).toMs };
}

/**
 * Loads the data one after another. Calls `put` after each reply, with all data loaded so far. Throws a DeviceError.
 */
export async function loadRecent(wallMs: number, timeZone: string, put: (recent: Recent) => void): Promise<void> {
	const days = await load("days", both("month", wallMs), timeZone);
	put({ days });
	const quarters = await load("quarters", both("day", wallMs), timeZone);
	put({ days, quarters });
	const months = await load("months", both("year", wallMs), timeZone);
	put({ days, quarters, months });
	const daysBefore = await load("days", spanOf("month", wallMs, -12), timeZone);
	put({ days, quarters, months, daysBefore });
}

/** Loads the hours for which the gateway has them, up to `toMs`. Throws a DeviceError. */
export function loadHours(toMs: number, timeZone: string): Promise<readonly Piece[]> {
	return load("hours", { fromMs: toMs - KEPT.day * DAY_MS, toMs }, timeZone);
}

/**
 * Loads the sums, and the quarter hours of yesterday and today. Requests both at once, so that no other request comes
 * between. Throws a DeviceError.
 */
export async function loadToday(wallMs: number, timeZone: string, put: (recent: Recent) => void): Promise<void> {
	const span = both("day", wallMs);
	const [days, quarters] = await Promise.all([load("days", span, timeZone), load("quarters", span, timeZone)]);
	put({ days, quarters });
}
