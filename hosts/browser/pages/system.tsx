/** Identity, clock and power supply of the gateway; restart and factory reset. */
import { useState } from "preact/hooks";
import { PEAKS } from "../kit/bodies.js";
import { Button, Card, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { awaitRestart, post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { FieldSpec } from "../kit/fields.js";
import { SettingsCard } from "../kit/form.js";
import { formatDate, formatNumber } from "../kit/format.js";
import { choicesOf } from "../kit/limits.js";
import { refresh, status, useHasPart } from "../kit/live.js";
import { formatPercent } from "../kit/percent.js";
import type { Certificate, NetworkStatus, Status, Tokens, Version } from "../kit/replies.js";
import { SettingsPage } from "../kit/saves.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { ClockCard } from "./clock.js";
import { PriceCard } from "./prices.js";

/** Address at which a gateway without configuration is reachable in its own network. */
const OWN_ADDRESS = "http://192.168.4.1/";

const PEAK_FIELDS: readonly FieldSpec[] = [
	{
		name: "interval_mins",
		label: "peaks.interval",
		help: "peaks.help",
		kind: "choice",
		choices: choicesOf(PEAKS.interval_mins, (minutes) => t(minutes === 0 ? "off" : `peaks.interval.${minutes}`)),
	},
	{
		name: "count",
		label: "peak.month",
		kind: "choice",
		choices: choicesOf(PEAKS.count, (count) => t(`peaks.count.${count}`)),
		when: ({ interval_mins }) => interval_mins !== 0,
	},
];

export function System() {
	const hasPart = useHasPart();
	return (
		<SettingsPage>
			<div class="column">
				<ClockCard />
				{hasPart("prices") && <PriceCard />}
				<AboutCard />
			</div>
			<div class="column">
				{hasPart("peaks") && <SettingsCard title={t("peaks.title")} path="peaks" fields={PEAK_FIELDS} />}
				<PowerCard />
				<SetUpCard />
				<RestartCard />
				<ResetCard />
			</div>
		</SettingsPage>
	);
}

function AboutCard() {
	const { value, error, reload } = useDevice<Version>("system/version");
	return (
		<Card title={t("about.title")}>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<Facts>
					<Fact name={t("about.model")}>{value.device.model}</Fact>
					<Fact name={t("about.maker")}>{value.device.manufacturer}</Fact>
					<Fact name={t("about.serial")}>{value.device.serial}</Fact>
					{value.device.security_contact !== "" && (
						<Fact name={t("about.security")}>{value.device.security_contact}</Fact>
					)}
					<Fact name={t("about.support")}>
						{formatDate(value.device.support_end, language) || t("about.support.none")}
					</Fact>
					<Fact name={t("about.firmware")}>{value.firmware.version}</Fact>
					{value.frontend.version !== value.firmware.version && (
						<Fact name={t("about.page")}>{value.frontend.version}</Fact>
					)}
					<Fact name={t("about.built")}>{formatDate(value.firmware.date, language)}</Fact>
				</Facts>
			)}
		</Card>
	);
}

const MODE_FIELDS: readonly FieldSpec[] = [
	{
		name: "power_mode",
		label: "mode.label",
		kind: "radio",
		choices: [
			{ value: 0, label: t("mode.auto"), help: t("mode.auto.help") },
			{ value: 1, label: t("mode.always"), help: t("mode.always.help") },
			{ value: 2, label: t("mode.never"), help: t("mode.never.help") },
		],
	},
];

function PowerCard() {
	const now = useStore(status);
	return (
		<SettingsCard
			title={t("supply.title")}
			path="system/power_mode"
			fields={MODE_FIELDS}
			before={now && <Supply now={now} />}
			onSaved={() => void refresh().catch(() => undefined)}
		/>
	);
}

