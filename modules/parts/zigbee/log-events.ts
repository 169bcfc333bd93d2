/** Log events of the Zigbee bridge. */
import { kind } from "../../diagnostics/events.js";

export const EVENT_ZIGBEE_JOINED = kind(31, "zigbee_joined", { isPlain: true });
export const EVENT_ZIGBEE_LEFT = kind(32, "zigbee_left", { isPlain: true });
export const EVENT_ZIGBEE_SILENT = kind(33, "zigbee_silent", { isPlain: true });
/** The coprocessor answers again. The event's detail is its firmware. */
export const EVENT_ZIGBEE_BACK = kind(34, "zigbee_back", { isPlain: true });
/** The coprocessor has unsupported firmware. The event's detail is this firmware. */
export const EVENT_ZIGBEE_FOREIGN = kind(35, "zigbee_foreign", { isPlain: true });

export const ZIGBEE_EVENTS = Object.freeze([
	EVENT_ZIGBEE_JOINED,
	EVENT_ZIGBEE_LEFT,
	EVENT_ZIGBEE_SILENT,
	EVENT_ZIGBEE_BACK,
	EVENT_ZIGBEE_FOREIGN,
]);
