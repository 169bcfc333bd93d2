/** Log events of the MQTT output. */
import { kind } from "../../diagnostics/events.js";

/** First failure after a success. The event's detail is the code of the failure. */
export const EVENT_MQTT_FAILED = kind(20, "mqtt_failed", { isPlain: true });
/** First success after a failure: the broker has accepted everything. */
export const EVENT_MQTT_SENT = kind(21, "mqtt_sent");

/** A command that changes something was carried out. The event's detail is the command. */
export const EVENT_MQTT_COMMAND = kind(36, "mqtt_command", { isPlain: true });
/** A command was ignored. The event's detail is the reason. */
export const EVENT_MQTT_IGNORED = kind(37, "mqtt_command_ignored", { isPlain: true });

export const MQTT_EVENTS = Object.freeze([EVENT_MQTT_FAILED, EVENT_MQTT_SENT, EVENT_MQTT_COMMAND, EVENT_MQTT_IGNORED]);
