/** Settings of Wi-Fi, Ethernet and access point. */

import { useState } from "preact/hooks";
import { NETWORK_AP, NETWORK_ETHERNET, NETWORK_FALLBACK_AP, NETWORK_WIFI_ENABLED } from "../kit/bodies.js";
import { announce, Button, Card, ErrorNotice, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { awaitRestart, post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { Draft } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatMoment, formatNumber } from "../kit/format.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import type { Ethernet, NetworkStatus, WiFiEnabledShown } from "../kit/replies.js";
import { SettingsPage } from "../kit/saves.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, type Loaded, useDevice, usePoll } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import { ADDRESS_FIELDS, hasRadio, IPV4_FORM, isStatic, signalWord, WiFiForm, wifiErrorText } from "./wifi.js";

const POLL_MS = 10_000;

export function Network() {
	const loaded = useDevice<NetworkStatus>("network/status");
	usePoll(loaded.reload, POLL_MS);
	const { value } = loaded;
	return (
		<SettingsPage>
			{value?.wifi_temporary && value.interface !== "ethernet" && (
				<Notice kind="warning">{t("network.temporary")}</Notice>
			)}
			<div class="column">
				<StateCard {...loaded} />
				<Card title={t("network.ssid")}>
					<WiFiForm onJoined={loaded.put} />
				</Card>
			</div>
			<div class="column">
				{value !== undefined && value.ethernet_mac !== "" && <CableCard status={value} />}
				<AccessPointCard onSaved={loaded.reload} />
				{value !== undefined && <RadioCard status={value} reload={loaded.reload} />}
			</div>
		</SettingsPage>
	);
}

function StateCard({ value, error, reload }: Loaded<NetworkStatus>) {
	return (
		<Card title={t("network.state")}>
			{value === undefined ? <Pending error={error} reload={reload} /> : <State status={value} />}
		</Card>
	);
}

function State({ status }: { status: NetworkStatus }) {
	const { timeZone } = useZone();
	const { ssid, rssi, channel, ip, netmask, gateway, dhcp, hostname, secure } = status;
	const { wifi_ssid, wifi_last_error, ntp_server, ntp_last_sync, ntp_last_error } = status;
	const isConnected = status.connected === true;
	const isWiFi = status.interface === "wifi";
	return (
		<>
			{wifi_last_error && (
				<Notice kind="warning">{t("network.failed", { why: wifiErrorText(wifi_last_error) })}</Notice>
			)}
			{status.ethernet_last_error === "ethernet/no-address" && (
				<Notice kind="warning">
					{t("cable.title")}: {t("error.wifi/no-address")}
				</Notice>
			)}
			<Facts>
				<Fact name={t("network.ssid")}>
					{isWiFi ? ssid : wifi_ssid ? t("network.connected.not", { ssid: wifi_ssid }) : t("network.unset")}
				</Fact>
				{status.ethernet_mac !== "" && (
					<Fact name={t("cable.title")}>
						{status.ethernet ? `${formatNumber(status.ethernet_speed, language)} Mbit/s` : t("cable.out")}
					</Fact>
				)}
				{isWiFi && (
					<Fact name={t("network.signal")}>
						{signalWord(rssi)}, {formatNumber(rssi, language)} dBm, {t("network.channel", { n: channel })}
					</Fact>
				)}
				{ip !== NO_ADDRESS && (
					<>
						<Fact name={t("network.ip")}>
							{ip}
							{isConnected && `, ${t(dhcp ? "network.dhcp" : "network.static")}`}
						</Fact>
						<Fact name={t("wifi.netmask")}>{netmask}</Fact>
						{gateway !== ip && <Fact name={t("wifi.gateway")}>{gateway}</Fact>}
					</>
				)}
				<Fact name={t("network.name")}>https://{hostname}.local/</Fact>
				<Fact name={t("network.page")}>{t(secure ? "network.secure" : "network.plain")}</Fact>
				<Fact name={t("network.ap")}>
					{status.ap_mode ? t("network.ap.on", { ssid: status.ap_ssid ?? "" }) : t("off")}
				</Fact>
				{status.ap_mode && hasRadio(status) && (
					<Fact name={t("network.ap.clients")}>{formatNumber(status.ap_clients ?? 0, language)}</Fact>
				)}
				<Fact name={t("network.ntp")}>{ntp_server}</Fact>
				<Fact name={t("network.ntp.sync")}>
					{ntp_last_sync ? formatMoment(ntp_last_sync, language, timeZone) : t("network.ntp.never")}
				</Fact>
			</Facts>
			{ntp_last_error && <Notice kind="warning">{t("network.ntp.failed", { error: ntp_last_error })}</Notice>}
		</>
	);
}

/** Address that the gateway reports while it has none. */
const NO_ADDRESS = "0.0.0.0";

const CABLE_FIELDS = fieldsOf(NETWORK_ETHERNET, [
	{ name: "ethernet_enabled", label: "cable.use", help: "cable.help", kind: "toggle" },
	...ADDRESS_FIELDS,
	{ name: "dns", label: "cable.dns", kind: "text", pattern: IPV4_FORM, form: { says: "form.ipv4" }, when: isStatic },
]);

function CableCard({ status }: { status: NetworkStatus }) {
	const { value, error, reload } = useDevice<Ethernet>("network/ethernet");
	const isInUse = status.interface === "ethernet";
	const { ip, netmask, gateway, hostname } = status;
	return (
		<Card title={t("cable.title")}>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<Form
					fields={CABLE_FIELDS}
					values={{ ...value, ...(value.dhcp && isInUse ? { ip, netmask, gateway } : {}) }}
					submit={async (values) => {
						await post("network/ethernet", values);
						if (!isInUse) return;
						const addresses = [`https://${hostname}.local/`];
						if (values["dhcp"] === false) addresses.push(`https://${values["ip"]}/`);
						awaitRestart({ reason: "moved", addresses });
					}}
				/>
			)}
		</Card>
	);
}

