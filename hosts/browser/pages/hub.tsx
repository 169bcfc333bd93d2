/**
 * Outputs: Home Assistant by its REST API, and MQTT.
 *
 * While the hub is on, the API requires address, token and certificate at every save (API text, "Hub settings"). A
 * stored MQTT password is only valid for its broker and certificate.
 */
import { useState } from "preact/hooks";
import { HUB, MQTT } from "../kit/bodies.js";
import { type DeviceError, get, post } from "../kit/device.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatMoment } from "../kit/format.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { refresh, status, useBuilt } from "../kit/live.js";
import { announce, Button, Card, Chip, ErrorNotice, Fact, Facts, Notice, Pending } from "../kit/parts.js";
import type { Hub as HubSettings, HubTest, MQTT as MQTTSettings, MQTTTest } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { isText, language, t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";
import { LANGUAGE_NAMES, LANGUAGES } from "../text/translations.js";

/** Limit for name resolution, connection, handshake and replies together. */
const TEST_MS = 90_000;

export function Hub() {
	const isBuilt = useBuilt();
	return (
		<div class="cards">
			{isBuilt("mqtt") && <MQTTCard />}
			{isBuilt("hub") && <HubCard />}
		</div>
	);
}

function MQTTCard() {
	const { value, error, reload, put } = useDevice<MQTTSettings>("mqtt");
	const now = useStore(status);
	return (
		<Card title={t("mqtt.title")}>
			<p>{t("mqtt.intro")}</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<>
					<Outcome enabled={value.enabled} state={now?.mqtt_state} sentS={now?.mqtt_sent} name="MQTT" />
					<Facts>
						<Fact name={t("mqtt.base")}>
							<code>{value.base_topic}</code>
						</Fact>
					</Facts>
					{value.enabled && <Test path="mqtt/send" />}
					<h3>{t("out.settings")}</h3>
					<MQTTForm settings={value} onSaved={put} />
				</>
			)}
		</Card>
	);
}

function HubCard() {
	const { value, error, reload, put } = useDevice<HubSettings>("hub");
	const now = useStore(status);
	const { timeZone } = useZone();
	const { hub_statistics: state = "absent", hub_statistics_upto: upto = 0 } = now ?? {};
	return (
		<Card title={t("state.hub")}>
			<p>{t("hub.intro")}</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<>
					<Outcome enabled={value.enabled} state={now?.hub_state} sentS={now?.hub_sent} name={t("state.hub")} />
					<Facts>
						{value.url !== undefined && <Fact name={t("hub.url")}>{value.url}</Fact>}
						<Fact name={t("hub.token")}>{t(value.token_set ? "stored" : "stored.not")}</Fact>
						<Fact name={t("cert.title")}>{t(value.cert_set ? "stored" : "stored.not")}</Fact>
						{state !== "off" && state !== "absent" && (
							<Fact name={t("hub.statistics")}>
								{state === "ok"
									? formatMoment(upto, language, timeZone)
									: state === "waiting"
										? t("out.never")
										: stateText(state)}
							</Fact>
						)}
					</Facts>
					{value.enabled && <Test path="hub/send" />}
					<h3>{t("out.settings")}</h3>
					<HubForm settings={value} onSaved={put} />
				</>
			)}
		</Card>
	);
}

const HEALTHY_STATES = ["off", "ok", "waiting", "connecting"];

/** Meaning of a state, with advice; the code itself if there is no text for it. */
function stateText(state: string): string {
	const key = `out.${state}`;
	return isText(key) ? t(key) : t("out.other", { error: state });
}

interface OutcomeProps {
	readonly enabled: boolean;
	/** State from the gateway's status; undefined until the status has arrived. */
	readonly state: string | undefined;
	/** Unix time of the last message; 0 if nothing was sent yet. */
	readonly sentS: number | undefined;
	readonly name: string;
}

function Outcome({ enabled, state = "off", sentS = 0, name }: OutcomeProps) {
	const { timeZone, zoneName } = useZone();
	const hasFailed = enabled && !HEALTHY_STATES.includes(state);
	const isGood = enabled && state === "ok";
	return (
		<>
			<p class="chips">
				<Chip state={hasFailed ? "warning" : isGood ? "good" : "off"} name={name}>
					{t(hasFailed ? "state.failed" : enabled ? (isGood ? "state.ok" : "out.waiting") : "state.off")}
				</Chip>
			</p>
			{enabled && (
				<Facts>
					<Fact name={t("out.sent")}>
						{sentS === 0 ? t("out.never") : `${formatMoment(sentS, language, timeZone)} ${zoneName}`}
					</Fact>
				</Facts>
			)}
			{hasFailed && <Notice kind="warning">{stateText(state)}</Notice>}
		</>
	);
}

/** Tests a connection. This may take more than a minute; the rest of the page remains usable. */
function Test({ path }: { path: string }) {
	const [busy, setBusy] = useState(false);
	const [outcome, setOutcome] = useState<HubTest | MQTTTest | DeviceError>();
	const run = async () => {
		setBusy(true);
		setOutcome(undefined);
		try {
			const tested = await get<HubTest | MQTTTest>(path, { timeoutMs: TEST_MS, lane: "meter" });
			setOutcome(tested);
			announce(tested.retcode === 0 ? t("out.ok") : stateText(tested.code));
		} catch (reason) {
			setOutcome(asDeviceError(reason));
		}
		setBusy(false);
		refresh().catch(() => undefined);
	};
	return (
		<>
			<p>
				<Button busy={busy ? t("out.testing") : undefined} onClick={run}>
					{t("out.test")}
				</Button>
			</p>
			{outcome !== undefined &&
				("retcode" in outcome ? (
					<Notice kind={outcome.retcode === 0 ? "good" : "warning"}>
						{outcome.retcode === 0 ? t("out.ok") : stateText(outcome.code)}
					</Notice>
				) : (
					<ErrorNotice error={outcome} />
				))}
		</>
	);
}

