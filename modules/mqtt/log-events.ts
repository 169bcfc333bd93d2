/** Log events of the MQTT output. */
import { kind } from "../diagnostics/events.js";

/** First failure, and each different one; with its code. */
export const EVENT_MQTT_FAILED = kind(20, "mqtt_failed", { isPlain: true });
/** First success after a failure. */
export const EVENT_MQTT_SENT = kind(21, "mqtt_sent");

export const MQTT_EVENTS = Object.freeze([EVENT_MQTT_FAILED, EVENT_MQTT_SENT]);
