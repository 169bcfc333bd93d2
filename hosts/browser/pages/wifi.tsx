/**
 * Form for joining a Wi-Fi network. If the gateway gets no address in the new network, it returns to the previous one.
 * A browser on the gateway's access point shows the result. A browser on the previous network shows the new address, or
 * the page again if joining has failed.
 */

import { useEffect, useState } from "preact/hooks";
import { NETWORK_WIFI } from "../kit/bodies.js";
import { announce, Button, ErrorNotice, Notice, Pending, Progress } from "../kit/components.js";
import { awaitRestart, DeviceError, get, post, SCAN_MS, wait } from "../kit/device.js";
import type { Draft, FieldSpec, FieldValue } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatNumber } from "../kit/format.js";
import { fieldsOf } from "../kit/limits.js";
import type { NetworkStatus } from "../kit/replies.js";
import { isText, language, t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";

/** Time between the gateway's reply and its change of network. */
const LEAVE_MS = 3_000;
const POLL_MS = 2_000;
/** Longest wait for the result. The gateway itself waits 45 s. */
const TRIAL_LIMIT_MS = 60_000;
/** Time for which a report of a wrong password is ignored, because at first a weak signal may be the cause. */
const WRONG_PASSWORD_AFTER_MS = 12_000;

/** Values of `wifi_auth_mode_t` in ESP-IDF. */
const AUTH_OPEN = 0;
/** WPA2, WPA3, and both together, in the variants with a user name (Enterprise). */
const AUTH_ENTERPRISE: readonly number[] = [5, 10, 13, 14];

/** Form of an IPv4 address. The gateway checks addresses in the same way. */
export const IPV4_FORM = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(?!$)|$)){4}$/;

interface Network {
	readonly ssid: string;
	readonly rssi: number;
	readonly authmode: number;
}

/** Stands for a network that is not in the list. The user types its name. */
const BY_HAND: Network = { ssid: "", rssi: 0, authmode: -1 };

export function signalWord(rssi: number): string {
	if (rssi >= -60) return t("wifi.signal.strong");
	if (rssi >= -70) return t("wifi.signal.good");
	return t(rssi >= -80 ? "wifi.signal.weak" : "wifi.signal.poor");
}

export function wifiErrorText(code: string): string {
	const key = `error.${code}`;
	return isText(key) ? t(key) : t("error.wifi/lost");
}

function isOverAccessPoint(status: NetworkStatus): boolean {
	return !status.secure || location.hostname === "192.168.4.1";
}

/** Returns true if there is a radio, and either there is no cable or the button was pressed. */
export function hasRadio(status: NetworkStatus): boolean {
	return status.wifi_temporary || (status.wifi_enabled && status.interface !== "ethernet");
}

export function networkName({ interface: by, ssid }: NetworkStatus): string {
	return by === "ethernet" ? t("cable.title") : ssid;
}

interface WiFiFormProps {
	/** Called when the gateway is reachable in the new network. */
	onJoined?(status: NetworkStatus): void;
}

export function WiFiForm({ onJoined }: WiFiFormProps) {
	const { value: status, error, reload } = useDevice<NetworkStatus>("network/status");
	const [networks, setNetworks] = useState<readonly Network[]>();
	const [picked, setPicked] = useState<Network | undefined>(BY_HAND);
	if (status === undefined) return <Pending error={error} reload={reload} />;
	return (
		<>
			{hasRadio(status) ? (
				<Picker {...{ status, networks, setNetworks, picked, setPicked }} />
			) : (
				<Notice kind="info">{t("wifi.absent")}</Notice>
			)}
			{/* During a scan the form is only hidden, so that no input is lost. */}
			<div hidden={picked === undefined}>
				<Settings {...{ status, picked: picked ?? BY_HAND, onJoined }} />
			</div>
		</>
	);
}

interface PickerProps {
	readonly status: NetworkStatus;
	readonly networks: readonly Network[] | undefined;
	setNetworks(networks: readonly Network[]): void;
	readonly picked: Network | undefined;
	setPicked(network: Network | undefined): void;
}

