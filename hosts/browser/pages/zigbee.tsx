/** Zigbee: its state, on and off, joining anew, and which value of the meter feeds which attribute. */
import { useState } from "preact/hooks";
import { awaitRestart, post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatNumber } from "../kit/format.js";
import { status } from "../kit/live.js";
import { announce, Button, Card, Chip, Fact, Facts, Notice, Pending } from "../kit/parts.js";
import type { Zigbee as ZigbeeNetwork } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { useDevice, usePoll } from "../kit/use-device.js";
import type { ZigbeeMap } from "./mapping.js";
import { MapForm } from "./zigbee-map.js";

const POLL_MS = 10_000;

export function Zigbee() {
	return (
		<div class="cards">
			<StateCard />
			<MapCard />
		</div>
	);
}

const FIELDS: readonly FieldSpec[] = [
	{ name: "enabled", label: "zigbee.enabled", help: "zigbee.enabled.help", kind: "toggle" },
];

function StateCard() {
	const now = useStore(status);
	const { value, error, reload } = useDevice<ZigbeeNetwork>("zigbee/config");
	usePoll(reload, POLL_MS);
	if (value === undefined || now === undefined) {
		return (
			<Card title={t("zigbee.state")}>
				<Pending error={error} reload={reload} />
			</Card>
		);
	}
	if (now.zigbee_state === "absent") {
		return (
			<Card title={t("zigbee.state")} wide>
				<p class="chips">
					<Chip state="off" name={t("state.zigbee")}>
						{t("state.absent")}
					</Chip>
				</p>
				<p>{t("zigbee.absent")}</p>
			</Card>
		);
	}
	return (
		<>
			<Card title={t("zigbee.state")}>
				<State state={value} />
			</Card>
			<Card title={t("state.zigbee")}>
				<Form
					fields={FIELDS}
					values={{ enabled: value.enabled }}
					submit={async (values) => {
						await post("zigbee/config", values);
						if (values["enabled"] !== value.enabled) awaitRestart({ reason: "restart", addresses: [] });
					}}
				/>
			</Card>
		</>
	);
}

function hex(value: number): string {
	return value.toString(16).toUpperCase().padStart(4, "0");
}

function State({ state }: { state: ZigbeeNetwork }) {
	const [asking, setAsking] = useState(false);
	const [asked, setAsked] = useState(false);
	const { enabled, joined, channel, short_address, extended_pan_id, pan_id } = state;
	if (!enabled) {
		return (
			<p class="chips">
				<Chip state="off" name={t("state.zigbee")}>
					{t("state.off")}
				</Chip>
			</p>
		);
	}
	return (
		<>
			<p class="chips">
				<Chip state={joined ? "good" : "warning"} name={t("zigbee.joined")}>
					{t(joined ? "zigbee.joined.yes" : "zigbee.joined.no")}
				</Chip>
			</p>
			{joined ? (
				<Facts>
					<Fact name={t("zigbee.channel")}>{formatNumber(channel, language)}</Fact>
					<Fact name={t("zigbee.pan")}>{hex(pan_id)}</Fact>
					<Fact name={t("zigbee.epan")}>{extended_pan_id}</Fact>
					<Fact name={t("zigbee.short")}>{hex(short_address)}</Fact>
				</Facts>
			) : (
				<p>{t("zigbee.join.help")}</p>
			)}
			{asked && !joined && <Notice kind="info">{t("zigbee.reset.done")}</Notice>}
			<div class="actions">
				<Button name="rejoin" onClick={() => setAsking(true)}>
					{t("zigbee.reset")}
				</Button>
			</div>
			{asking && (
				<Confirm
					title={t("zigbee.reset")}
					action={t("zigbee.reset")}
					run={async () => {
						await post("zigbee/reset");
						setAsked(true);
						announce(t("zigbee.reset.done"));
					}}
					onClose={() => setAsking(false)}
				>
					<p>{t("zigbee.reset.warn")}</p>
				</Confirm>
			)}
		</>
	);
}

function MapCard() {
	const { value, error, reload, put } = useDevice<ZigbeeMap>("zigbee/map");
	return (
		<Card title={t("map.title")} wide>
			<p>
				{t("map.intro")} <a href="#/readings">{t("nav.readings")}</a>
			</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<MapForm entries={value.mapping} onStored={put} />
			)}
		</Card>
	);
}
