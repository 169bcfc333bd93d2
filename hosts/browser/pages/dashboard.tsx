/** The overview: what is used now, what today costs, and how old these values are. */
import { type ComponentType, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button, Notice, Progress } from "../kit/components.js";
import { past, points, rate } from "../kit/curve-points.js";
import { reachable } from "../kit/device.js";
import { failureText, isAtHead } from "../kit/failures.js";
import { formatAge, formatLocalTime, formatMoment, formatPeriod, formatPower } from "../kit/format.js";
import {
	hasExpired,
	plannedS,
	power,
	READOUT_CUT,
	READOUT_UNCHECKED,
	type Readout,
	readFailure,
	reading,
	readingSinceMs,
	readNow,
	readout,
	schedule,
	sinceS,
	stale,
	status,
	useLocked,
} from "../kit/live.js";
import { importedWh } from "../kit/power.js";
import { display } from "../kit/session.js";
import { hasFailed } from "../kit/states.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { Trace } from "../kit/trace.js";
import { useZone } from "../kit/zone.js";
import { LockedNotice } from "./locked-notice.js";
import { ReadFailure } from "./meter-finding.js";

const READ_LIMIT_S = 60;
/** Age up to which the power is titled as the present one. A meter that is read each minute stays below it. */
const NOW_S = 90;
const DAY_MS = 86_400_000;
/** Identification of the built-in simulator. */
const SIMULATED = /^SMG5SIMULATOR/;

export function Dashboard() {
	const now = useStore(status);
	const isDisplay = useStore(display);
	if (now === undefined) return <p class="pending">{t("loading")}</p>;
	return (
		<div class="cards">
			{now.password_default && !isDisplay && (
				<Notice kind="warning">
					<p>{t("set.password")}</p>
					<a class="button main" href="#/setup">
						{t("set.up")}
					</a>
				</Notice>
			)}
			<PowerCard />
			<LaterCards />
		</div>
	);
}

function PowerCard() {
	const last = useStore(readout);
	const now = useStore(power);
	const isStale = useStore(stale);
	const perHour = useStore(rate);
	const isWaiting = useLocked();
	const { timeZone } = useZone();
	const hasReadings = last !== undefined && last.readings.length > 0 && !hasExpired(last);
	const direction = directionOf(now?.watts ?? 0);
	useSeconds();
	return (
		<section class={`card hero ${direction}`}>
			<h2>{titleOf(now === undefined ? undefined : last, timeZone)}</h2>
			{now === undefined ? (
				<p class="big none">–{last === undefined && <small>&nbsp;</small>}</p>
			) : (
				<p class={`big ${direction}`}>
					{formatPower(Math.abs(now.watts), now.unit, language)}
					<small>
						<span aria-hidden="true">{ARROWS[direction]}</span> {t(`flow.${direction}`)}
						{perHour !== "" && <span> · {perHour}</span>} {isStale && <span class="mark">{t("stale.mark")}</span>}
					</small>
				</p>
			)}
			{!isWaiting && <PowerTrace unit={now?.unit ?? "W"} />}
			{now?.isMean && <p class="help">{t("now.mean")}</p>}
			{now === undefined && hasReadings && (isWaiting ? <LockedNotice /> : <NoPower last={last} />)}
			<LastReading />
		</section>
	);
}

/** The power of the last 24 hours as a line: quarter hours, then the values that this tab has seen. */
function PowerTrace({ unit }: { unit: string }) {
	const seen = useStore(points);
	const quarters = useStore(past);
	const toMs = (seen.at(-1) ?? quarters.at(-1))?.atMs ?? 0;
	const line = [...quarters.filter(({ atMs }) => atMs < (seen[0]?.atMs ?? toMs + 1)), ...seen].filter(
		({ atMs }) => atMs > toMs - DAY_MS,
	);
	if (line.length < 2) return null;
	const values = line.map(({ value }) => value);
	const [min, max] = [Math.min(...values), Math.max(...values)].map((watts) => formatPower(watts, unit, language));
	return <Trace points={line} description={t("curve.describe", { min, max })} />;
}

/** Says why there is no power. A mean can follow only if the meter sends the total that it is calculated from. */
function NoPower({ last }: { readonly last: Readout }) {
	if (importedWh(last.readings) !== undefined) return <p class="help">{t("now.none")}</p>;
	return (
		<p class="help">
			{t("now.absent")} <a href="#/readings">{t("counter.all")}</a>
		</p>
	);
}

/** Returns the title of the power, which says how old it is. */
function titleOf(last: Readout | undefined, timeZone: string): string {
	const timestamp = last !== undefined && "live_timestamp" in last ? last.live_timestamp : (last?.timestamp ?? 0);
	const ageS = sinceS(timestamp) ?? 0;
	if (ageS <= NOW_S) return t("now.title");
	const isToday = ageS < DAY_MS / 2000;
	const time = new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone }).format(timestamp * 1000);
	return isToday ? t("now.at", { time }) : t("now.then", { age: formatAge(ageS, language, t("read.fresh")) });
}

