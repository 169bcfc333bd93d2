/**
 * Settings of the MQTT client. Password and certificate stand in one entry with the broker's address, so that a change is
 * one write: a password never meets another broker.
 */
import { blobReferenceLimit } from "../config/blob.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, INTEGER, INTERNAL, TEXT } from "../config/schema.js";

/** Positions of the entries among all (parts.ts): unique, and never used for something else. */
const IN_MQTT = 17;
const IN_MQTT_ANNOUNCED = 18;

/** Printable characters without the blank. */
const GRAPHIC = "!~";
/** Anything but control characters. */
const VISIBLE = " ";
/** Characters of a topic that is not a filter: no blank, `#`, `+`. */
const TOPIC = '!"$*,~';

/** Bytes of the longest certificate: an authority's, with another of its chain. */
export const MQTT_CERTIFICATE_LIMIT = 3072;
/** What `topics` may be: all values in one JSON text, a topic for each of them, or both. */
export const TOPICS_JSON = "json";
export const TOPICS_VALUES = "values";
export const TOPICS_BOTH = "both";

/** What the owner calls his broker, himself and his topics. */
function text(id: number, name: string, [maximum, characters, initial]: readonly [number, string, string]) {
	return field<string>({ entry: IN_MQTT, id, name, kind: TEXT, maximum, characters, initial });
}

export const MQTT_ENABLED = field<boolean>({
	entry: IN_MQTT,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: false,
});
export const MQTT_URL = text(2, "url", Object.freeze([255, GRAPHIC, ""] as const));
export const MQTT_USER = text(3, "user", Object.freeze([64, VISIBLE, ""] as const));
export const MQTT_PASSWORD = field<string>({
	entry: IN_MQTT,
	id: 4,
	name: "password",
	kind: TEXT,
	maximum: 128,
	characters: VISIBLE,
	initial: "",
	secret: true,
});
/** Refers to the certificate that the broker is known by (config/blob.ts); no bytes: none. */
export const MQTT_CERTIFICATE = field<Uint8Array>({
	entry: IN_MQTT,
	id: 5,
	name: "cert",
	kind: BYTES,
	maximum: blobReferenceLimit(MQTT_CERTIFICATE_LIMIT),
});
/** What all topics of this gateway begin with; its serial number follows. */
export const MQTT_TOPIC = text(6, "topic", Object.freeze([64, TOPIC, "smgw"] as const));
export const MQTT_TOPICS = field<string>({
	entry: IN_MQTT,
	id: 7,
	name: "topics",
	kind: CHOICE,
	choices: Object.freeze([TOPICS_JSON, TOPICS_VALUES, TOPICS_BOTH]),
	initial: TOPICS_JSON,
});
/** Home Assistant is told what there is. */
export const MQTT_DISCOVERY = field<boolean>({
	entry: IN_MQTT,
	id: 8,
	name: "discovery",
	kind: BOOLEAN,
	initial: true,
});
export const MQTT_DISCOVERY_PREFIX = text(9, "discovery_prefix", Object.freeze([32, TOPIC, "homeassistant"] as const));
/** Language of the names that are announced. */
export const MQTT_LANG = field<string>({
	entry: IN_MQTT,
	id: 10,
	name: "lang",
	kind: CHOICE,
	choices: Object.freeze(["en", "de", "pl"]),
	initial: "en",
});
/** Seconds from the values of one readout to those of the next. Shorter than the initial value: without acknowledgement. */
export const MQTT_PAUSE_SECS = field<number>({
	entry: IN_MQTT,
	id: 11,
	name: "pause_secs",
	kind: INTEGER,
	minimum: 1,
	maximum: 3600,
	initial: 10,
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
]);

/**
 * What Home Assistant was told of and has not been told to forget: the check of the meter's identification (2 bytes), then
 * the keys of values in ASCII with a blank between. No bytes: nothing.
 */
export const MQTT_ANNOUNCED_VALUES = field<Uint8Array>({
	entry: IN_MQTT_ANNOUNCED,
	id: 1,
	name: "values",
	kind: BYTES,
	maximum: 1000,
});
export const MQTT_ANNOUNCED = entry("mqtt_announced", 1, [MQTT_ANNOUNCED_VALUES], INTERNAL);
