/**
 * Consumption today, yesterday, this month and this year, each compared with the same time one day, month or year
 * earlier.
 */
import { Fragment } from "preact";
import {
	formatAmount,
	formatChange,
	formatMinute,
	formatOther,
	formatPart,
	formatTime,
	formatWallClock,
	moneySize,
	moneyText,
	moneyWord,
	nameOf,
} from "../kit/amounts.js";
import { Fact, Facts } from "../kit/components.js";
import { formatPower } from "../kit/format.js";
import type { Recent } from "../kit/history.js";
import { mediumOf, moneyOf, type Pricing, totalOf } from "../kit/money.js";
import {
	type Amount,
	type Comparison,
	compare,
	hoursOf,
	type Piece,
	type Span,
	spanOf,
	sumOf,
	type Unit,
	within,
} from "../kit/periods.js";
import { usePricing } from "../kit/prices.js";
import { language, t } from "../kit/text.js";

const DAY_MS = 86_400_000;

interface TilesProps {
	readonly recent: Recent;
	readonly wallMs: number;
	readonly measured: readonly Amount[];
}

export function UseTiles({
	recent: { quarters = [], days = [], daysBefore, months = [] },
	wallMs,
	measured,
}: TilesProps) {
	const thisMonth = spanOf("month", wallMs);
	const monthBefore = spanOf("month", wallMs, -12);
	// The current month and the same month a year ago are compared day by day, all other months as a whole.
	const isOver = ({ fromMs }: Piece) =>
		fromMs < thisMonth.fromMs && (fromMs < monthBefore.fromMs || fromMs >= monthBefore.toMs);
	// The current month has its days, so that a price which began in it is exact.
	const thisYear = [...months.filter(({ fromMs }) => fromMs < thisMonth.fromMs), ...within(days, thisMonth)];
	const year = daysBefore && [...months.filter(isOver), ...daysBefore, ...within(days, thisMonth)];
	year?.sort((one, other) => one.fromMs - other.fromMs);
	const common = { measured, wallMs };
	return (
		<div class="tiles wide">
			<Tile {...common} name={t("use.today")} unit="day" pieces={days} compared={quarters} />
			<Tile
				{...common}
				name={t("use.yesterday")}
				unit="day"
				pieces={days}
				compared={days}
				wallMs={spanOf("day", wallMs).fromMs - 1}
			/>
			<Tile {...common} name={t("use.month")} unit="month" pieces={days} compared={[...(daysBefore ?? []), ...days]} />
			<Tile
				{...common}
				name={t("use.year")}
				unit="year"
				pieces={months.length === 0 ? months : thisYear}
				compared={year ?? []}
			/>
		</div>
	);
}

interface TileProps {
	readonly name: string;
	readonly unit: Unit;
	/** Any time within the tile's day, month or year. */
	readonly wallMs: number;
	readonly measured: readonly Amount[];
	readonly pieces: readonly Piece[];
	/** Periods for the comparison. They end at a time that exists in both units. */
	readonly compared: readonly Piece[];
	/** True for the large tile of the overview, which compares today with yesterday in a picture. */
	readonly isMain?: boolean;
}

export function Tile({ name, unit, wallMs, measured, pieces, compared, isMain = false }: TileProps) {
	const pricing = usePricing();
	const span = spanOf(unit, wallMs);
	const inside = within(pieces, span);
	const [main, ...others] = measured;
	const costOf = (amount: Amount) => {
		const medium = mediumOf(amount);
		const cost = pricing && medium && moneyOf(inside, pricing, true, medium);
		return cost && since(` (${moneyText(totalOf(cost), pricing.currency)})`, cost.sinceMs);
	};
	const priced = pricing && measured.includes("import_wh") ? pricing : undefined;
	const money = priced && moneyOf(inside, priced, true);
	const currency = pricing?.currency ?? "";
	const comparisons =
		main === undefined
			? []
			: [1, 12].flatMap((steps) =>
					steps === 1 || unit === "month" ? (compare(compared, unit, wallMs, main, steps) ?? []) : [],
				);
	/** The picture has import and export. */
	const isPictured = isMain && comparisons.length > 0;
	const listed = (money === undefined ? others : measured).filter(
		(amount) => !(isPictured && (amount === "import_wh" || amount === "export_wh")),
	);
	const isLate = inside.length > 0 && inside[0].fromMs > span.fromMs + 60_000;
	return (
		<section class={isMain ? "card today" : "card"}>
			<h2>{name}</h2>
			<p class="sum">
				{money !== undefined ? (
					<>
						{money.isEstimated && "≈ "}
						{moneySize(totalOf(money), currency)} <small>{since(moneyWord(totalOf(money)), money.sinceMs)}</small>
					</>
				) : main === undefined ? (
					"–"
				) : (
					<>
						{formatAmount(sumOf(inside, main), main).replace("\u00a0", " ")} <small>{nameOf(main)}</small>
					</>
				)}
			</p>
			{comparisons.map((one) => (
				<Change key={one.before.fromMs} {...one} {...{ unit, main, compared, isMain, pricing: priced, currency }} />
			))}
			{isMain && comparisons.map((one) => <Pair key={one.before.fromMs} {...one} {...{ compared, measured }} />)}
			<Facts>
				{listed.map((amount) => (
					<Fact key={amount} name={nameOf(amount)}>
						{formatAmount(sumOf(inside, amount), amount)}
						{amount !== main && costOf(amount)}
					</Fact>
				))}
			</Facts>
			{isLate && <p class="help">{t("sessions.since", { time: formatWallClock(inside[0].fromMs) })}</p>}
		</section>
	);
}

