/** MQTT routes: settings and test. docs/mqtt.md describes the messages. */

import type { BodyValues } from "../../api/body.js";
import { MISSING_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { failField, putsOf, writeSettings } from "../../api/settings.js";
import { CERTIFICATE_TEXT, certificateIn, serverSettings } from "../../api/trusted-certificate.js";
import { type Put, put, type SettingField } from "../../config/schema.js";
import { CERTIFICATE_LIMIT } from "../../config/trusted-certificates.js";
import { parseBrokerURL } from "../../mqtt/url.js";
import type { OutputPart, Sending } from "../publish/output-part.js";
import {
	MQTT,
	MQTT_CERTIFICATE,
	MQTT_DISCOVERY_PREFIX,
	MQTT_ENABLED,
	MQTT_PASSWORD,
	MQTT_TOPIC,
	MQTT_URL,
} from "./fields.js";
import { baseTopicOf } from "./message-queue.js";

export const MQTT_DISABLED = "mqtt_disabled";

export const MQTT_TEXTS = Object.freeze({
	enabled: MQTT_ENABLED,
	disabled: MQTT_DISABLED,
	name: "MQTT",
	taken: "The broker accepted everything. By MQTT 3.1.1 it can't tell whether an access list dropped a message.",
	hasStatus: false,
});

const STORED: readonly SettingField[] = Object.freeze(MQTT.fields.filter((field) => field !== MQTT_CERTIFICATE));

export const MQTT_SETTINGS = serverSettings(STORED, [], { show, accept });

function show(exchange: Exchange<OutputPart<Sending>>): void {
	const { config, info } = exchange.core;
	const hasCertificate = exchange.part.certificates.isSet;
	exchange.object((writer) => {
		writeSettings(writer, config, STORED);
		booleanMember(writer, "cert_set", hasCertificate);
		numberMember(writer, "cert_max_size", CERTIFICATE_LIMIT);
		textMember(writer, "base_topic", baseTopicOf(config, info.serial));
	});
}

/**
 * Returns the settings to store. Omitted fields keep their values. If broker or certificate change, the password must
 * be sent again.
 */
function accept(exchange: Exchange<OutputPart<Sending>>, values: BodyValues): readonly Put[] | undefined {
	const { config } = exchange.core;
	const received = certificateIn(exchange, values);
	if (received === undefined) return undefined;
	const { certificate, refusal } = received;
	const enabled = values.get(MQTT_ENABLED) ?? config.get(MQTT_ENABLED);
	const url = values.get(MQTT_URL) ?? config.get(MQTT_URL);
	const broker = parseBrokerURL(url);
	const hasCertificate = certificate === undefined ? exchange.part.certificates.isSet : certificate.length > 0;
	const isOther = certificate !== undefined || url !== config.get(MQTT_URL);
	const topic = [MQTT_TOPIC, MQTT_DISCOVERY_PREFIX].find((field) => !isTopic(values.get(field)));
	if (broker === undefined && (url !== "" || enabled))
		failField(exchange, MQTT_URL, "url must be mqtt:// or mqtts:// and a name or an IPv4 address, maybe with a port.");
	else if (refusal !== "") failField(exchange, CERTIFICATE_TEXT, refusal);
	else if (topic !== undefined)
		failField(exchange, topic, `${topic.name} must be a topic: not empty, without a slash at its beginning or end.`);
	else if (enabled && broker?.secure && !hasCertificate)
		exchange.fail(
			400,
			MISSING_FIELD,
			"mqtts:// needs cert: the broker's certificate, or that of its authority.",
			CERTIFICATE_TEXT.name,
		);
	else if (isOther && config.get(MQTT_PASSWORD) !== "" && values.get(MQTT_PASSWORD) === undefined)
		exchange.fail(
			400,
			MISSING_FIELD,
			"Re-enter the password when changing broker or certificate (empty for none).",
			MQTT_PASSWORD.name,
		);
	else return [...putsOf(STORED, values), put(MQTT_CERTIFICATE, certificate)];
	return undefined;
}

/** True for a valid topic, and for undefined, because an omitted field keeps its value. */
function isTopic(topic: string | undefined): boolean {
	return topic === undefined || (topic !== "" && !topic.startsWith("/") && !topic.endsWith("/"));
}
