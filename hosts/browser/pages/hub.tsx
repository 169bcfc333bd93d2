/**
 * Hub: where readings are sent. The API wants address, token and certificate at every save while it is on (API text,
 * "Hub settings"), so that the form asks for all of them and says why.
 */

import { useState } from "preact/hooks";
import { HUB } from "../kit/bodies.js";
import { post } from "../kit/device.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { refresh, status } from "../kit/live.js";
import { Card, Chip, Fact, Facts, Notice, Pending } from "../kit/parts.js";
import type { Hub as HubSettings } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { LANGUAGE_NAMES, LANGUAGES } from "../text/translations.js";

export function Hub() {
	const { value, error, reload, put } = useDevice<HubSettings>("hub");
	return (
		<div class="cards">
			<Card title={t("hub.stored")}>
				<p>{t("hub.intro")}</p>
				{value === undefined ? <Pending error={error} reload={reload} /> : <Stored settings={value} />}
			</Card>
			<Card title={t("hub.settings")}>
				{value === undefined ? <Pending error={error} reload={reload} /> : <Settings settings={value} onSaved={put} />}
			</Card>
		</div>
	);
}

function Stored({ settings: { enabled, url, token_set, cert_set } }: { settings: HubSettings }) {
	const state = useStore(status)?.hub_state ?? "off";
	const hasFailed = enabled && !["off", "ok", "unsupported", "waiting"].includes(state);
	const isIdle = !enabled || state === "unsupported";
	const word = hasFailed ? "state.failed" : enabled ? (isIdle ? "state.unsupported" : "on") : "off";
	return (
		<>
			<p class="chips">
				<Chip state={hasFailed ? "warning" : isIdle ? "off" : "good"} name={t("state.hub")}>
					{t(word)}
				</Chip>
			</p>
			<Facts>
				{url !== undefined && <Fact name={t("hub.url")}>{url}</Fact>}
				<Fact name={t("hub.token")}>{t(token_set ? "stored" : "stored.not")}</Fact>
				<Fact name={t("hub.cert")}>{t(cert_set ? "stored" : "stored.not")}</Fact>
			</Facts>
			{enabled && state === "unsupported" && <Notice kind="info">{t("hub.unsupported")}</Notice>}
			{hasFailed && <Notice kind="warning">{t("hub.failed", { error: state })}</Notice>}
		</>
	);
}

const isOn = ({ enabled }: Draft) => enabled === true;
const isSecure = (draft: Draft) => isOn(draft) && /^https:/i.test(String(draft["url"]));

function fieldsFor({ cert_max_size }: HubSettings): readonly FieldSpec[] {
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
		{
			name: "cert",
			label: "hub.cert.area",
			help: "hub.cert.help",
			kind: "area",
			accept: ".pem,.crt,.cer,.txt",
			max: cert_max_size,
			pattern: /-----BEGIN CERTIFICATE-----/,
			form: { says: "form.pem" },
			refused: "refused.pem",
			required: true,
			when: isSecure,
		},
		{
			name: "lang",
			label: "hub.lang",
			kind: "choice",
			choices: choicesOf(HUB.lang, (value) => LANGUAGE_NAMES[LANGUAGES.indexOf(value)]),
			when: isOn,
		},
	]);
}

interface SettingsProps {
	readonly settings: HubSettings;
	onSaved(settings: HubSettings): void;
}

function Settings({ settings, onSaved }: SettingsProps) {
	const { enabled, url = "", lang = "en" } = settings;
	const [wanted, setWanted] = useState(enabled);
	return (
		<>
			<p>{t(wanted ? "hub.why" : "hub.off")}</p>
			<Form
				fields={fieldsFor(settings)}
				values={{ enabled, url, lang }}
				onDraft={(draft) => setWanted(isOn(draft))}
				submit={async (values) => {
					onSaved(await post<HubSettings>("hub", values));
					refresh().catch(() => undefined);
				}}
			/>
		</>
	);
}