/** Adds to a sum's name the beginning of the time that it covers. */
function since(name: string, fromMs: number | undefined): string {
	return fromMs === undefined ? name : `${name} ${t("sessions.since", { time: formatWallClock(fromMs) })}`;
}

interface ChangeProps extends Comparison {
	readonly unit: Unit;
	readonly main: Amount;
	readonly compared: readonly Piece[];
	readonly isMain: boolean;
	readonly pricing: Pricing | undefined;
	readonly currency: string;
}

/** Compares the costs if both times have a price, otherwise the amounts. */
function Change({ unit, main, compared, isMain, pricing, currency, ...comparison }: ChangeProps) {
	const { now, before, nowSum, beforeSum } = comparison;
	const costOf = (span: Span) => {
		const money = pricing && moneyOf(within(compared, span), pricing, true);
		return money === undefined || money.sinceMs !== undefined ? 0 : -totalOf(money);
	};
	const [nowCost, beforeCost] = [costOf(now), costOf(before)];
	const isCost = nowCost > 0 && beforeCost > 0;
	if (!isCost && beforeSum === 0) return null;
	const part = isMain ? "" : formatPart(unit, now);
	const other = isMain ? t("use.by", { time: formatTime(now.toMs) }) : formatOther(unit, before, now);
	const change = isCost ? formatChange(nowCost, beforeCost, other) : formatChange(nowSum, beforeSum, other);
	return (
		<p class={isMain ? undefined : "help"}>
			{part !== "" && `${part}: `}
			<b>{change}</b> ({isCost ? moneySize(beforeCost, currency) : formatAmount(beforeSum, main)})
		</p>
	);
}

/** Today's import and export as bars, each above that of yesterday at the same time. */
function Pair({ now, before, compared, measured }: Comparison & Pick<TileProps, "compared" | "measured">) {
	const rows = (
		[
			["import_wh", "up"],
			["export_wh", "down"],
		] as const
	)
		.filter(([amount]) => measured.includes(amount))
		.flatMap(([amount, kind]) => [
			{ name: nameOf(amount), kind, wh: sumOf(within(compared, now), amount) ?? 0, amount },
			{ name: t("use.yesterday"), kind: `${kind} before`, wh: sumOf(within(compared, before), amount) ?? 0, amount },
		]);
	const longest = Math.max(1, ...rows.map(({ wh }) => wh));
	return (
		<div class="versus">
			{rows.map(({ name, kind, wh, amount }) => (
				<Fragment key={kind}>
					<span>{name}</span>
					<svg class={kind} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
						<rect width={(wh / longest) * 100} height="1" />
					</svg>
					<span class="number">{formatAmount(wh, amount)}</span>
				</Fragment>
			))}
		</div>
	);
}

/** End of the night, hours. */
const NIGHT_END = 5;
/** The month is projected after this number of days. */
const PROJECTED_DAYS = 7;

/** The highest and the lowest hour of the two days that have quarter hours, and where this month will end. */
export function Highlights({ recent: { quarters = [], days = [] }, wallMs }: Pick<TilesProps, "recent" | "wallMs">) {
	const pricing = usePricing();
	const hours = [...hoursOf(quarters)].sort((one, other) => other.watts - one.watts);
	const nights = hours.filter(({ fromMs }) => new Date(fromMs).getUTCHours() < NIGHT_END);
	const ofHour = ({ fromMs, watts }: (typeof hours)[number]) =>
		[formatPower(watts, "W", language), formatMinute(fromMs)] as const;
	const month = compare(days, "month", wallMs, "import_wh", 0);
	const { fromMs, toMs } = spanOf("month", wallMs);
	const part = month === undefined ? 0 : (month.now.toMs - fromMs) / (toMs - fromMs);
	const money = pricing && month && moneyOf(within(days, month.now), pricing, true);
	const tiles = [
		[t("use.highest"), hours.length > 0 && ofHour(hours[0])],
		[t("use.night"), nights.length >= NIGHT_END && ofHour(nights[nights.length - 1])],
		[
			t("use.projection"),
			month !== undefined &&
				month.now.toMs - fromMs >= PROJECTED_DAYS * DAY_MS && [
					`≈ ${formatAmount(month.nowSum / part, "import_wh")}`,
					money && money.sinceMs === undefined ? moneyText(totalOf(money) / part, pricing?.currency ?? "") : "",
				],
		],
	] as const;
	return (
		<div class="tiles wide small">
			{tiles.map(
				([name, value]) =>
					value && (
						<section key={name} class="card">
							<h2>{name}</h2>
							<p class="sum">
								{value[0]} <small>{value[1]}</small>
							</p>
						</section>
					),
			)}
		</div>
	);
}
