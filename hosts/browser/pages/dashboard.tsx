/** The overview: power, counters, and the state of all connections. */
import { type ComponentChildren, type ComponentType, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button, Card, Chip, type ChipState, Fact, Facts, Notice, Progress } from "../kit/components.js";
import { reachable } from "../kit/device.js";
import { failureText, isAtHead } from "../kit/failures.js";
import {
	formatAge,
	formatLocalTime,
	formatMoment,
	formatNumber,
	formatPeriod,
	formatPower,
	formatReading,
} from "../kit/format.js";
import {
	hasExpired,
	network,
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
	useHasPart,
	useLocked,
} from "../kit/live.js";
import { countersOf, isKnown } from "../kit/power.js";
import type { NetworkStatus, Reading, Status } from "../kit/replies.js";
import { display } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { isText, language, t } from "../kit/text.js";
import { useZone, zone } from "../kit/zone.js";
import { LockedNotice } from "./locked-notice.js";
import { ReadFailure } from "./meter-finding.js";

const READ_LIMIT_S = 60;
/** Age up to which the power is titled as the present one. A meter that is read each minute stays below it. */
const NOW_S = 90;
/** Identification of the built-in simulator. */
const SIMULATED = /^SMG5SIMULATOR/;

export function Dashboard() {
	const now = useStore(status);
	const isDisplay = useStore(display);
	if (now === undefined) return <p class="pending">{t("loading")}</p>;
	return (
		<div class="cards even">
			{now.password_default && !isDisplay && (
				<Notice kind="warning">
					<p>{t("set.password")}</p>
					<a class="button main" href="#/setup">
						{t("set.up")}
					</a>
				</Notice>
			)}
			<PowerCard />
			<CountersCard />
			<LaterCards>
				<LinksCard now={now} />
			</LaterCards>
		</div>
	);
}

function PowerCard() {
	const last = useStore(readout);
	const now = useStore(power);
	const isStale = useStore(stale);
	const isWaiting = useLocked();
	const hasReadings = last !== undefined && last.readings.length > 0 && !hasExpired(last);
	useSeconds();
	return (
		<Card
			title={titleOf(now === undefined ? undefined : last)}
			wide={last !== undefined && countersOf(last.readings).length === 0}
		>
			{now === undefined ? (
				<p class="big none">–{last === undefined && <small>&nbsp;</small>}</p>
			) : (
				<p class={`big ${directionOf(now.watts)}`}>
					{formatPower(Math.abs(now.watts), now.unit, language)}
					<small>
						<span aria-hidden="true">{ARROWS[directionOf(now.watts)]}</span> {t(`flow.${directionOf(now.watts)}`)}{" "}
						{isStale && <span class="mark">{t("stale.mark")}</span>}
					</small>
				</p>
			)}
			{now?.isMean && <p class="help">{t("now.mean")}</p>}
			{now === undefined && hasReadings && (isWaiting ? <LockedNotice /> : <p class="help">{t("now.none")}</p>)}
			<LastReading />
		</Card>
	);
}

