/**
 * Settings for publishing by MQTT. A stored password is only valid for the broker and certificate with which it was
 * stored.
 */
import { MQTT } from "../kit/bodies.js";
import { Card, Fact, Facts, Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import type { FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { refresh, status } from "../kit/live.js";
import type { MQTT as MQTTSettings } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { certificateField, type FormProps, isOn, isSecure, LANGUAGE_FIELD, Outcome, Test } from "./output.js";

export function MQTTCard() {
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
					<MQTTForm settings={value} onSaved={put} />
				</>
			)}
		</Card>
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
				// If `cert` is missing, the gateway keeps the stored certificate.
				onSaved(await post<MQTTSettings>("mqtt", cert ? { ...values, cert } : values));
				refresh().catch(() => undefined);
			}}
		/>
	);
}
