/** State of Zigbee, the form for joining a network, and the mapping of values. */
import { useEffect, useState } from "preact/hooks";
import { announce, Button, Card, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { awaitRestart, post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatNumber } from "../kit/format.js";
import { status } from "../kit/live.js";
import type { Zigbee as Radio, Version } from "../kit/replies.js";
import { SettingsPage } from "../kit/saves.js";
import { isBad, ZigbeeChip } from "../kit/states.js";
import { useStore } from "../kit/store.js";
import { isText, language, t } from "../kit/text.js";
import { useDevice, usePoll } from "../kit/use-device.js";
import { ABSENT, type Sent, type ZigbeeMap } from "./mapping.js";
import { MapForm } from "./zigbee-map.js";

const POLL_MS = 10_000;
const JOINING_POLL_MS = 2_000;
/** Time for which the gateway searches for a network. */
const JOINING_S = 300;

export function Zigbee() {
	const { zigbee_state, zigbee_sent } = useStore(status) ?? {};
	const { value: radio, error, reload } = useDevice<Radio>("zigbee/config");
	usePoll(reload, radio?.joining_secs ? JOINING_POLL_MS : POLL_MS);
	useEffect(() => {
		if (radio !== undefined) reload();
	}, [zigbee_state, zigbee_sent]);
	return (
		<SettingsPage>
			<Card title={t("network.state")} wide={radio?.state === ABSENT}>
				{radio === undefined ? <Pending error={error} reload={reload} /> : <State radio={radio} reload={reload} />}
			</Card>
			{radio !== undefined && radio.state !== ABSENT && (
				<Card title={t("nav.zigbee")}>
					<Form
						fields={FIELDS}
						values={{ enabled: radio.enabled }}
						submit={async (values) => {
							await post("zigbee/config", values);
							if (values["enabled"] !== radio.enabled) awaitRestart({ reason: "restart", addresses: [] });
						}}
					/>
				</Card>
			)}
			<MapCard sent={radio?.reported} />
		</SettingsPage>
	);
}

const FIELDS: readonly FieldSpec[] = [
	{ name: "enabled", label: "zigbee.enabled", help: "zigbee.enabled.help", kind: "toggle" },
];

function hex(value: number): string {
	return value.toString(16).toUpperCase().padStart(4, "0");
}

interface StateProps {
	readonly radio: Radio;
	reload(): Promise<void>;
}

/** Progress of joining since the page was opened. */
type Joining = "begun" | "done" | "failed" | undefined;

function State({ radio, reload }: StateProps) {
	const { joined, joining_secs, role, ieee_address, coprocessor } = radio;
	const isJoining = joining_secs > 0;
	// Between two attempts the gateway's state is "not joined", so the page shows "joining".
	const state = isJoining && radio.state === "not_joined" ? "joining" : radio.state;
	const { value: version } = useDevice<Version>("system/version");
	const [asking, setAsking] = useState(false);
	const [joining, setJoining] = useState<Joining>();
	// The name is the same as in modules/zigbee/attributes.ts.
	const name = `Meter gateway ${version?.device.model ?? ""}`;
	const joinedText = t("zigbee.joined", { name, pan: hex(radio.pan_id), n: radio.channel });
	const isOver = !isJoining && (state === "joined" || state === "not_joined");
	useEffect(() => {
		if (isJoining) setJoining("begun");
		else if (joining !== "begun") setJoining(undefined);
		else if (isOver) {
			setJoining(joined ? "done" : "failed");
			announce(joined ? joinedText : t("zigbee.failed"));
		}
	}, [isJoining, state]);
	const about = `zigbee.is.${state}`;
	return (
		<>
			<p class="chips">
				<ZigbeeChip state={state} />
			</p>
			{isText(about) && (isBad(state) ? <Notice kind="warning">{t(about)}</Notice> : <p>{t(about)}</p>)}
			{state === "joined" && (joining === "done" ? <Notice kind="good">{joinedText}</Notice> : <p>{joinedText}</p>)}
			{joining === "failed" && <Notice kind="warning">{t("zigbee.failed")}</Notice>}
			{isJoining && (
				<div class="progress">
					<progress aria-label={t("state.joining")} max={JOINING_S} value={JOINING_S - joining_secs} />
					<small>{t("pin.left", { n: joining_secs })}</small>
				</div>
			)}
			{!isJoining && (joined || state === "not_joined") && (
				<p>
					<Button name="join" kind={joined ? "plain" : "main"} onClick={() => setAsking(true)}>
						{t(joined ? "zigbee.rejoin" : "zigbee.join")}
					</Button>
				</p>
			)}
			{radio.enabled && (
				<Facts>
					{(joined || state === "parent_lost") && (
						<>
							<Fact name={t("zigbee.channel")}>{formatNumber(radio.channel, language)}</Fact>
							<Fact name={t("zigbee.pan")}>{hex(radio.pan_id)}</Fact>
							<Fact name={t("zigbee.epan")}>{radio.extended_pan_id}</Fact>
							<Fact name={t("zigbee.short")}>{hex(radio.short_address)}</Fact>
						</>
					)}
					{ieee_address && <Fact name={t("zigbee.ieee")}>{ieee_address}</Fact>}
					<Fact name={t("zigbee.role")}>{t(role === "router" ? "zigbee.router" : "zigbee.end")}</Fact>
					{coprocessor && <Fact name={t("zigbee.firmware")}>{coprocessor}</Fact>}
				</Facts>
			)}
			{asking && (
				<Confirm
					title={t("zigbee.join")}
					action={t("zigbee.join")}
					run={async () => {
						await post("zigbee/reset");
						setJoining("begun");
						await reload();
					}}
					onClose={() => setAsking(false)}
				>
					{joined && <p>{t("zigbee.leaves")}</p>}
					<p>{t("zigbee.open")}</p>
				</Confirm>
			)}
		</>
	);
}

function MapCard({ sent }: { sent: readonly Sent[] | undefined }) {
	const { value, error, reload, put } = useDevice<ZigbeeMap>("zigbee/map");
	return (
		<Card title={t("map.title")} wide>
			<p>
				{t("map.intro")} <a href="#/readings">{t("nav.readings")}</a>
			</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<MapForm sent={sent} entries={value.mapping} onStored={put} />
			)}
		</Card>
	);
}
