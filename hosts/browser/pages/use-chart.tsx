/** The history as a bar chart, as a table and as a spreadsheet file. It shows one day, month or year at a time. */
import { useEffect, useState } from "preact/hooks";
import {
	cellOf,
	formatAmount,
	formatMoney,
	formatPeriodOf,
	formatUnit,
	moneyText,
	nameOf,
	unitOf,
} from "../kit/amounts.js";
import { type Bar, Bars, type Tick } from "../kit/bars.js";
import { Choice } from "../kit/choices.js";
import { Button, Card, DownloadButton, Pending } from "../kit/components.js";
import { decimalCell } from "../kit/csv.js";
import type { DeviceError } from "../kit/device.js";
import { formatNumber } from "../kit/format.js";
import { load, type Recent } from "../kit/history.js";
import { useLocked } from "../kit/live.js";
import { type Money, moneyOf, totalOf } from "../kit/money.js";
import {
	type Amount,
	type Level,
	type Piece,
	type Span,
	spanOf,
	sumOf,
	VIEWS,
	within,
	withoutNothing,
} from "../kit/periods.js";
import { usePricing } from "../kit/prices.js";
import { Table } from "../kit/table.js";
import { language, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";
import { momentOf, stampOf } from "../kit/wall-clock.js";
import { useZone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";

const LEVELS: readonly Level[] = ["quarters", "hours", "days", "months"];

/** Kind of chart. One amount is drawn upwards from the zero line, and the other one downwards. */
interface Kind {
	readonly name: TextKey;
	readonly up: Amount;
	readonly down?: Amount;
}
const KINDS: readonly Kind[] = [
	{ name: "use.energy", up: "import_wh", down: "export_wh" },
	{ name: "use.gas", up: "gas_l" },
	{ name: "use.water", up: "water_l" },
	{ name: "use.heat", up: "heat_wh" },
];

function kindsOf(measured: readonly Amount[]): readonly Kind[] {
	return KINDS.filter(({ up, down }) => measured.includes(up) || (down !== undefined && measured.includes(down)));
}

const MARKS = ["gap", "interpolated", "partial", "meter_changed", "wrapped", "from_meter"] as const;
const STYLES = {
	gap: "gap",
	interpolated: "soft",
	partial: "soft",
	meter_changed: "dot",
	wrapped: "dot",
	from_meter: "plain",
} as const;

/** Returns the finest level for which the meter is read often enough. */
function finest(quarters: readonly Piece[]): Level {
	const sure = quarters.filter(({ period }) => !period.gap).length;
	if (sure >= quarters.length / 2 && sure > 3) return "quarters";
	return quarters.length > 3 ? "hours" : "days";
}

interface ChartProps {
	readonly recent: Recent;
	readonly quarters: readonly Piece[];
	readonly wallMs: number;
	readonly measured: readonly Amount[];
}

export function UseChart({ recent, quarters, wallMs, measured }: ChartProps) {
	const kinds = kindsOf(measured);
	const [kind = KINDS[0], setKind] = useState(kinds[0]);
	const [level, setLevel] = useState<Level>(() => finest(quarters));
	const [steps, setSteps] = useState(0);
	const { unit, kept } = VIEWS[level];
	const span = spanOf(unit, wallMs, steps);
	// The latest two units are already loaded.
	const known = steps > -2 && level !== "hours" ? recent[level] : undefined;
	const { pieces, error, reload } = usePieces(level, span, known);
	const choose = (next: Level) => {
		setLevel(next);
		setSteps(0);
	};
	return (
		<Card title={t("use.title")} wide>
			<div class="tools">
				<Choice
					label={t("show")}
					name="by"
					value={level}
					options={LEVELS.map((one) => [one, t(`level.${one}`)])}
					onChoose={(chosen) => choose(chosen as Level)}
				/>
				{kinds.length > 1 && (
					<Choice
						label={t("use.what")}
						name="kind"
						value={kind.up}
						options={kinds.map(({ name, up }) => [up, t(name)])}
						onChoose={(chosen) => setKind(kinds.find(({ up }) => up === chosen) ?? kinds[0])}
					/>
				)}
			</div>
			<div class="turns">
				<Button name="back" aria-label={t("use.back")} disabled={steps <= 1 - kept} onClick={() => setSteps(steps - 1)}>
					‹
				</Button>
				<h3 aria-live="polite">{formatUnit(unit, span)}</h3>
				<Button name="on" aria-label={t("use.on")} disabled={steps >= 0} onClick={() => setSteps(steps + 1)}>
					›
				</Button>
			</div>
			{pieces === undefined ? (
				<Pending error={error} reload={reload} />
			) : pieces.length === 0 ? (
				<p>{t("use.none")}</p>
			) : (
				<View key={`${level} ${span.fromMs}`} {...{ level, span, kind, pieces }} />
			)}
		</Card>
	);
}

/** Returns the `known` pieces. If they are undefined, fetches the pieces. */
function usePieces(level: Level, span: Span, known: readonly Piece[] | undefined) {
	const { timeZone } = useZone();
	const isLocked = useLocked();
	const key = `${level} ${span.fromMs}`;
	const [fetched, setFetched] = useState<{ key: string; pieces?: readonly Piece[]; error?: DeviceError }>();
	const isKnown = known !== undefined;
	const reload = () => {
		if (isKnown) return;
		setFetched({ key });
		load(level, span, timeZone).then(
			(pieces) => setFetched((now) => (now?.key === key ? { key, pieces } : now)),
			(reason) => setFetched((now) => (now?.key === key ? { key, error: asDeviceError(reason) } : now)),
		);
	};
	useEffect(reload, [key, isKnown, timeZone]);
	const own = fetched?.key === key ? fetched : undefined;
	const pieces = known ? within(known, span) : own?.pieces;
	return { pieces: pieces && isLocked ? withoutNothing(pieces) : pieces, error: own?.error, reload };
}

interface ViewProps {
	readonly level: Level;
	readonly span: Span;
	readonly kind: Kind;
	readonly pieces: readonly Piece[];
}

interface ViewData {
	/** Amounts that are shown. The first one is drawn upwards. */
	readonly shown: readonly Amount[];
	readonly totals: readonly string[];
	readonly rows: readonly Row[];
	/** Undefined if there is no price. */
	readonly money: Money | undefined;
	readonly currency: string;
}

function useViewData({ level, kind: { up, down }, pieces }: ViewProps): ViewData {
	const pricing = usePricing();
	const known = [up, down].filter((amount) => amount !== undefined && sumOf(pieces, amount) !== undefined) as Amount[];
	const shown = known.length === 0 ? [up] : known;
	const priced = shown.includes("import_wh") ? pricing : undefined;
	const currency = pricing?.currency ?? "";
	return {
		shown,
		totals: shown.map((amount) => `${nameOf(amount)}: ${formatAmount(sumOf(pieces, amount), amount)}`),
		rows: pieces.map((piece) => {
			// The base charge is not divided among the hours of a day, so it is not included in a view of hours.
			const money = priced && moneyOf([piece], priced, !unitIsDay(level));
			return rowOf(piece, level, shown, money && totalOf(money));
		}),
		money: priced && moneyOf(pieces, priced, true),
		currency,
	};
}

/**
 * Returns the end of a bar. The last bar of a view of days or months is as wide as its whole period, even before that
 * period has ended.
 */
function endOf(piece: Piece, level: Level, isLast: boolean, timeZone: string): number {
	const { period, fromMs } = piece;
	if (!isLast || !period.partial || period.gap || level === "quarters" || level === "hours") return period.end;
	return Math.max(period.end, momentOf(spanOf(level === "days" ? "day" : "month", fromMs).toMs, timeZone));
}

function PieceBars({ level, span, kind, pieces, shown, totals, rows, currency }: ViewProps & ViewData) {
	const { up, down } = kind;
	const { timeZone } = useZone();
	const bars: readonly Bar[] = pieces.map((piece, index) => {
		const { period } = piece;
		const { time, amounts, balance, remark } = rows[index];
		const paid = balance === undefined ? "" : moneyText(balance, currency);
		const words = amounts.map((amount, i) =>
			shown.length > 1 ? `${nameOf(shown[i]).toLocaleLowerCase(language)} ${amount}` : amount,
		);
		return {
			from: period.start,
			to: endOf(piece, level, index === pieces.length - 1, timeZone),
			up: period[up] ?? 0,
			down: (down && period[down]) ?? 0,
			kind: period.gap ? "gap" : period.interpolated || period.partial ? "soft" : "plain",
			isMarked: period.meter_changed === true || period.wrapped === true,
			text: `${time}: ${[...words, paid, remark].filter((word) => word !== "").join(", ")}`,
		};
	});
	const heights = pieces.flatMap(({ period }) => (period.gap ? [] : (period[up] ?? [])));
	const highest = heights.length === 0 ? undefined : Math.max(...heights);
	return (
		<Bars
			bars={bars}
			from={momentOf(span.fromMs, timeZone)}
			to={momentOf(span.toMs, timeZone)}
			ticks={ticksOf(level, span, timeZone)}
			description={t("use.describe", { n: bars.length, sum: totals.join(", "), max: formatAmount(highest, up) })}
			format={(value) => `${formatNumber(value / 1000, language)} ${unitOf(up)}`}
		/>
	);
}

interface DayBarsProps {
	/** Quarter hours of one day. There is at least one. */
	readonly pieces: readonly Piece[];
	readonly span: Span;
	readonly measured: readonly Amount[];
}

/**
 * The quarter hours of a day as bars, for the overview. Shows electricity, or the first amount that the meter measures.
 */
export function DayBars({ pieces, span, measured }: DayBarsProps) {
	const view: ViewProps = { level: "quarters", span, kind: kindsOf(measured)[0] ?? KINDS[0], pieces };
	return <PieceBars {...view} {...useViewData(view)} />;
}

function View(view: ViewProps) {
	const { level, span, kind, pieces } = view;
	const { timeZone, zoneName } = useZone();
	const data = useViewData(view);
	const { shown, totals, rows, money, currency } = data;
	const balanceName = t(unitIsDay(level) && money?.base ? "money.energy" : "money.balance");
	return (
		<>
			<PieceBars {...view} {...data} />
			<p class="legend">
				<b>{t("use.total")}</b>
				{totals.map((total, index) => (
					<span key={total} class={shown[index] === kind.down ? "down" : "up"}>
						{total}
					</span>
				))}
			</p>
			{money && <MoneyLegend {...{ money, currency }} />}
			<p class="legend help">
				{MARKS.filter((mark) => pieces.some(({ period }) => period[mark])).map((mark) => (
					<span key={mark} class={STYLES[mark]}>
						{t(`mark.${mark}`)}
					</span>
				))}
			</p>
			{unitIsDay(level) && <p class="help">{t("zone.shown", { zone: zoneName })}</p>}
			<Table
				heads={[t("readings.time"), ...shown.map(nameOf), ...(money ? [balanceName] : []), t("use.remark")]}
				rows={rows.map(({ time, amounts, balance, remark }) => [
					time,
					...amounts,
					...(money ? [balance === undefined ? "" : moneyText(balance, currency)] : []),
					remark,
				])}
			/>
			<div class="actions">
				<DownloadButton
					name={`${t("nav.use")} ${formatUnit(VIEWS[level].unit, span)}`}
					rows={() => tableOf(pieces, data, timeZone, `${balanceName} (${currency})`)}
				/>
			</div>
		</>
	);
}

function unitIsDay(level: Level): boolean {
	return VIEWS[level].unit === "day";
}

function MoneyLegend({ money, currency }: { money: Money; currency: string }) {
	const { imported, exported, base, isEstimated, sinceMs } = money;
	const items = [
		[t("counter.import"), imported],
		[t("counter.export"), exported],
		[t("price.base"), base],
	] as const;
	return (
		<>
			<p class="legend money">
				{items.map(
					([name, micro]) => micro !== 0 && <span key={name}>{`${name}: ${formatMoney(micro, currency)}`}</span>,
				)}
				<b>
					{t("money.balance")}: {moneyText(totalOf(money), currency)}
				</b>
			</p>
			{isEstimated && <p class="help">{t("money.estimated")}</p>}
			{sinceMs !== undefined && <p class="help">{t("money.incomplete")}</p>}
		</>
	);
}

interface Row {
	readonly time: string;
	readonly amounts: readonly string[];
	/** Earnings minus costs in millionths of the currency; undefined if there is no price. */
	readonly balance: number | undefined;
	readonly remark: string;
}

function remarkOf({ period }: Piece): string {
	return MARKS.filter((mark) => period[mark])
		.map((mark) => t(`mark.${mark}`))
		.join(", ");
}

function rowOf(piece: Piece, level: Level, shown: readonly Amount[], balance: number | undefined): Row {
	return {
		time: formatPeriodOf(level, piece),
		amounts: shown.map((amount) => formatAmount(piece.period[amount], amount)),
		balance,
		remark: remarkOf(piece),
	};
}

/** Makes the table for a spreadsheet. Times are in the gateway's zone with their offset, and amounts are exact. */
function tableOf(
	pieces: readonly Piece[],
	{ shown, rows, money }: ViewData,
	timeZone: string,
	balanceHead: string,
): readonly (readonly string[])[] {
	const heads = [
		t("use.from"),
		t("use.to"),
		...shown.map((amount) => `${nameOf(amount)} (${unitOf(amount)})`),
		...(money ? [balanceHead] : []),
		t("use.remark"),
	];
	const cells = pieces.map(({ period }, index) => {
		const { balance, remark } = rows[index];
		return [
			period.localtime,
			stampOf(period.end, timeZone),
			...shown.map((amount) => cellOf(period[amount])),
			...(money ? [balance === undefined ? "" : decimalCell((balance / 1e6).toFixed(4), language)] : []),
			remark,
		];
	});
	return [heads, ...cells];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Returns the labels of the time axis. Hours are at their positions; days and months are in the middle of their bars.
 */
function ticksOf(level: Level, { fromMs, toMs }: Span, timeZone: string): readonly Tick[] {
	const format = (options: Intl.DateTimeFormatOptions) =>
		new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
	const at = (wallMs: number, text: Intl.DateTimeFormat, middleMs = 0) => ({
		at: momentOf(wallMs + middleMs, timeZone),
		text: text.format(wallMs),
	});
	if (unitIsDay(level)) return [0, 6, 12, 18].map((hour) => at(fromMs + hour * HOUR_MS, format({ hour: "numeric" })));
	if (level === "days") {
		const days = Array.from({ length: Math.round((toMs - fromMs) / DAY_MS) }, (_, index) => index);
		return days
			.filter((day) => day % 7 === 0)
			.map((day) => at(fromMs + day * DAY_MS, format({ day: "numeric" }), DAY_MS / 2));
	}
	const year = new Date(fromMs).getUTCFullYear();
	return Array.from({ length: 12 }, (_, month) => at(Date.UTC(year, month), format({ month: "narrow" }), 15 * DAY_MS));
}
