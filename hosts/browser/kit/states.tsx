/** States of the gateway's parts as chips, and whether something needs attention. */
import { useState } from "preact/hooks";
import { Button, Chip, type ChipState, Icon } from "./components.js";
import { reachable } from "./device.js";
import { Dialog } from "./dialog.js";
import { failureText } from "./failures.js";
import { clockAheadS, network, readout, stale, status, useHasPart } from "./live.js";
import type { NetworkStatus, Status } from "./replies.js";
import { display } from "./session.js";
import { useStore } from "./store.js";
import { isText, t } from "./text.js";

/** If the gateway's and this device's clocks differ by this much, one of them must be wrong. */
export const APART_S = 60;

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

export function hasFailed(state: string): boolean {
	return STATE_CHIPS[state] === undefined;
}

export function isBad(radioState: string): boolean {
	return RADIO_CHIPS[radioState] === "warning";
}

/** A part of the gateway, the word for its state, and the page about it. */
interface Part {
	readonly name: string;
	readonly word: string;
	readonly chip: ChipState;
	readonly place: string;
	readonly reason?: string | undefined;
}

function wordOf(state: string): string {
	const key = `state.${state}`;
	return isText(key) ? t(key) : t("state.failed");
}

function partOf(name: string, state: string, place: string): Part {
	return {
		name,
		word: hasFailed(state) ? t("state.failed") : wordOf(state),
		chip: STATE_CHIPS[state] ?? "warning",
		place,
	};
}

function radioOf(state: string): Part {
	return { name: t("nav.zigbee"), word: wordOf(state), chip: RADIO_CHIPS[state] ?? "off", place: "zigbee" };
}

function netOf({ connected, ssid, ap_mode, wifi_enabled, wifi_temporary, interface: way }: NetworkStatus): Part {
	const place = "network";
	if (connected) {
		const isByCable = way === "ethernet";
		const name = t(isByCable ? "cable.title" : "state.wifi");
		return { name, word: (!isByCable && ssid) || t("on"), chip: "good", place };
	}
	const isOn = wifi_enabled || wifi_temporary;
	const word = t(ap_mode ? "state.ap" : isOn ? "state.disconnected" : "state.off");
	return { name: t("state.wifi"), word, chip: isOn && ssid !== "" ? "warning" : "off", place };
}

function clockOf(isSet: boolean): Part {
	const isRight = isSet && Math.abs(clockAheadS() ?? 0) <= APART_S;
	const word = t(isRight ? "state.ok" : isSet ? "state.apart" : "state.unset");
	return { name: t("state.clock"), word, chip: isRight ? "good" : "warning", place: "system" };
}

function meterOf({ meter_state }: Status, isStale: boolean, isUnread: boolean): Part {
	const part = { ...partOf(t("state.meter"), meter_state, "meter"), reason: failureText(meter_state) };
	if (isUnread && meter_state === "idle") return { ...part, chip: "warning" };
	return isStale && part.chip !== "warning" ? { ...part, word: t("stale.mark"), chip: "warning" } : part;
}

/** Returns the states of all parts. Those that need attention come first. */
function useParts(): readonly Part[] {
	const now = useStore(status);
	const link = useStore(network);
	const isStale = useStore(stale);
	const isUnread = useStore(readout)?.readings.length === 0;
	const isReachable = useStore(reachable);
	const hasPart = useHasPart();
	if (now === undefined) return [];
	const { safe_mode, low_voltage, storage_state, battery_low, ota_last_error, upgrade_version } = now;
	const isIll = safe_mode !== undefined || low_voltage || storage_state !== "ok" || battery_low;
	const warn = (name: string, word: string, place: string): Part => ({ name, word, chip: "warning", place });
	const all = [
		...(isReachable ? [] : [warn(t("title"), t("state.silent"), "network")]),
		...(isIll ? [warn(t("nav.system"), t("state.failed"), "system")] : []),
		meterOf(now, isStale && isReachable, isUnread),
		...(link === undefined ? [] : [netOf(link)]),
		radioOf(now.zigbee_state),
		partOf(t("state.hub"), now.hub_state, "hub"),
		...(hasPart("mqtt") ? [partOf("MQTT", now.mqtt_state, "hub")] : []),
		clockOf(now.clock_valid),
		...(now.password_default ? [warn(t("login.password"), t("state.label"), "setup")] : []),
		...(ota_last_error === "" ? [] : [warn(t("update.title"), t("state.failed"), "upkeep")]),
		...(upgrade_version
			? [{ name: t("update.title"), word: upgrade_version, chip: "off", place: "upkeep" } as const]
			: []),
	];
	return [...all.filter(({ chip }) => chip === "warning"), ...all.filter(({ chip }) => chip !== "warning")];
}

/** A word that says whether something needs attention. It opens the list of all states. */
export function StateButton() {
	const parts = useParts();
	const isDisplay = useStore(display);
	const [isOpen, setOpen] = useState(false);
	const close = () => setOpen(false);
	const n = parts.filter(({ chip }) => chip === "warning").length;
	if (parts.length === 0) return null;
	return (
		<>
			<button
				type="button"
				name="state"
				class={n === 0 ? "chip good" : "chip warning"}
				aria-haspopup="dialog"
				onClick={() => setOpen(true)}
			>
				<Icon name={n === 0 ? "check" : "warning"} />
				{n === 0 ? t("states.good") : t("states.bad", { n })}
			</button>
			{isOpen && (
				<Dialog title={t("links.title")} onClose={close} textFirst>
					<ul class="states">
						{parts.map((part) => (
							<li key={part.name}>
								{isDisplay ? (
									<PartChip {...part} />
								) : (
									<a href={`#/${part.place}`} onClick={close}>
										<PartChip {...part} />
									</a>
								)}
								{part.reason && <p class="help">{part.reason}</p>}
							</li>
						))}
					</ul>
					<div class="actions">
						<Button onClick={close}>{t("hide")}</Button>
					</div>
				</Dialog>
			)}
		</>
	);
}

function PartChip({ chip, name, word }: Part) {
	return (
		<Chip state={chip} name={name}>
			{word}
		</Chip>
	);
}

export function MeterChip({ now }: { now: Status }) {
	return <PartChip {...partOf(t("state.meter"), now.meter_state, "meter")} />;
}

export function ZigbeeChip({ state }: { state: string }) {
	return <PartChip {...radioOf(state)} />;
}
