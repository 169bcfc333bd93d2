/** The history as a bar chart, as a table and as a spreadsheet file. It shows one day, month or year at a time. */
import { useEffect, useRef, useState } from "preact/hooks";
import {
	cellOf,
	formatAmount,
	formatMoney,
	formatPeriodOf,
	formatUnit,
	formatWallClock,
	moneyText,
	nameOf,
	unitOf,
} from "../kit/amounts.js";
import { type Bar, Bars, type OtherBar, type Tick } from "../kit/bars.js";
import { Choice } from "../kit/choices.js";
import { Button, Card, DownloadButton, Pending } from "../kit/components.js";
import { decimalCell } from "../kit/csv.js";
import type { DeviceError } from "../kit/device.js";
import { formatNumber, formatPower } from "../kit/format.js";
import { knownIn, load, type Recent } from "../kit/history.js";
import { useLocked } from "../kit/live.js";
import { type Money, mediumOf, moneyOf, totalOf } from "../kit/money.js";
import {
	type Amount,
	HOUR_S,
	isFine,
	KEPT,
	type Level,
	type Piece,
	QUARTER_S,
	type Span,
	spanOf,
	sumOf,
	type Unit,
	wattsPerWh,
	withoutNothing,
} from "../kit/periods.js";
import { usePricing } from "../kit/prices.js";
import type { Period } from "../kit/replies.js";
import { Table } from "../kit/table.js";
import { language, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";
import { momentOf, stampOf } from "../kit/wall-clock.js";
import { useZone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";

const UNITS: readonly Unit[] = ["day", "week", "month", "year"];
/** Number of days for which the gateway keeps quarter hours. */
const QUARTER_DAYS = 2;
/** Name of this page in the address. */
const PLACE = "#/use/";

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

/**
 * Returns what the address names: `#/use/month/2026-11-01/gas_l`. Missing parts have their defaults. `wallMs` is the
 * present time.
 */
function useAddress(usual: Unit, kinds: readonly Kind[], wallMs: number) {
	const [hash, setHash] = useState(location.hash);
	useEffect(() => {
		const follow = () => setHash(location.hash);
		addEventListener("hashchange", follow);
		return () => removeEventListener("hashchange", follow);
	}, []);
	const [unit, day, up] = hash.slice(PLACE.length).split("/");
	const shown = UNITS.find((one) => one === unit) ?? usual;
	return {
		unit: shown,
		span: spanOf(shown, Math.min(Date.parse(day ?? "") || wallMs, wallMs)),
		kind: kinds.find((one) => one.up === up) ?? kinds[0] ?? KINDS[0],
	};
}

function addressOf(unit: Unit, fromMs: number | undefined, { up }: Kind): string {
	return `${PLACE}${unit}/${fromMs === undefined ? "" : dayOf(fromMs)}${up === KINDS[0].up ? "" : `/${up}`}`;
}

function dayOf(wallMs: number): string {
	return new Date(wallMs).toISOString().slice(0, 10);
}

export function UseChart({ recent, quarters, wallMs, measured }: ChartProps) {
	const kinds = kindsOf(measured);
	const best = finest(quarters);
	const { unit, span, kind } = useAddress(best === "days" ? "month" : "day", kinds, wallMs);
	const isRecent = span.fromMs >= spanOf("day", wallMs, 1 - QUARTER_DAYS).fromMs;
	const level = unit === "year" ? "months" : unit !== "day" ? "days" : isRecent && best === "quarters" ? best : "hours";
	const before = spanOf(unit, span.fromMs, -1);
	const ago = unit === "week" ? spanOf(unit, span.fromMs, -52) : unit === "month" && spanOf(unit, span.fromMs, -12);
	// The day before yesterday has no quarter hours.
	const hasBefore = level !== "quarters" || span.toMs > wallMs;
	const wanted = [span, ...(hasBefore ? [before] : []), ...(ago ? [ago] : [])];
	const { found, error, reload } = usePieces(level, wanted, recent, wallMs);
	const [pieces] = found;
	const first = spanOf(unit, wallMs, 1 - KEPT[unit]).fromMs;
	const turn = (step: number) => {
		const { fromMs } = spanOf(unit, span.fromMs, step);
		if (fromMs >= first && fromMs <= wallMs) location.hash = addressOf(unit, fromMs, kind);
	};
	const open = (fromMs: number) => {
		const inside = unit === "year" ? "month" : "day";
		if (fromMs >= spanOf(inside, wallMs, 1 - KEPT[inside]).fromMs) location.hash = addressOf(inside, fromMs, kind);
	};
	const others = found.slice(1).map((other, index) => ({ span: wanted[index + 1], pieces: other ?? [] }));
	return (
		<Card title={t("use.title")} wide>
			{/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be for inputs */}
			<div class="segments" role="group" aria-label={t("show")}>
				{UNITS.map((one) => (
					<a key={one} href={addressOf(one, undefined, kind)} aria-current={one === unit}>
						{t(`unit.${one}`)}
					</a>
				))}
			</div>
			<div class="turns">
				<Button name="back" aria-label={t("use.back")} disabled={span.fromMs <= first} onClick={() => turn(-1)}>
					‹
				</Button>
				<h3 aria-live="polite">{formatUnit(unit, span)}</h3>
				<Button name="on" aria-label={t("use.on")} disabled={span.toMs > wallMs} onClick={() => turn(1)}>
					›
				</Button>
			</div>
			{!pieces ? (
				<Pending error={error} reload={reload} />
			) : pieces.length === 0 ? (
				<p>{t("use.none")}</p>
			) : (
				<View
					key={`${level} ${span.fromMs}`}
					{...{ unit, level, span, kind, pieces, others }}
					onOpen={unit === "day" ? undefined : (index) => open(pieces[index].fromMs)}
					onTurn={turn}
				/>
			)}
			{kinds.length > 1 && (
				<div class="tools">
					<Choice
						label={t("use.what")}
						name="kind"
						value={kind.up}
						options={kinds.map(({ name, up }) => [up, t(name)])}
						onChoose={(chosen) => {
							location.hash = addressOf(unit, span.fromMs, kinds.find(({ up }) => up === chosen) ?? kind);
						}}
					/>
				</div>
			)}
		</Card>
	);
}

/** Returns the pieces of each span, and fetches those that are not loaded yet, one after another. */
function usePieces(level: Level, spans: readonly Span[], recent: Recent, wallMs: number) {
	const { timeZone } = useZone();
	const isLocked = useLocked();
	const fetched = useRef(new Map<string, readonly Piece[]>());
	const [error, setError] = useState<DeviceError>();
	const [, draw] = useState({});
	const keyOf = ({ fromMs }: Span) => `${level} ${fromMs} ${timeZone}`;
	const missing = spans.filter((span) => knownIn(recent, level, span, wallMs) === undefined);
	const key = missing.map(keyOf).join();
	const reload = () => {
		let isLeft = false;
		const loadAll = async () => {
			for (const span of missing) {
				if (isLeft || fetched.current.has(keyOf(span))) continue;
				fetched.current.set(keyOf(span), await load(level, span, timeZone));
				draw({});
			}
		};
		setError(undefined);
		loadAll().catch((reason) => isLeft || setError(asDeviceError(reason)));
		return () => {
			isLeft = true;
		};
	};
	useEffect(reload, [key]);
	const found = spans.map((span) => {
		const pieces = knownIn(recent, level, span, wallMs) ?? fetched.current.get(keyOf(span));
		return pieces && isLocked ? withoutNothing(pieces) : pieces;
	});
	return { found, error, reload };
}

/** The pieces of another time, with which the bars are compared. */
interface Other {
	readonly span: Span;
	readonly pieces: readonly Piece[];
}

interface ViewProps {
	readonly unit: Unit;
	readonly level: Level;
	readonly span: Span;
	readonly kind: Kind;
	readonly pieces: readonly Piece[];
	/** The time before, and the same time a year ago. */
	readonly others: readonly Other[];
	readonly onOpen?: ((index: number) => void) | undefined;
	readonly onTurn?: ((step: number) => void) | undefined;
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
	const medium = mediumOf(shown[0]);
	const priced = medium && pricing;
	const currency = pricing?.currency ?? "";
	return {
		shown,
		totals: shown.map((amount) => `${nameOf(amount)}: ${formatAmount(sumOf(pieces, amount), amount)}`),
		rows: pieces.map((piece) => {
			// The base charge is not divided among the hours of a day, so it is not included in a view of hours.
			const money = priced && moneyOf([piece], priced, !isHourly(level), medium);
			return rowOf(piece, level, shown, money && totalOf(money));
		}),
		money: priced && moneyOf(pieces, priced, true, medium),
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

/**
 * Returns the length of a complete bar in seconds if the bars show mean power: hours and quarter hours of electricity,
 * unless the counter is too coarse. Otherwise bars show amounts.
 */
function powerLengthOf({ level, kind: { up }, pieces }: ViewProps): number | undefined {
	if (!isHourly(level) || up !== KINDS[0].up || !isFine(pieces)) return undefined;
	return level === "hours" ? HOUR_S : QUARTER_S;
}

/** Returns by how much an amount is multiplied to get the height of its bar, or undefined if the height is unknown. */
function factorOf(period: Period, powerS: number | undefined): number | undefined {
	return powerS === undefined ? 1 : wattsPerWh(period, powerS);
}

/** Moves the amounts of another time to the time axis of this one. */
function otherBars(view: ViewProps, other: Other | undefined, timeZone: string): OtherBar[] {
	const { unit, span, kind } = view;
	const { up } = kind;
	const powerS = powerLengthOf(view);
	const year = new Date(span.fromMs).getUTCFullYear();
	const shift = (wallMs: number) =>
		unit === "year" ? Date.UTC(year, new Date(wallMs).getUTCMonth()) : wallMs + span.fromMs - (other?.span.fromMs ?? 0);
	return (other?.pieces ?? []).flatMap(({ period, fromMs, toMs }) => {
		const from = shift(fromMs);
		const to = unit === "year" ? spanOf("month", from).toMs : from + toMs - fromMs;
		const amount = period[up];
		const factor = factorOf(period, powerS);
		if (period.gap || amount === undefined || factor === undefined || from >= span.toMs) return [];
		return { from: momentOf(from, timeZone), to: momentOf(to, timeZone), up: amount * factor };
	});
}

function PieceBars(props: ViewProps & ViewData) {
	const { level, span, kind, pieces, shown, totals, rows, currency, others, onOpen, onTurn } = props;
	const { up, down } = kind;
	const { timeZone } = useZone();
	const powerS = powerLengthOf(props);
	const bars: readonly Bar[] = pieces.map((piece, index) => {
		const { period } = piece;
		const { time, amounts, balance, remark } = rows[index];
		const paid = balance === undefined ? "" : moneyText(balance, currency);
		const factor = factorOf(period, powerS);
		const words = amounts.map((amount, i) => {
			const wh = period[shown[i]];
			const figure =
				powerS && factor && wh !== undefined ? `${formatPower(wh * factor, "W", language)} (${amount})` : amount;
			return shown.length > 1 ? `${nameOf(shown[i]).toLocaleLowerCase(language)} ${figure}` : figure;
		});
		return {
			from: period.start,
			to: endOf(piece, level, index === pieces.length - 1, timeZone),
			up: (period[up] ?? 0) * (factor ?? 0),
			down: ((down && period[down]) ?? 0) * (factor ?? 0),
			kind: period.gap || factor === undefined ? "gap" : period.interpolated || period.partial ? "soft" : "plain",
			isMarked: period.meter_changed === true || period.wrapped === true,
			text: `${time}: ${[...words, paid, remark].filter((word) => word !== "").join(", ")}`,
		};
	});
	const heights = bars.flatMap((bar, index) =>
		bar.kind === "gap" || pieces[index].period[up] === undefined ? [] : bar.up,
	);
	const highest = heights.length === 0 ? undefined : Math.max(...heights);
	const max = powerS && highest !== undefined ? formatPower(highest, "W", language) : formatAmount(highest, up);
	return (
		<Bars
			bars={bars}
			before={otherBars(props, others[0], timeZone)}
			ago={otherBars(props, others[1], timeZone)}
			onOpen={onOpen}
			onTurn={onTurn}
			from={momentOf(span.fromMs, timeZone)}
			to={momentOf(span.toMs, timeZone)}
			ticks={ticksOf(level, span, timeZone)}
			description={t("use.describe", { n: bars.length, sum: totals.join(", "), max })}
			format={(value) => `${formatNumber(value / 1000, language)} ${powerS ? "kW" : unitOf(up)}`}
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
	const kind = kindsOf(measured)[0] ?? KINDS[0];
	const view: ViewProps = { unit: "day", level: "quarters", span, kind, pieces, others: [] };
	return <PieceBars {...view} {...useViewData(view)} />;
}

function View(view: ViewProps) {
	const { unit, level, span, kind, pieces, others } = view;
	const { timeZone, zoneName } = useZone();
	const data = useViewData(view);
	const { shown, totals, rows, money, currency } = data;
	const balanceName = t(isHourly(level) && money?.base ? "money.energy" : "money.balance");
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
				{others.map(({ span: time, pieces: past }, index) => (
					<span key={time.fromMs} class={index === 0 ? "before" : "ago"}>
						{formatUnit(unit, time)}: {formatAmount(sumOf(past, kind.up), kind.up)}
					</span>
				))}
			</p>
			{money && <MoneyLegend {...{ money, currency, name: nameOf(shown[0]) }} />}
			<p class="legend help">
				{MARKS.filter((mark) => pieces.some(({ period }) => period[mark])).map((mark) => (
					<span key={mark} class={STYLES[mark]}>
						{t(`mark.${mark}`)}
					</span>
				))}
			</p>
			{isHourly(level) && <p class="help">{t("zone.shown", { zone: zoneName })}</p>}
			<Table
				heads={[t("readings.time"), ...shown.map(nameOf), ...(money ? [balanceName] : []), t("use.remark")]}
				rows={rows.map(({ time, amounts, balance, remark }) => [
					time,
					...amounts,
					...(money ? [balance === undefined ? "" : formatMoney(balance, currency)] : []),
					remark,
				])}
			/>
			<div class="actions">
				<DownloadButton
					name={`${dayOf(span.fromMs).slice(0, unit === "year" ? 4 : unit === "month" ? 7 : 10)} ${t("nav.use")}`}
					rows={() => tableOf(pieces, data, timeZone, `${balanceName} (${currency})`)}
				/>
			</div>
		</>
	);
}

function isHourly(level: Level): boolean {
	return level === "quarters" || level === "hours";
}

function MoneyLegend({ money, currency, name }: { money: Money; currency: string; name: string }) {
	const { imported, exported, base, isEstimated, sinceMs } = money;
	const items = [
		[name, imported],
		[t("counter.export"), exported],
		[t("price.base"), base],
	] as const;
	return (
		<>
			<p class="legend money">
				{items.map(
					([name, micro]) => micro !== 0 && <span key={name}>{`${name}: ${formatMoney(micro, currency)}`}</span>,
				)}
				<b>{moneyText(totalOf(money), currency)}</b>
			</p>
			{isEstimated && <p class="help">{t("money.estimated")}</p>}
			{sinceMs !== undefined && <p class="help">{t("money.incomplete", { day: formatWallClock(sinceMs) })}</p>}
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
	if (isHourly(level)) {
		return [0, 6, 12, 18].map((hour) => {
			const tick = at(fromMs + hour * HOUR_MS, format({ hour: "numeric" }));
			return { ...tick, text: language === "de" ? `${hour} Uhr` : language === "pl" ? `${hour}:00` : tick.text };
		});
	}
	if (toMs - fromMs === 7 * DAY_MS)
		return Array.from({ length: 7 }, (_, day) => at(fromMs + day * DAY_MS, format({ weekday: "short" }), DAY_MS / 2));
	if (level === "days") {
		const days = Array.from({ length: Math.round((toMs - fromMs) / DAY_MS) }, (_, index) => index);
		return days
			.filter((day) => day % 7 === 0)
			.map((day) => at(fromMs + day * DAY_MS, format({ day: "numeric" }), DAY_MS / 2));
	}
	const year = new Date(fromMs).getUTCFullYear();
	return Array.from({ length: 12 }, (_, month) => at(Date.UTC(year, month), format({ month: "narrow" }), 15 * DAY_MS));
}