const ACCESS_POINT_FIELDS = fieldsOf({ ...NETWORK_AP, ...NETWORK_FALLBACK_AP }, [
	{ name: "ap_ssid", label: "network.ap.ssid", kind: "text", required: true, refused: "refused.ssid" },
	{
		name: "ap_password",
		label: "network.ap.password",
		help: "network.ap.password.help",
		kind: "password",
		autocomplete: "new-password",
	},
	{ name: "fallback_ap_enabled", label: "network.fallback", help: "network.fallback.help", kind: "toggle" },
	{ name: "ap_enabled", label: "network.ap.enabled", help: "network.ap.enabled.help", kind: "toggle" },
]);

function valuesOf({ ap_ssid = "", ap_enabled = false }: NetworkStatus, fallback: Draft): Draft {
	return { ap_ssid, ap_enabled, ...fallback };
}

/** The settings of two routes are in one card, because they belong together for the user. */
function AccessPointCard({ onSaved }: { onSaved: () => void }) {
	const status = useDevice<NetworkStatus>("network/status");
	const fallback = useDevice<Draft>("network/fallback-ap");
	return (
		<Card title={t("network.ap")}>
			<p>{t("network.ap.intro")}</p>
			{status.value === undefined || fallback.value === undefined ? (
				<Pending
					error={status.error ?? fallback.error}
					reload={() => {
						status.reload();
						fallback.reload();
					}}
				/>
			) : (
				<Form
					fields={ACCESS_POINT_FIELDS}
					values={valuesOf(status.value, fallback.value)}
					doneText={t("network.ap.saved")}
					submit={async ({ fallback_ap_enabled, ap_password, ...values }) => {
						await post("network/fallback-ap", { fallback_ap_enabled });
						const password = ap_password === "" ? {} : { ap_password };
						await post("network/ap", { ...values, ...password, apply: true });
						onSaved();
					}}
				/>
			)}
		</Card>
	);
}

function PowerForm() {
	const { value, error, reload, put } = useDevice<WiFiEnabledShown>("network/wifi-enabled");
	if (value === undefined) return <Pending error={error} reload={reload} />;
	const { wifi_enabled, tx_power_dbm } = value;
	const choices = choicesOf(NETWORK_WIFI_ENABLED.tx_power_dbm, (dBm) =>
		dBm === 0 ? t("network.power.board") : `${dBm} dBm`,
	);
	return (
		<Form
			fields={[{ name: "tx_power_dbm", label: "network.power", help: "network.power.help", kind: "choice", choices }]}
			values={{ tx_power_dbm }}
			submit={async (values) => put(await post("network/wifi-enabled", { wifi_enabled, ...values }))}
		/>
	);
}

function textOf({ wifi_enabled, wifi_temporary }: NetworkStatus) {
	if (wifi_enabled) return "network.radio.on";
	return wifi_temporary ? "network.radio.while" : "network.radio.gone";
}

function RadioCard({ status, reload }: { status: NetworkStatus; reload: () => void }) {
	const [asking, setAsking] = useState(false);
	const [gone, setGone] = useState(false);
	const [error, setError] = useState<ReturnType<typeof asDeviceError>>();
	const stay = async () => {
		try {
			await post("network/wifi-enabled", { wifi_enabled: true });
			announce(t("network.radio.stays"));
			reload();
		} catch (reason) {
			setError(asDeviceError(reason));
		}
	};
	return (
		<Card title={t("network.radio")}>
			<p>{t(textOf(status))}</p>
			{gone && status.wifi_enabled && <Notice kind="warning">{t("network.radio.gone")}</Notice>}
			{error && <ErrorNotice error={error} />}
			<div class="actions">
				{status.wifi_enabled ? (
					<Button kind="danger" onClick={() => setAsking(true)}>
						{t("network.radio.off")}
					</Button>
				) : (
					<Button kind="main" onClick={stay}>
						{t("network.radio.stay")}
					</Button>
				)}
			</div>
			{status.wifi_enabled && <PowerForm />}
			{asking && (
				<Confirm
					title={t("network.radio.off")}
					action={t("network.radio.off")}
					danger
					run={async () => {
						await post("network/wifi-enabled", { wifi_enabled: false });
						setGone(true);
						announce(t("network.radio.gone"));
						reload();
					}}
					onClose={() => setAsking(false)}
				>
					{status.interface !== "ethernet" && <p>{t("network.radio.warn")}</p>}
				</Confirm>
			)}
		</Card>
	);
}