const isOn = ({ enabled }: Draft) => enabled === true;
const isSecure = (draft: Draft) => isOn(draft) && /^(https|mqtts):/i.test(String(draft["url"]));

/** Language of the names that the values get. */
const LANGUAGE_FIELD = {
	name: "lang",
	label: "hub.lang",
	kind: "choice",
	choices: choicesOf(HUB.lang, (value) => LANGUAGE_NAMES[LANGUAGES.indexOf(value)]),
	when: isOn,
} as const satisfies FieldSpec;

/** Field for the certificate by which the server is recognised. */
function certificateField(help: TextKey, max: number, required: boolean) {
	return {
		name: "cert",
		label: "hub.cert.area",
		help,
		kind: "area",
		accept: ".pem,.crt,.cer,.txt",
		max,
		pattern: /-----BEGIN CERTIFICATE-----/,
		form: { says: "form.pem" },
		refused: "refused.pem",
		required,
		when: isSecure,
	} as const satisfies FieldSpec;
}

const STATISTICS_FIELD = {
	name: "statistics",
	label: "hub.statistics",
	help: "hub.statistics.help",
	kind: "toggle",
	when: isOn,
} as const satisfies FieldSpec;

function hubFields({ cert_max_size }: HubSettings, hasStatistics: boolean): readonly FieldSpec[] {
	return fieldsOf(HUB, [
		{ name: "enabled", label: "hub.enabled", kind: "toggle" },
		{
			name: "url",
			label: "hub.url",
			help: "hub.url.help",
			kind: "text",
			pattern: /^https?:\/\/[^\s/?#@\\]+(\/[^?#\s\\]*)?$/i,
			form: { says: "form.url" },
			required: true,
			when: isOn,
		},
		{
			name: "token",
			label: "hub.token",
			help: "hub.token.help",
			kind: "password",
			required: true,
			autocomplete: "off",
			when: isOn,
		},
		certificateField("hub.cert.help", cert_max_size, true),
		LANGUAGE_FIELD,
		...(hasStatistics ? [STATISTICS_FIELD] : []),
	]);
}

interface FormProps<Settings> {
	readonly settings: Settings;
	onSaved(settings: Settings): void;
}

function HubForm({ settings, onSaved }: FormProps<HubSettings>) {
	const { enabled, url = "", lang = "en", statistics } = settings;
	const [wanted, setWanted] = useState(enabled);
	const hasStatistics = useBuilt()("statistics");
	return (
		<>
			<p>{t(wanted ? "hub.why" : "hub.off")}</p>
			<Form
				fields={hubFields(settings, hasStatistics)}
				values={{ enabled, url, lang, ...(hasStatistics ? { statistics } : {}) }}
				onDraft={(draft) => setWanted(isOn(draft))}
				submit={async (values) => {
					onSaved(await post<HubSettings>("hub", values));
					refresh().catch(() => undefined);
				}}
			/>
		</>
	);
}

function mqttFields({ cert_max_size, cert_set }: MQTTSettings): readonly FieldSpec[] {
	return fieldsOf(MQTT, [
		{ name: "enabled", label: "mqtt.enabled", kind: "toggle" },
		{
			name: "url",
			label: "mqtt.url",
			help: "mqtt.url.help",
			kind: "text",
			pattern: /^mqtts?:\/\/[^\s/?#@\\]+\/?$/i,
			form: { says: "form.broker" },
			required: true,
			when: isOn,
		},
		{ name: "user", label: "login.user", kind: "text", when: isOn },
		{ name: "password", label: "login.password", kind: "secret", storedFlag: "password_set", when: isOn },
		certificateField("mqtt.cert.help", cert_max_size, !cert_set),
		{ name: "client_cert", label: "mqtt.client_cert", help: "mqtt.client_cert.help", kind: "toggle", when: isSecure },
		{ name: "discovery", label: "mqtt.discovery", help: "mqtt.discovery.help", kind: "toggle", when: isOn },
		{
			name: "topics",
			label: "mqtt.topics",
			kind: "choice",
			choices: choicesOf(MQTT.topics, (value) => t(`mqtt.topics.${value}`)),
			when: isOn,
		},
		{ name: "topic", label: "mqtt.topic", kind: "text", required: true, when: isOn },
		LANGUAGE_FIELD,
	]);
}

function MQTTForm({ settings, onSaved }: FormProps<MQTTSettings>) {
	const { enabled, url, user, client_cert, topic, topics, discovery, lang, password_set } = settings;
	return (
		<Form
			fields={mqttFields(settings)}
			values={{ enabled, url, user, client_cert, topic, topics, discovery, lang, password_set }}
			submit={async ({ cert, ...values }) => {
				// Without `cert` the gateway keeps the stored certificate.
				onSaved(await post<MQTTSettings>("mqtt", cert ? { ...values, cert } : values));
				refresh().catch(() => undefined);
			}}
		/>
	);
}
