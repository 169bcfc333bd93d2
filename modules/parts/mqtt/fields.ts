/**
 * Settings of the MQTT client. Password, certificate and address are in one entry, so one write stores all three, and
 * the password is never used with another broker.
 */

import { blobReferenceLimit } from "../../config/blob.js";
import { ENTRY_MQTT, ENTRY_MQTT_ANNOUNCED } from "../../config/entries.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, INTEGER, INTERNAL, TEXT } from "../../config/schema.js";
import { CERTIFICATE_LIMIT } from "../../config/trusted-certificates.js";

/** Printable characters except the blank. */
const GRAPHIC = "!~";
/** All characters except control characters. */
const VISIBLE = " ";
/** Characters of a topic without wildcards: no blank, `#` or `+`. */
const TOPIC = '!"$*,~';

/** Choices: one JSON text with all values, one topic for each value, or both. */
export const TOPICS_JSON = "json";
export const TOPICS_VALUES = "values";
export const TOPICS_BOTH = "both";

function text(id: number, name: string, [maximum, characters, initial]: readonly [number, string, string]) {
	return field<string>({ entry: ENTRY_MQTT, id, name, kind: TEXT, maximum, characters, initial });
}

export const MQTT_ENABLED = field<boolean>({
	entry: ENTRY_MQTT,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: false,
});
export const MQTT_URL = text(2, "url", Object.freeze([255, GRAPHIC, ""] as const));
export const MQTT_USER = text(3, "user", Object.freeze([64, VISIBLE, ""] as const));
export const MQTT_PASSWORD = field<string>({
	entry: ENTRY_MQTT,
	id: 4,
	name: "password",
	kind: TEXT,
	maximum: 128,
	characters: VISIBLE,
	initial: "",
	secret: true,
});
/** Reference to the trusted certificate of the broker (config/blob.ts); empty if there is none. */
export const MQTT_CERTIFICATE = field<Uint8Array>({
	entry: ENTRY_MQTT,
	id: 5,
	name: "cert",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_LIMIT),
});
/** First part of all topics. The gateway's serial number follows it. */
export const MQTT_TOPIC = text(6, "topic", Object.freeze([64, TOPIC, "smgw"] as const));
export const MQTT_TOPICS = field<string>({
	entry: ENTRY_MQTT,
	id: 7,
	name: "topics",
	kind: CHOICE,
	choices: Object.freeze([TOPICS_JSON, TOPICS_VALUES, TOPICS_BOTH]),
	initial: TOPICS_JSON,
});
/** True to announce the entities to Home Assistant. */
export const MQTT_DISCOVERY = field<boolean>({
	entry: ENTRY_MQTT,
	id: 8,
	name: "discovery",
	kind: BOOLEAN,
	initial: true,
});
export const MQTT_DISCOVERY_PREFIX = text(9, "discovery_prefix", Object.freeze([32, TOPIC, "homeassistant"] as const));
/** Language of the announced names. */
export const MQTT_LANG = field<string>({
	entry: ENTRY_MQTT,
	id: 10,
	name: "lang",
	kind: CHOICE,
	choices: Object.freeze(["en", "de", "pl"]),
	initial: "en",
});
/**
 * Minimum time between sending the values of two readouts, seconds. If it is shorter than the initial value, values are
 * sent without acknowledgement.
 */
export const MQTT_PAUSE_SECS = field<number>({
	entry: ENTRY_MQTT,
	id: 11,
	name: "pause_secs",
	kind: INTEGER,
	minimum: 1,
	maximum: 3600,
	initial: 10,
});
/** True to accept commands by MQTT. Anyone who may publish on the broker can then send them. */
export const MQTT_COMMANDS = field<boolean>({
	entry: ENTRY_MQTT,
	id: 12,
	name: "commands",
	kind: BOOLEAN,
	initial: false,
});
/** True to show the HTTPS certificate to a broker that asks for a client certificate (mqtts:// only). */
export const MQTT_CLIENT_CERT = field<boolean>({
	entry: ENTRY_MQTT,
	id: 13,
	name: "client_cert",
	kind: BOOLEAN,
	initial: false,
});
export const MQTT = entry("mqtt", 1, [
	MQTT_ENABLED,
	MQTT_URL,
	MQTT_USER,
	MQTT_PASSWORD,
	MQTT_CERTIFICATE,
	MQTT_TOPIC,
	MQTT_TOPICS,
	MQTT_DISCOVERY,
	MQTT_DISCOVERY_PREFIX,
	MQTT_LANG,
	MQTT_PAUSE_SECS,
	MQTT_COMMANDS,
	MQTT_CLIENT_CERT,
]);

/**
 * Keys that were announced to Home Assistant and not withdrawn. The ASCII text has the discovery prefix, a check of the
 * meter's identification, and the keys, each followed by a blank. Empty if nothing is announced.
 */
export const MQTT_ANNOUNCED_VALUES = field<Uint8Array>({
	entry: ENTRY_MQTT_ANNOUNCED,
	id: 1,
	name: "values",
	kind: BYTES,
	maximum: 860,
});
/**
 * Description of what the broker retains of this gateway (message-queue.ts). Empty if nothing was published yet.
 */
export const MQTT_RETAINED = field<string>({
	entry: ENTRY_MQTT_ANNOUNCED,
	id: 2,
	name: "retained",
	kind: TEXT,
	maximum: 128,
	characters: VISIBLE,
	initial: "",
});
export const MQTT_ANNOUNCED = entry("mqtt_announced", 1, [MQTT_ANNOUNCED_VALUES, MQTT_RETAINED], INTERNAL);