/** Shows the power supply. Values that the gateway does not measure are omitted. */
function Supply({ now }: { now: Status }) {
	const volts = (value: number) => `${formatNumber(value, language, 2, 2)} V`;
	const isUsbMeasured = now.usb_voltage_valid !== false;
	const isBatteryMeasured = now.battery_voltage_valid !== false;
	const isTemperatureMeasured = now.device_temperature_valid !== false;
	const hasCells = now.battery_voltage > 0;
	return (
		<>
			<Facts>
				<Fact name={t("supply.now")}>{t(now.battery_powered ? "supply.battery" : "supply.usb")}</Fact>
				{isUsbMeasured && <Fact name={t("supply.usb.volts")}>{volts(now.usb_voltage)}</Fact>}
				{isBatteryMeasured && (
					<Fact name={t("supply.battery.left")}>
						{hasCells
							? `${formatPercent(now.battery_status)} · ${volts(now.battery_voltage)}`
							: t("supply.battery.none")}
					</Fact>
				)}
				{now.awake_secs !== undefined && (
					<Fact name={t("supply.awake")}>{formatNumber(Math.ceil(now.awake_secs / 60), language)} min</Fact>
				)}
				{isTemperatureMeasured && (
					<Fact name={t("power.temperature")}>{formatNumber(now.device_temperature, language, 0)} °C</Fact>
				)}
			</Facts>
			{now.battery_low && <Notice kind="warning">{t("supply.battery.low")}</Notice>}
		</>
	);
}

function RestartCard() {
	const [asking, setAsking] = useState(false);
	const restart = async () => {
		await post("system/reboot");
		awaitRestart({ reason: "restart", addresses: [] });
	};
	return (
		<Card title={t("again.title")}>
			<p>{t("again.intro")}</p>
			<div class="actions">
				<Button name="restart" onClick={() => setAsking(true)}>
					{t("again.go")}
				</Button>
			</div>
			{asking && (
				<Confirm title={t("again.ask")} action={t("again.go")} run={restart} onClose={() => setAsking(false)}>
					<p>{t("again.intro")}</p>
				</Confirm>
			)}
		</Card>
	);
}

const KEPT = ["firmware", "label", "counters"] as const;

function ResetCard() {
	const [asking, setAsking] = useState(false);
	const reset = async () => {
		await post("system/factory_reset");
		awaitRestart({ reason: "reset", addresses: [OWN_ADDRESS] });
	};
	return (
		<Card title={t("reset.title")}>
			<p>{t("reset.intro")}</p>
			<div class="actions">
				<Button name="factory_reset" kind="danger" onClick={() => setAsking(true)}>
					{t("reset.go")}
				</Button>
			</div>
			{asking && (
				<Confirm
					title={t("reset.ask")}
					action={t("reset.go")}
					danger
					word={t("reset.word")}
					wordLabel={t("reset.type", { word: t("reset.word") })}
					run={reset}
					onClose={() => setAsking(false)}
				>
					<h3>{t("reset.lost")}</h3>
					<DeletedList />
					<h3>{t("reset.kept")}</h3>
					<ul>
						{KEPT.map((part) => (
							<li key={part}>{t(`reset.kept.${part}`)}</li>
						))}
					</ul>
				</Confirm>
			)}
		</Card>
	);
}

function DeletedList() {
	const now = useStore(status);
	const { value: wifi } = useDevice<NetworkStatus>("network/status");
	const { value: tokens } = useDevice<Tokens>("system/tokens");
	const { value: certificate } = useDevice<Certificate>("system/certificate");
	const count = tokens?.tokens.length ?? 0;
	const ssid = wifi?.ssid ?? "";
	return (
		<ul>
			{ssid !== "" && <li>{t("reset.lost.wifi", { ssid })}</li>}
			{now?.password_default === false && <li>{t("reset.lost.password")}</li>}
			{count > 0 && <li>{t("reset.lost.tokens", { n: count })}</li>}
			{certificate?.custom && <li>{t("reset.lost.certificate")}</li>}
			<li>{t("reset.lost.meter")}</li>
			{now?.home_hub_enabled && <li>{t("reset.lost.hub")}</li>}
		</ul>
	);
}

function SetUpCard() {
	return (
		<Card title={t("again.setup")}>
			<p>{t("again.setup.text")}</p>
			<div class="actions">
				<a class="button plain" href="#/setup">
					{t("again.setup")}
				</a>
			</div>
		</Card>
	);
}
