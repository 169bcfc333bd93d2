/** Log events of the MQTT output. */
import { kind } from "../diagnostics/events.js";

/** The first failure, and each different one after it; the detail is its code. */
export const EVENT_MQTT_FAILED = kind(20, "mqtt_failed", { isPlain: true });
/** Success after a failure: the broker has taken everything. */
export const EVENT_MQTT_SENT = kind(21, "mqtt_sent");

export const MQTT_EVENTS = Object.freeze([EVENT_MQTT_FAILED, EVENT_MQTT_SENT]);