/** Returns the title of the power, which says how old it is. */
function titleOf(last: Readout | undefined): string {
	const timestamp = last !== undefined && "live_timestamp" in last ? last.live_timestamp : last?.timestamp;
	const ageS = sinceS(timestamp ?? 0) ?? 0;
	return ageS <= NOW_S ? t("now.title") : t("now.then", { age: formatAge(ageS, language, t("read.fresh")) });
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
	useSeconds();
	const isMeters = failure?.code.startsWith("meter_");
	const code = now !== undefined && hasFailed(now) ? now.meter_state : undefined;
	return (
		<>
			<Age last={last} />
			{/* The failure is hidden if "Read now" has a result, which is more precise. */}
			{!isMeters && code !== undefined && <FailedNotice last={last} code={code} />}
			{code === undefined && <LateNotice last={last} />}
			{isReading && <Progress label={t("read.running")} limitS={READ_LIMIT_S} sinceMs={readingSinceMs()} />}
			{failure && <ReadFailure error={failure} />}
			<div class="actions">
				<Button kind="main" busy={isReading && t("read.running")} onClick={readNow}>
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
				{t("read.last", { age: ageS === undefined ? t("read.timeless") : formatAge(ageS, language, t("read.fresh")) })}
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
				{ageS === undefined ? t("links.meter") : t("stale.failed", { age: formatAge(ageS, language, t("read.fresh")) })}{" "}
				{failureText(code)}
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

function CountersCard() {
	const last = useStore(readout);
	const counters = countersOf(last?.readings ?? []);
	if (counters.length === 0) return null;
	return (
		<Card title={t("counter.title")}>
			<Facts kind="counters">
				{counters.map(({ isExport, tariff, reading }) => (
					<Fact
						key={reading.obis}
						name={
							t(isExport ? "counter.export" : "counter.import") +
							(tariff === 0 ? "" : `, ${t("counter.tariff", { n: tariff })}`)
						}
					>
						<Amount reading={reading} />
					</Fact>
				))}
			</Facts>
			<p>
				<a href="#/readings">{t("counter.all")}</a>
			</p>
		</Card>
	);
}

/** A reading with its unit. Energy is shown in kWh. */
export function Amount({ reading }: { reading: Reading }) {
	const { value1, value1_unit } = reading;
	const [value, unit] = isKnown(reading) ? formatReading(value1, value1_unit, language) : ["–"];
	return (
		<>
			<span class="number">{value}</span> {unit}
		</>
	);
}

type Surround = ComponentType<{ children: ComponentChildren }>;

/**
 * Cards whose code is in the script of the page "use", which is loaded after the first values are shown. `children` are
 * below the cards. They appear together with the cards, so that they do not move.
 */
function LaterCards({ children }: { children: ComponentChildren }) {
	// The cards wait for the time zone, which determines when a day starts. It arrives after the readings.
	const isReady = useStore(zone) !== undefined;
	const [Cards, setCards] = useState<Surround>();
	useEffect(() => {
		// If the code cannot be loaded, there are no cards. Another notice then tells that the gateway does not answer.
		if (isReady)
			import("./use.js").then(
				({ OverviewCards }) => setCards(() => OverviewCards),
				() => setCards(() => Fragment as Surround),
			);
	}, [isReady]);
	if (!isReady) return null;
	return Cards === undefined ? <p class="pending">{t("loading")}</p> : <Cards>{children}</Cards>;
}

function LinksCard({ now }: { now: Status }) {
	const hasPart = useHasPart();
	const link = useStore(network);
	const isDisplay = useStore(display);
	const newer = now.upgrade_version;
	return (
		<Card title={t("links.title")} wide>
			<p class="chips">
				<MeterChip now={now} />
				{link !== undefined && <WiFiChip link={link} />}
				<ZigbeeChip state={now.zigbee_state} />
				<StateChip name={t("state.hub")} state={now.hub_state} />
				{hasPart("mqtt") && <StateChip name="MQTT" state={now.mqtt_state} />}
				<Chip state={now.clock_valid ? "good" : "warning"} name={t("state.clock")}>
					{t(now.clock_valid ? "state.ok" : "state.unset")}
				</Chip>
			</p>
			{!now.clock_valid && (
				<Notice kind="warning">
					<p>{t("links.clock")}</p>
					{!isDisplay && (
						<p>
							<a href="#/system">{t("links.clock.go")}</a>
						</p>
					)}
				</Notice>
			)}
			<Facts>
				<Fact name={t("power.supply")}>{supplyOf(now)}</Fact>
				{now.device_temperature_valid !== false && (
					<Fact name={t("power.temperature")}>{formatNumber(now.device_temperature, language, 0)} °C</Fact>
				)}
			</Facts>
			{newer && !isDisplay && (
				<p class="help">
					<a href="#/upkeep">{t("update.there", { version: newer })}</a>
				</p>
			)}
		</Card>
	);
}

function WiFiChip({ link }: { link: NetworkStatus }) {
	const { connected, ssid, ap_mode, wifi_enabled, wifi_temporary } = link;
	const isByCable = link.interface === "ethernet";
	if (connected) {
		return (
			<Chip state="good" name={t(isByCable ? "cable.title" : "state.wifi")}>
				{isByCable ? t("on") : ssid || t("on")}
			</Chip>
		);
	}
	const isOn = wifi_enabled || wifi_temporary;
	const word = ap_mode ? "state.ap" : isOn ? "state.disconnected" : "state.off";
	return (
		<Chip state={isOn && ssid !== "" ? "warning" : "off"} name={t("state.wifi")}>
			{t(word)}
		</Chip>
	);
}

function supplyOf(now: Status): string {
	if (now.battery_powered) return t("power.battery", { percent: now.battery_status });
	if (now.usb_voltage_valid === false) return t("power.unmeasured");
	return t("power.usb", { volts: formatNumber(now.usb_voltage, language, 1) });
}

/**
 * States of the chips of the meter, Home Assistant and MQTT, by `meter_state`, `hub_state` and `mqtt_state`. All other
 * states are codes of failures.
 */
const STATE_CHIPS: Readonly<Record<string, ChipState>> = {
	ok: "good",
	off: "off",
	idle: "off",
	reading: "busy",
	waiting: "busy",
	connecting: "busy",
};

function hasFailed({ meter_state }: Status): boolean {
	return STATE_CHIPS[meter_state] === undefined;
}

function StateChip({ name, state }: { name: string; state: string }) {
	const chip = STATE_CHIPS[state];
	const key = `state.${state}`;
	return (
		<Chip state={chip ?? "warning"} name={name}>
			{t(chip !== undefined && isText(key) ? key : "state.failed")}
		</Chip>
	);
}

export function MeterChip({ now }: { now: Status }) {
	return <StateChip name={t("state.meter")} state={now.meter_state} />;
}

/**
 * States of the chip of Zigbee. `not_joined` is missing, because it is also the state of a gateway that does not use
 * Zigbee.
 */
const RADIO_CHIPS: Readonly<Record<string, ChipState>> = {
	joined: "good",
	silent: "warning",
	foreign: "warning",
	parent_lost: "warning",
	starting: "busy",
	joining: "busy",
	leaving: "busy",
};

export function isBad(radioState: string): boolean {
	return RADIO_CHIPS[radioState] === "warning";
}

export function ZigbeeChip({ state }: { state: string }) {
	const key = `state.${state}`;
	return (
		<Chip state={RADIO_CHIPS[state] ?? "off"} name={t("nav.zigbee")}>
			{isText(key) ? t(key) : state}
		</Chip>
	);
}