function Picker({ status, networks, setNetworks, picked, setPicked }: PickerProps) {
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<DeviceError>();
	const scan = async () => {
		setBusy(true);
		setError(undefined);
		try {
			const found = await get<{ networks: readonly Network[] }>("network/scan", { timeoutMs: SCAN_MS });
			const list = strongest(found.networks);
			setNetworks(list);
			announce(t("wifi.found", { n: list.length }));
			const current = list.find(({ ssid }) => ssid === (picked?.ssid || status.wifi_ssid));
			setPicked(current ?? (networks === undefined && list.length > 0 ? undefined : picked));
		} catch (reason) {
			setError(asDeviceError(reason));
		} finally {
			setBusy(false);
		}
	};
	useEffect(() => {
		if (status.wifi_ssid === "" && networks === undefined) scan();
	}, []);
	return (
		<>
			{networks !== undefined && networks.length > 0 && (
				<fieldset class="radio picks">
					<legend>{t("wifi.choose")}</legend>
					{networks.map((network) => (
						<Pick
							key={network.ssid}
							name={network.ssid}
							about={aboutOf(network, status)}
							disabled={AUTH_ENTERPRISE.includes(network.authmode)}
							checked={picked?.ssid === network.ssid}
							onPick={() => setPicked(network)}
						/>
					))}
					<Pick name="" about={t("wifi.hidden.help")} checked={picked === BY_HAND} onPick={() => setPicked(BY_HAND)} />
				</fieldset>
			)}
			{networks?.length === 0 && <Notice kind="warning">{t("wifi.none")}</Notice>}
			{error && <ErrorNotice error={error} />}
			<div class="actions">
				<Button name="scan" busy={busy && t("wifi.scanning")} onClick={scan}>
					{t(networks === undefined ? "wifi.scan" : "wifi.rescan")}
				</Button>
			</div>
		</>
	);
}

interface PickProps {
	readonly name: string;
	readonly about: string;
	readonly disabled?: boolean;
	readonly checked: boolean;
	onPick(): void;
}

function Pick({ name, about, disabled, checked, onPick }: PickProps) {
	return (
		<label>
			<input type="radio" name="network" value={name} disabled={disabled} checked={checked} onChange={onPick} />
			<span>
				{name || t("wifi.hidden")}
				<small>{about}</small>
			</span>
		</label>
	);
}

function aboutOf({ ssid, rssi, authmode }: Network, status: NetworkStatus): string {
	const lock =
		authmode === AUTH_OPEN ? "wifi.open" : AUTH_ENTERPRISE.includes(authmode) ? "wifi.company" : "wifi.locked";
	const words = [`${signalWord(rssi)} (${formatNumber(rssi, language)} dBm)`, t(lock)];
	if (ssid === status.wifi_ssid) words.push(t("wifi.current"));
	return words.join(" · ");
}

/** Returns one entry for each network name, with its strongest access point. The strongest networks come first. */
function strongest(networks: readonly Network[]): readonly Network[] {
	const sorted = networks.filter(({ ssid }) => ssid !== "").sort((a, b) => b.rssi - a.rssi);
	return sorted.filter(({ ssid }, index) => sorted.findIndex((other) => other.ssid === ssid) === index);
}

interface SettingsProps {
	readonly status: NetworkStatus;
	readonly picked: Network;
	readonly onJoined: WiFiFormProps["onJoined"];
}

/** Name of a switch in the form. In the API, an empty password expresses an open network. */
const UNLOCKED = "unlocked";
export const isStatic = ({ dhcp }: Draft) => dhcp === false;

export const ADDRESS_FIELDS: readonly (FieldSpec & { readonly name: "dhcp" | "ip" | "netmask" | "gateway" })[] = [
	{ name: "dhcp", label: "wifi.dhcp", kind: "toggle" },
	{
		name: "ip",
		refused: "refused.ip",
		label: "wifi.ip",
		help: "wifi.ip.help",
		kind: "text",
		pattern: IPV4_FORM,
		form: { says: "form.ipv4" },
		required: true,
		when: isStatic,
	},
	{
		name: "netmask",
		refused: "refused.netmask",
		label: "wifi.netmask",
		help: "wifi.netmask.help",
		kind: "text",
		pattern: IPV4_FORM,
		form: { says: "form.ipv4" },
		required: true,
		when: isStatic,
	},
	{
		name: "gateway",
		refused: "refused.gateway",
		label: "wifi.gateway",
		help: "wifi.gateway.help",
		kind: "text",
		pattern: IPV4_FORM,
		form: { says: "form.ipv4" },
		required: true,
		when: isStatic,
	},
];

