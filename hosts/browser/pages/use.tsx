/**
 * Consumption from the history, and the meter's own load profile. The overview's cards are in this file too, so that
 * both pages share one script.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { AMOUNTS, formatMinute, moneyText } from "../kit/amounts.js";
import { Card, ErrorNotice, Fact, Facts, Notice, Pending } from "../kit/components.js";
import type { DeviceError } from "../kit/device.js";
import { formatNumber } from "../kit/format.js";
import { load, loadRecent, loadToday, type Recent } from "../kit/history.js";
import { type Readout, readout, status, useHasPart, useLocked } from "../kit/live.js";
import { moneyOf, tariff2Share, totalOf } from "../kit/money.js";
import { type Amount, highestOf, type Piece, spanOf, within, withoutNothing } from "../kit/periods.js";
import { peakOf } from "../kit/power.js";
import { ALWAYS, loadPrices } from "../kit/prices.js";
import type { PricePeriod } from "../kit/replies.js";
import { display } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import { BackfillCard } from "./backfill.js";
import { CurveCard } from "./curve-card.js";
import { LockedNotice } from "./locked-notice.js";
import { PhasesCard } from "./phases.js";
import { ProfileCard } from "./profile.js";
import { DayBars, UseChart } from "./use-chart.js";
import { Tile, UseTiles } from "./use-tiles.js";

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
			{mayHaveProfile && hasPart("backfill") && <BackfillCard />}
			{mayHaveProfile && <ProfileCard />}
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
	const isSet = now?.clock_valid === true;
	const wallMs = isSet ? Date.parse(`${now.localtime.slice(0, 19)}Z`) : 0;
	const reload = async () => {
		if (!isSet) return;
		setError(undefined);
		// Old data stay until new data arrive, so that the chart keeps the user's choices.
		const put = (loaded: Recent) => setRecent((old) => ({ ...old, ...loaded }));
		await loadAll(wallMs, timeZone, put).catch((reason) => setError(asDeviceError(reason)));
		if (hasPart("prices")) await loadPrices().catch(() => undefined);
	};
	useEffect(() => {
		reload();
	}, [isSet && Math.floor((now.timestamp - READ_S) / QUARTER_S), timeZone]);
	return { recent: isLocked ? withoutUnknown(recent) : recent, error, reload, wallMs, isLocked };
}

/** Shows all cards together, with `children` below them, so that nothing moves later. */
export function OverviewCards({ children }: { children: ComponentChildren }) {
	const past = useHistory(loadToday);
	const { recent, error, wallMs } = past;
	if (wallMs > 0 && recent.quarters === undefined && error === undefined) return <p class="pending">{t("loading")}</p>;
	return (
		<>
			<TodayCards past={past} />
			<PhasesCard />
			<CurveCard />
			{children}
		</>
	);
}

/** Shows nothing if there are no data. */
function TodayCards({ past: { recent, wallMs, isLocked } }: { past: Past }) {
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
			<Tile {...common} name={t("use.today")} wallMs={wallMs} compared={quarters} wide={!hasYesterday} />
			{hasYesterday && <Tile {...common} name={t("use.yesterday")} wallMs={yesterdayMs} compared={[]} />}
			<Card title={t("today.bars")} wide>
				{pieces.length > 0 && <DayBars {...{ pieces, span, measured }} />}
				<PeakFact quarters={isLocked ? [] : quarters} />
				<p>
					<a href="#/use">{t("today.more")}</a>
				</p>
			</Card>
		</>
	);
}

/**
 * Shows the highest power: of the billing period, if the meter records it; otherwise of the month, if the gateway
 * records it; otherwise of the two days for which the history has quarter hours. Also shows the gateway's running
 * interval.
 */
function PeakFact({ quarters }: { quarters: readonly Piece[] }) {
	const kW = (watts: number) => `${formatNumber(watts / 1000, language, 2, 2)} kW`;
	const metered = peakOf(useStore(readout)?.readings ?? []);
	const { peak_w, peak_mean_w, peak_forecast_w } = useStore(status) ?? {};
	const highest = highestOf(quarters);
	if ((metered ?? peak_w ?? peak_mean_w ?? highest) === undefined) return null;
	return (
		<Facts>
			{metered !== undefined ? (
				<Fact name={t("peak.period")}>{kW(metered)}</Fact>
			) : peak_w !== undefined ? (
				<Fact name={t("peak.month")}>{kW(peak_w)}</Fact>
			) : (
				highest !== undefined && (
					<Fact name={t("peak.days")}>
						{kW(highest.watts)} ({formatMinute(highest.fromMs)})
					</Fact>
				)
			)}
			{peak_mean_w !== undefined && (
				<Fact name={t("peak.now")}>
					{kW(peak_mean_w)}
					{peak_forecast_w !== undefined && `, ${kW(peak_forecast_w)}`}
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
	if (now !== undefined && !isSet) return <Notice kind="warning">{t("links.clock")}</Notice>;
	if (days === undefined) return <Pending error={error} reload={reload} />;
	const all = [...days, ...(quarters ?? []), ...(months ?? [])];
	const measured = measuredIn(all, isLocked);
	if (all.length === 0 && months !== undefined) return <Notice kind="info">{t("use.empty")}</Notice>;
	return (
		<>
			{error && <ErrorNotice error={error} retry={reload} />}
			{isLocked && <LockedNotice />}
			<UseTiles {...{ recent, wallMs, measured }} />
			{quarters === undefined ? (
				<Card wide>
					<p class="pending">{t("loading")}</p>
				</Card>
			) : (
				<UseChart {...{ recent, quarters, wallMs, measured }} />
			)}
			{!isDisplay && measured.includes("import_wh") && (
				<p>
					<a href="#/system">{t("price.title")}</a>
				</p>
			)}
		</>
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
	const pricing = { periods: [{ ...period, from: ALWAYS }], tariff2: tariff2Share(last?.readings ?? []) };
	const money = yesterday && Number.isFinite(period.import_micro) ? moneyOf([yesterday], pricing, true) : undefined;
	if (money === undefined) return null;
	return (
		<p class="help" role="status">
			{t("price.preview", { money: moneyText(totalOf(money), currency) })}
		</p>
	);
}
