/**
 * Formats the amounts of the history, their times and their cost, in the page's language. Times are wall-clock times in
 * the form of wall.ts.
 */
import type { TextKey } from "../text/all.js";
import { decimalCell } from "./csv.js";
import { formatNumber, withMinus } from "./format.js";
import { type Amount, type Level, type Piece, type Span, shownEnd, type Unit } from "./periods.js";
import { language, t } from "./text.js";

const DAY_MS = 86_400_000;

export const AMOUNTS: readonly Amount[] = ["import_wh", "export_wh", "gas_l", "water_l", "heat_wh"];

const NAMES: Readonly<Record<Amount, TextKey>> = {
	import_wh: "counter.import",
	export_wh: "counter.export",
	gas_l: "use.gas",
	water_l: "use.water",
	heat_wh: "use.heat",
};

export function nameOf(amount: Amount): string {
	return t(NAMES[amount]);
}

export function unitOf(amount: Amount): string {
	return amount.endsWith("_l") ? "m³" : "kWh";
}

/** Formats Wh or litres in thousands, with about three digits. */
export function formatAmount(value: number | undefined, amount: Amount): string {
	if (value === undefined) return "–";
	const digits = value >= 100_000 ? 0 : value >= 10_000 ? 1 : value >= 1_000 || value === 0 ? 2 : 3;
	return `${formatNumber(value / 1000, language, digits, digits)}\u00a0${unitOf(amount)}`;
}

/** Returns the exact value for a spreadsheet, or "" if there is no value. */
export function cellOf(value: number | undefined): string {
	return value === undefined ? "" : decimalCell((value / 1000).toFixed(3), language);
}

/** Formats millionths of the currency with their sign. Plus means earned, minus means paid. */
export function formatMoney(micro: number, currency: string): string {
	const format = new Intl.NumberFormat(language, { style: "currency", currency, signDisplay: "exceptZero" });
	return withMinus(format.format(micro / 1e6));
}

/** Returns the word for the sign of a balance. */
export function moneyWord(micro: number): string {
	return t(micro > 0 ? "money.earned" : "money.cost");
}

/** Formats the amount without its sign. */
export function moneySize(micro: number, currency: string): string {
	return formatMoney(Math.abs(micro), currency).replace("+", "");
}

/** Formats the amount of an hour. Less than a euro is shown in cents, as on bills. */
export function moneyRate(micro: number, currency: string): string {
	const isCents = currency === "EUR" && Math.abs(micro) < 1e6;
	const size = isCents ? `${formatNumber(Math.abs(micro) / 1e4, language, 0)}\u00a0ct` : moneySize(micro, currency);
	return `${micro > 0 ? "+" : ""}${size}/h`;
}

/** Formats the amount as cost or earning. */
export function moneyText(micro: number, currency: string): string {
	return `${moneyWord(micro)} ${moneySize(micro, currency)}`;
}

/** Says by how much an amount is less or more than that of another time. `before` is not 0. */
export function formatChange(now: number, before: number, other: string): string {
	const change = now / before - 1;
	const percent = new Intl.NumberFormat(language, { style: "percent" }).format(Math.abs(change));
	return t(Math.abs(change) < 0.005 ? "use.same" : change < 0 ? "use.less" : "use.more", { percent, other });
}

const format = (options: Intl.DateTimeFormatOptions) =>
	new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
const TIMES = format({ timeStyle: "short" });
const SHORT_DAYS = format({ day: "numeric", month: "short" });
const DAYS = format({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const MONTHS = format({ month: "long", year: "numeric" });
const YEARS = format({ year: "numeric" });

/** Formats start and end of a period, for a view that already shows the day, month or year. */
export function formatPeriodOf(level: Level, piece: Piece): string {
	const { fromMs, season } = piece;
	const toMs = shownEnd(piece);
	if (level === "months") return MONTHS.formatRange(fromMs, toMs - 1);
	if (level === "days") return DAYS.formatRange(fromMs, toMs - 1);
	const times =
		toMs % DAY_MS === 0 ? `${TIMES.format(fromMs)} – ${TIMES.format(toMs)}` : TIMES.formatRange(fromMs, toMs);
	return season === undefined ? times : `${times}, ${t(`season.${season}`)}`;
}

export function formatUnit(unit: Unit, { fromMs, toMs }: Span): string {
	if (unit === "week") return format({ dateStyle: "medium" }).formatRange(fromMs, toMs - 1);
	return (unit === "day" ? DAYS : unit === "month" ? MONTHS : YEARS).format(fromMs);
}

/**
 * Formats the part of a unit that a value covers, to be shown beside the unit's name. Returns "" for the whole unit.
 */
export function formatPart(unit: Unit, { fromMs, toMs }: Span): string {
	if (unit !== "day") return SHORT_DAYS.formatRange(fromMs, toMs - 1);
	return toMs % DAY_MS === 0 ? "" : TIMES.formatRange(fromMs, toMs);
}

/** Formats the day, month or year with which a value of the time `now` is compared. */
export function formatOther(unit: Unit, span: Span, now: Span): string {
	if (unit === "day") return SHORT_DAYS.format(span.fromMs);
	const year = YEARS.format(span.fromMs);
	if (unit === "year") return year;
	return year === YEARS.format(now.fromMs) ? formatPart(unit, span) : `${formatPart(unit, span)} ${year}`;
}

/** Formats the time of day until which today is compared with yesterday. */
export function formatTime(wallMs: number): string {
	return TIMES.format(wallMs);
}

/** Formats day and time. At midnight only the day is shown. */
export function formatWallClock(wallMs: number): string {
	return (wallMs % DAY_MS === 0 ? SHORT_DAYS : format({ dateStyle: "medium", timeStyle: "short" })).format(wallMs);
}

export function formatMinute(wallMs: number): string {
	return format({ day: "numeric", month: "short", hour: "numeric", minute: "2-digit" }).format(wallMs);
}
