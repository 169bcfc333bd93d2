/**
 * Consumption from the history, and the meter's own load profile. The overview's cards are in this file too, so that
 * both pages share one script.
 */
import { useEffect, useState } from "preact/hooks";
import { AMOUNTS, formatMinute, moneyRate, moneyText } from "../kit/amounts.js";
import { Card, ErrorNotice, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { past, rate } from "../kit/curve-points.js";
import type { DeviceError } from "../kit/device.js";
import { formatNumber } from "../kit/format.js";
import { load, loadHours, loadRecent, loadToday, type Recent } from "../kit/history.js";
import { power, type Readout, readout, status, useHasPart, useLocked } from "../kit/live.js";
import { activeTariff, moneyOf, tariffsOf, totalOf } from "../kit/money.js";
import { type Amount, highestOf, type Piece, spanOf, within, withoutNothing } from "../kit/periods.js";
import { peakOf } from "../kit/power.js";
import { ALWAYS, fine, isByClock, loadPrices, usePricing } from "../kit/prices.js";
import type { PeaksStatus, PricePeriod } from "../kit/replies.js";
import { display } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { addStyle } from "../kit/style.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { useIsZoneKnown, useZone } from "../kit/zone.js";
import style from "../use.css?inline";
import { BackfillCard } from "./backfill.js";
import { CountersCard } from "./counters.js";
import { LockedNotice } from "./locked-notice.js";
import { PhasesCard } from "./phases.js";
import { PriceCurve } from "./price-curve.js";
import { ProfileCard } from "./profile.js";
import { DayBars, UseChart } from "./use-chart.js";
import { Highlights, Tile, UseTiles } from "./use-tiles.js";

addStyle(style);

/** Interval at which the history can change: it gets at most one new entry per quarter hour. */
const QUARTER_S = 900;
const READ_S = 90;

export function Use() {
	const isDisplay = useStore(display);
	const hasPart = useHasPart();
	const last = useStore(readout);
	const mayHaveProfile = !isDisplay && (last === undefined || canHaveProfile(last));
	return (
		<div class="cards">
			<History />
			{mayHaveProfile && (
				<div class="cards wide unprinted">
					{hasPart("backfill") && <BackfillCard />}
					<ProfileCard />
				</div>
			)}
		</div>
	);
}

/** Returns false for a meter that can't be asked for a load profile: it sends by itself, or its protocol has none. */
function canHaveProfile({ protocol, mode, readings }: Readout): boolean {
	if (readings.length === 0) return true;
	return protocol === "DLMS/COSEM" || (protocol === "IEC62056-21" && mode !== "A" && mode !== "D");
}

/** Removes unknown amounts, because a meter that waits for its PIN does not send all amounts. */
function withoutUnknown(recent: Recent): Recent {
	return Object.fromEntries(Object.entries(recent).map(([span, pieces]) => [span, withoutNothing(pieces)]));
}

/**
 * Returns the amounts that the meter measures. A meter that waits for its PIN measures electricity but does not send
 * it. Most meters count exported energy; homes without it have none.
 */
function measuredIn(pieces: readonly Piece[], isLocked: boolean): readonly Amount[] {
	const has = (amount: Amount) =>
		amount === "export_wh"
			? pieces.some(({ period }) => period.export_wh)
			: pieces.some(({ period }) => period[amount] !== undefined);
	return AMOUNTS.filter((amount) => (isLocked && amount === "import_wh") || has(amount));
}

interface Past {
	readonly recent: Recent;
	readonly error: DeviceError | undefined;
	readonly wallMs: number;
	readonly isLocked: boolean;
	reload(): Promise<void>;
}

/** Loads the history, and loads it again after each quarter hour. `wallMs` is 0 until the clock is set. */
function useHistory(loadAll: typeof loadRecent): Past {
	const now = useStore(status);
	const hasPart = useHasPart();
	const { timeZone } = useZone();
	const [recent, setRecent] = useState<Recent>({});
	const [error, setError] = useState<DeviceError>();
	const isLocked = useLocked();
	const isSet = useIsZoneKnown() && now?.clock_valid === true;
	const wallMs = isSet ? Date.parse(`${now.localtime.slice(0, 19)}Z`) : 0;
	const reload = async () => {
		if (!isSet) return;
		setError(undefined);
		// The prices are requested first, so that costs are shown together with their amounts.
		const pricing = hasPart("prices") ? loadPrices().catch(() => undefined) : undefined;
		// Old data stay until new data arrive, so that the chart keeps the user's choices.
		const put = (loaded: Recent) => setRecent((old) => ({ ...old, ...loaded }));
		let quarters: readonly Piece[] = [];
		const keep = (loaded: Recent) => {
			quarters = loaded.quarters ?? quarters;
			put(loaded);
		};
		await loadAll(wallMs, timeZone, keep).catch((reason) => setError(asDeviceError(reason)));
		const now = await pricing;
		if (now === undefined) return;
		const { fromMs } = spanOf("day", wallMs, -1);
		const needsHours = isByClock(now) && loadAll === loadRecent;
		const hours = needsHours ? await loadHours(fromMs, timeZone).catch(() => []) : [];
		fine.set([...hours, ...quarters]);
	};
	useEffect(() => {
		reload();
	}, [isSet && Math.floor((now.timestamp - READ_S) / QUARTER_S)]);
	return { recent: isLocked ? withoutUnknown(recent) : recent, error, reload, wallMs, isLocked };
}

/** Shows all cards together, so that nothing moves later. */
export function OverviewCards() {
	const history = useHistory(loadToday);
	const { recent, error, wallMs } = history;
	useTrace(history);
	useRate(wallMs);
	if (wallMs > 0 && recent.quarters === undefined && error === undefined) return <p class="pending">{t("loading")}</p>;
	return (
		<>
			<TodayCards history={history} />
			<PriceCurve />
			<PhasesCard />
			<CountersCard />
		</>
	);
}

/** Gives the card of the power its past. */
function useTrace({ recent: { quarters = [] }, isLocked }: Past): void {
	useEffect(() => {
		const known = quarters.filter(({ period }) => !isLocked && period.import_wh !== undefined);
		past.set(
			known.flatMap(({ period: { start, end, import_wh = 0, export_wh = 0, gap } }) => {
				const value = ((import_wh - export_wh) * 3600) / (end - start);
				return (gap ? [start, end] : [(start + end) / 2]).map((atS) => ({ atMs: atS * 1000, value }));
			}),
		);
	}, [quarters, isLocked]);
}

/** Tells the card of the power what it costs in an hour. Of two tariffs, the meter must say which one is active. */
function useRate(wallMs: number): void {
	const pricing = usePricing();
	const now = useStore(power);
	const tariff = activeTariff(useStore(readout)?.readings ?? []);
	useEffect(() => {
		const wh = now?.unit === "W" ? now.watts : 0;
		const start = status.value?.timestamp ?? 0;
		const import_wh = Math.max(0, wh);
		const second = tariff && { import_t2_wh: tariff === 2 ? import_wh : 0 };
		const period = { start, end: start + 3600, localtime: "", import_wh, export_wh: Math.max(0, -wh), ...second };
		const piece = { period, fromMs: wallMs, toMs: wallMs + 1 };
		const money = pricing && moneyOf([piece], pricing, false);
		const isKnown = money !== undefined && !money.isEstimated && money.sinceMs === undefined && totalOf(money) !== 0;
		rate.set(isKnown ? `≈\u00a0${moneyRate(totalOf(money), pricing?.currency ?? "")}` : "");
	});
}

/** Shows nothing if there are no data. */
function TodayCards({ history: { recent, wallMs, isLocked } }: { history: Past }) {
	const { quarters, days = [] } = recent;
	const measured = measuredIn(days, isLocked);
	if (quarters === undefined || days.length === 0 || measured.length === 0) return null;
	const span = spanOf("day", wallMs);
	const yesterdayMs = span.fromMs - 1;
	const pieces = within(quarters, span);
	const hasYesterday = within(days, spanOf("day", yesterdayMs)).length > 0;
	const common = { measured, unit: "day", pieces: days } as const;
	return (
		<>
			<Tile {...common} name={t("use.today")} wallMs={wallMs} compared={quarters} isMain />
			<Card title={t("today.bars")} wide>
				{pieces.length > 0 && <DayBars {...{ pieces, span, measured }} />}
				<PeakFact quarters={isLocked ? [] : quarters} />
				<p>
					<a href="#/use">{t("today.more")}</a>
				</p>
			</Card>
			{hasYesterday && <Tile {...common} name={t("use.yesterday")} wallMs={yesterdayMs} compared={[]} />}
		</>
	);
}

function formatKW(watts: number): string {
	return `${formatNumber(watts / 1000, language, 2, 2)} kW`;
}

/**
 * Shows the highest power: of the billing period, if the meter records it; otherwise of the month, if the gateway
 * records it; otherwise of the two days for which the history has quarter hours. Also shows the gateway's running
 * interval.
 */
function PeakFact({ quarters }: { quarters: readonly Piece[] }) {
	const metered = peakOf(useStore(readout)?.readings ?? []);
	const { peak_w, peak_mean_w, peak_forecast_w } = useStore(status) ?? {};
	const highest = highestOf(quarters);
	if ((metered ?? peak_w ?? peak_mean_w ?? highest) === undefined) return null;
	return (
		<Facts>
			{metered !== undefined ? (
				<Fact name={t("peak.period")}>{formatKW(metered)}</Fact>
			) : peak_w !== undefined ? (
				<Fact name={t("peak.month")}>{formatKW(peak_w)}</Fact>
			) : (
				highest !== undefined && (
					<Fact name={t("peak.days")}>
						{formatKW(highest.watts)} ({formatMinute(highest.fromMs)})
					</Fact>
				)
			)}
			{peak_mean_w !== undefined && (
				<Fact name={t("peak.now")}>
					{formatKW(peak_mean_w)}
					{peak_forecast_w !== undefined && `, ${formatKW(peak_forecast_w)}`}
				</Fact>
			)}
		</Facts>
	);
}

function History() {
	const now = useStore(status);
	const isDisplay = useStore(display);
	const { recent, error, reload, wallMs, isLocked } = useHistory(loadRecent);
	const isSet = wallMs !== 0;

	const { quarters, days, months } = recent;
	if (now !== undefined && !isSet) return <Notice kind="warning">{t("clock.unset")}</Notice>;
	if (days === undefined) return <Pending error={error} reload={reload} />;
	const all = [...days, ...(quarters ?? []), ...(months ?? [])];
	const measured = measuredIn(all, isLocked);
	if (all.length === 0 && months !== undefined) return <Notice kind="info">{t("use.empty")}</Notice>;
	return (
		<>
			{error && <ErrorNotice error={error} retry={reload} />}
			{isLocked && <LockedNotice />}
			{quarters === undefined ? (
				<Card wide>
					<p class="pending">{t("loading")}</p>
				</Card>
			) : (
				<UseChart {...{ recent, quarters, wallMs, measured }} />
			)}
			<PriceCurve />
			<UseTiles {...{ recent, wallMs, measured }} />
			{measured.includes("import_wh") && !isLocked && <Highlights {...{ recent, wallMs }} />}
			{now?.peak_w !== undefined && <PeaksCard />}
			{!isDisplay && measured.length > 0 && (
				<p>
					<a href="#/system">{t("price.title")}</a>
				</p>
			)}
		</>
	);
}

/** The intervals of which the month's peak consists, the highest first. */
function PeaksCard() {
	const { value } = useDevice<PeaksStatus>("peaks/status");
	if (value === undefined || value.highest.length === 0) return null;
	return (
		<Card title={t("peak.month")}>
			<Facts>
				{value.highest.map(({ start, localtime, mean_w }) => (
					<Fact key={start} name={formatMinute(Date.parse(`${localtime.slice(0, 19)}Z`))}>
						{formatKW(mean_w)}
					</Fact>
				))}
			</Facts>
		</Card>
	);
}

/** Loads the consumption of yesterday. It is undefined before it has arrived, and on a day without readings. */
function useYesterday(): Piece | undefined {
	const [piece, setPiece] = useState<Piece>();
	const now = useStore(status);
	const { timeZone } = useZone();
	const date = now?.clock_valid === true ? now.localtime.slice(0, 10) : undefined;
	useEffect(() => {
		if (date === undefined) return;
		load("days", spanOf("day", Date.parse(date), -1), timeZone).then(
			([yesterday]) => setPiece(yesterday),
			() => undefined,
		);
	}, [date, timeZone]);
	return piece;
}

export interface PricePreviewProps {
	readonly period: PricePeriod;
	readonly currency: string;
}

/** Says what yesterday would have cost with these prices. The form of the prices loads this script for it. */
export function PricePreview({ period, currency }: PricePreviewProps) {
	const yesterday = useYesterday();
	const last = useStore(readout);
	const pricing = { periods: [{ ...period, from: ALWAYS }], ...tariffsOf(last?.readings ?? []) };
	const money = yesterday && Number.isFinite(period.import_micro) ? moneyOf([yesterday], pricing, true) : undefined;
	if (money === undefined) return null;
	return (
		<p class="help" role="status">
			{t("price.preview", { money: moneyText(totalOf(money), currency) })}
		</p>
	);
}
