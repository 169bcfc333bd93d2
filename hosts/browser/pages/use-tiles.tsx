/**
 * Consumption today, yesterday, this month and this year, each compared with the same time one day, month or year
 * earlier.
 */
import {
	formatAmount,
	formatChange,
	formatOther,
	formatPart,
	formatWallClock,
	moneyText,
	nameOf,
} from "../kit/amounts.js";
import { Card, Fact, Facts } from "../kit/components.js";
import type { Recent } from "../kit/history.js";
import { moneyOf, totalOf } from "../kit/money.js";
import { type Amount, type Comparison, compare, type Piece, spanOf, sumOf, type Unit, within } from "../kit/periods.js";
import { usePricing } from "../kit/prices.js";
import { t } from "../kit/text.js";

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
			<Tile {...common} name={t("use.month")} unit="month" pieces={days} compared={days} />
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
	readonly wide?: boolean;
}

export function Tile({ name, unit, wallMs, measured, pieces, compared, wide = false }: TileProps) {
	const pricing = usePricing();
	const span = spanOf(unit, wallMs);
	const inside = within(pieces, span);
	const [main, ...others] = measured;
	const money = pricing && measured.includes("import_wh") ? moneyOf(inside, pricing, true) : undefined;
	const comparison = main && compare(compared, unit, wallMs, main);
	const isLate = inside.length > 0 && inside[0].fromMs > span.fromMs + 60_000;
	return (
		<Card title={name} wide={wide}>
			<p class="sum">
				{main === undefined ? (
					"–"
				) : (
					<>
						{formatAmount(sumOf(inside, main), main).replace("\u00a0", " ")} <small>{nameOf(main)}</small>
					</>
				)}
			</p>
			{comparison && <Change unit={unit} amount={main} {...comparison} />}
			<Facts>
				{others.map((amount) => (
					<Fact key={amount} name={nameOf(amount)}>
						{formatAmount(sumOf(inside, amount), amount)}
					</Fact>
				))}
				{money && (
					<Fact name={since(t("money.balance"), money.sinceMs)}>
						{money.isEstimated && "≈ "}
						{moneyText(totalOf(money), pricing?.currency ?? "")}
					</Fact>
				)}
			</Facts>
			{isLate && <p class="help">{t("sessions.since", { time: formatWallClock(inside[0].fromMs) })}</p>}
		</Card>
	);
}

/** Adds to a sum's name the beginning of the time that it covers. */
function since(name: string, fromMs: number | undefined): string {
	return fromMs === undefined ? name : `${name} ${t("sessions.since", { time: formatWallClock(fromMs) })}`;
}

function Change({ unit, amount, now, before, nowSum, beforeSum }: Comparison & { unit: Unit; amount: Amount }) {
	const part = formatPart(unit, now);
	return (
		<p class="help">
			{part !== "" && `${part}: `}
			<b>{formatChange(nowSum, beforeSum)}</b>{" "}
			{t("use.against", { other: formatOther(unit, before), amount: formatAmount(beforeSum, amount) })}
		</p>
	);
}