function Settings({ status, picked, onJoined }: SettingsProps) {
	const [apply, setApply] = useState(hasRadio(status));
	const [hint, setHint] = useState<string>();
	const [joined, setJoined] = useState<NetworkStatus>();
	const [typed, setTyped] = useState(status.ssid);
	const isOpen = picked.authmode === AUTH_OPEN;
	const isByHand = picked === BY_HAND;
	/** This is true for the configured network, whose password the gateway already has. */
	const isCurrent = status.ssid !== "" && (isByHand ? typed : picked.ssid) === status.ssid;
	const fields = fieldsOf({ ...NETWORK_WIFI, [UNLOCKED]: {} }, [
		{
			name: "ssid",
			label: "wifi.ssid",
			refused: "refused.ssid",
			kind: "text",
			required: true,
			when: () => isByHand,
		},
		{ name: UNLOCKED, label: "wifi.unlocked", kind: "toggle", when: () => isByHand },
		{
			name: "password",
			label: "wifi.password",
			...(isCurrent ? { help: "secret.keep" as const } : {}),
			kind: "password",
			min: 8,
			required: !isCurrent,
			autocomplete: "off",
			when: (draft) => !isOpen && !(isByHand && draft[UNLOCKED] === true),
		},
		...ADDRESS_FIELDS.map((field) => ({ ...field, isRare: true })),
		{
			name: "hostname",
			label: "wifi.hostname",
			help: "wifi.hostname.help",
			kind: "text",
			isRare: true,
		},
		{
			name: "apply",
			label: "wifi.apply",
			help: "wifi.apply.help",
			kind: "toggle",
			isRare: true,
			when: () => hasRadio(status),
		},
	]);
	const submit = async (values: Record<string, FieldValue>) => {
		setJoined(undefined);
		const ssid = isByHand ? String(values["ssid"]) : picked.ssid;
		const { hostname, password, [UNLOCKED]: unlocked, ...rest } = values;
		// The name is sent only if it has changed, because the gateway makes a new certificate when the name is set.
		const name = hostname === "" || hostname === status.hostname ? {} : { hostname };
		// If no password is sent, the gateway keeps the stored one.
		const key = isOpen || unlocked === true ? { password: "" } : password === "" ? {} : { password };
		await post("network/wifi", { apply: false, ...rest, ...key, ssid, ...name });
		if (values["apply"] !== true) return;
		if (!isOverAccessPoint(status)) {
			const addresses = [`https://${hostname || status.hostname}.local/`];
			if (values["dhcp"] === false) addresses.push(`https://${values["ip"]}/`);
			// The input has been sent. The form can end, although the restart is still awaited.
			awaitRestart({ reason: "moved", addresses });
			return;
		}
		setHint("");
		try {
			const now = await untilJoined(ssid, setHint);
			setJoined(now);
			announce(t("wifi.joined", { ssid }));
			onJoined?.(now);
		} finally {
			setHint(undefined);
		}
	};
	return (
		<Form
			fields={fields}
			values={beginning(status)}
			submitLabel={t(apply ? "wifi.connect" : "wifi.store")}
			busyLabel={t(apply ? "wifi.connecting" : "saving")}
			doneText={apply ? "" : t("wifi.stored")}
			onDraft={({ apply: isApplied, ssid }) => {
				setApply(isApplied === true);
				setTyped(String(ssid));
			}}
			submit={submit}
		>
			{!isByHand && <p>{t("wifi.picked", { ssid: picked.ssid })}</p>}
			{hint !== undefined && (
				<>
					<Progress label={t("wifi.connecting")} limitS={TRIAL_LIMIT_MS / 1000} />
					<p class="help">{t("wifi.wait")}</p>
					{hint !== "" && <Notice kind="warning">{t("wifi.hint", { why: wifiErrorText(hint) })}</Notice>}
				</>
			)}
			{joined && <Joined status={joined} />}
		</Form>
	);
}

function beginning(status: NetworkStatus): Draft {
	const { wifi_ssid: ssid, wifi_dhcp: dhcp, hostname, ip, netmask, gateway } = status;
	const address = status.connected ? { ip, netmask, gateway } : {};
	return { ssid, dhcp, hostname, ...address, apply: hasRadio(status) };
}

function Joined({ status: { ssid, hostname, ip } }: { status: NetworkStatus }) {
	return (
		<Notice kind="good">
			<p>{t("wifi.joined", { ssid })}</p>
			<p>{t("wifi.addresses")}</p>
			<ul>
				{[`https://${hostname}.local/`, `https://${ip}/`].map((address) => (
					<li key={address}>
						<a href={address}>{address}</a>
					</li>
				))}
			</ul>
		</Notice>
	);
}

/**
 * Waits until the network is joined. Throws the reason of a failure. Calls `onHint` with the causes of failed attempts.
 */
async function untilJoined(ssid: string, onHint: (code: string) => void): Promise<NetworkStatus> {
	const start = Date.now();
	await wait(LEAVE_MS);
	for (;;) {
		const now = await get<NetworkStatus>("network/status");
		const code = now.wifi_last_error ?? "";
		if (now.connected && now.ssid === ssid && code === "") return now;
		const elapsed = Date.now() - start;
		const hasGivenUp = now.wifi_ssid !== ssid || (now.connected && code !== "") || elapsed > TRIAL_LIMIT_MS;
		if (hasGivenUp || (code === "wifi/wrong-password" && elapsed > WRONG_PASSWORD_AFTER_MS)) {
			throw new DeviceError(0, code || "wifi/no-address", "");
		}
		onHint(code);
		await wait(POLL_MS);
	}
}