/** Draws the component again every second, because ages grow. */
function useSeconds(): void {
	const [, tick] = useState(0);
	useEffect(() => {
		const timer = setInterval(() => tick((n) => n + 1), 1_000);
		return () => clearInterval(timer);
	}, []);
}

export function LastReading() {
	const last = useStore(readout);
	const now = useStore(status);
	const failure = useStore(readFailure);
	const isReading = useStore(reading);
	const isDisplay = useStore(display);
	const isStale = useStore(stale);
	const isFirst = last?.readings.length === 0;
	useSeconds();
	const isMeters = failure?.code.startsWith("meter_");
	const code = now !== undefined && hasFailed(now.meter_state) ? now.meter_state : undefined;
	return (
		<>
			<Age last={last} />
			{/* The failure is hidden if "Read now" has a result, which is more precise. */}
			{!isMeters && code !== undefined && <FailedNotice last={last} code={code} />}
			{code === undefined && <LateNotice last={last} />}
			{isReading && <Progress label={t("read.running")} limitS={READ_LIMIT_S} sinceMs={readingSinceMs()} />}
			{failure && <ReadFailure error={failure} />}
			<div class="actions">
				<Button kind={isStale || isFirst ? "main" : "plain"} busy={isReading && t("read.running")} onClick={readNow}>
					{t("read.now")}
				</Button>
				{code !== undefined && !isDisplay && (
					<a href="#/meter">{t(isAtHead(code) ? "links.meter.go" : "links.meter.page")}</a>
				)}
			</div>
		</>
	);
}

const ARROWS = { nothing: "", feeding: "↑", drawing: "↓" } as const;

function directionOf(watts: number): keyof typeof ARROWS {
	if (Math.round(watts) === 0) return "nothing";
	return watts < 0 ? "feeding" : "drawing";
}

function ageOf(ageS: number | undefined): string {
	return ageS === undefined ? t("read.timeless") : formatAge(ageS, language, t("read.fresh"));
}

export function Age({ last }: { last: Readout | undefined }) {
	const { zoneName } = useZone();
	if (last === undefined) {
		return (
			<p class="age">
				<span class="pending">{t("loading")}</span>
				<small>&nbsp;</small>
			</p>
		);
	}
	if (last.readings.length === 0) {
		return (
			<p>
				{t("read.none")} {t("read.none.help")}
			</p>
		);
	}
	// The gateway's clock is used, because this browser's clock may differ from it.
	const ageS = sinceS(last.timestamp);
	return (
		<>
			<p class="age">
				{t("read.last", { age: ageOf(ageS) })}
				{last.localtime !== "" && (
					<small>
						{formatLocalTime(last.localtime, language)}, {zoneName}
					</small>
				)}
			</p>
			{last.status === READOUT_CUT && <Notice kind="warning">{t("read.cut")}</Notice>}
			{last.status === READOUT_UNCHECKED && <Notice kind="warning">{t("read.unchecked")}</Notice>}
			{SIMULATED.test(last.meter_id) && <Notice kind="info">{t("read.simulated")}</Notice>}
		</>
	);
}

/** Returns day and time of the newest readout, or undefined if they are unknown. */
function useSince(last: Readout | undefined): string | undefined {
	const { timeZone } = useZone();
	if (last === undefined || last.timestamp === 0 || last.readings.length === 0) return undefined;
	return formatMoment(last.timestamp, language, timeZone);
}

interface FailedNoticeProps {
	readonly last: Readout | undefined;
	readonly code: string;
}

function FailedNotice({ last, code }: FailedNoticeProps) {
	const since = useSince(last);
	const ageS = sinceS(last !== undefined && "last_attempt" in last ? last.last_attempt : 0);
	return (
		<Notice kind="warning">
			<p>
				{t("stale.failed", { age: ageOf(ageS) })} {failureText(code)}
			</p>
			{since !== undefined && <p>{t("stale.since", { time: since })}</p>}
		</Notice>
	);
}

/** Notice that a readout is overdue although none has failed. */
function LateNotice({ last }: { last: Readout | undefined }) {
	const isStale = useStore(stale);
	const isReachable = useStore(reachable);
	const time = useSince(last);
	useStore(schedule);
	// If the gateway does not answer, there is already another notice about this.
	if (!isStale || !isReachable || time === undefined) return null;
	const periodS = plannedS();
	return (
		<Notice kind="warning">
			{periodS === undefined
				? t("stale.manual", { time })
				: t("stale.late", { time, period: formatPeriod(periodS, language) })}
		</Notice>
	);
}

/** Cards whose code is in the script of the page "use", which is loaded after the first values are shown. */
function LaterCards() {
	const [Cards, setCards] = useState<ComponentType>();
	useEffect(() => {
		// If the code cannot be loaded, there are no cards. Another notice then tells that the gateway does not answer.
		import("./use.js").then(
			({ OverviewCards }) => setCards(() => OverviewCards),
			() => setCards(() => Fragment as ComponentType),
		);
	}, []);
	return Cards === undefined ? <p class="pending">{t("loading")}</p> : <Cards />;
}
