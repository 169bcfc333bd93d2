/** Events of publishing by MQTT. */
import { kind } from "../diagnostics/events.js";

/** The first failure, and each that is another one; with its code. */
export const EVENT_MQTT_FAILED = kind(20, "mqtt_failed", { isPlain: true });
/** The broker has taken everything again. */
export const EVENT_MQTT_SENT = kind(21, "mqtt_sent");

export const MQTT_EVENTS = Object.freeze([EVENT_MQTT_FAILED, EVENT_MQTT_SENT]);
