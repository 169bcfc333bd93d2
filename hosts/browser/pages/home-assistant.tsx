/**
 * Settings for sending readings to Home Assistant by its REST API. While sending is on, the gateway's API requires
 * address, token and certificate whenever settings are saved (API text, "Hub settings").
 */
import { useState } from "preact/hooks";
import { HUB } from "../kit/bodies.js";
import { Card, Fact, Facts, Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import type { FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatMoment } from "../kit/format.js";
import { fieldsOf } from "../kit/limits.js";
import { refresh, status, useHasPart } from "../kit/live.js";
import type { Hub as HubSettings } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import { certificateField, type FormProps, isOn, LANGUAGE_FIELD, Outcome, stateText, Test } from "./output.js";

export function HomeAssistantCard() {
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
					<HubForm settings={value} onSaved={put} />
				</>
			)}
		</Card>
	);
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

function HubForm({ settings, onSaved }: FormProps<HubSettings>) {
	const { enabled, url = "", lang = "en", statistics } = settings;
	const [wanted, setWanted] = useState(enabled);
	const hasStatistics = useHasPart()("statistics");
	return (
		<>
			{wanted && <p>{t("hub.why")}</p>}
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
