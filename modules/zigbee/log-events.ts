/** Events of the Zigbee bridge. */
import { kind } from "../diagnostics/events.js";

/** The Zigbee bridge has joined a network, as it was asked to. */
export const EVENT_ZIGBEE_JOINED = kind(31, "zigbee_joined", { isPlain: true });
/** It is in no network any more: its owner or the coordinator has wanted that. */
export const EVENT_ZIGBEE_LEFT = kind(32, "zigbee_left", { isPlain: true });
/** The coprocessor does not answer. */
export const EVENT_ZIGBEE_SILENT = kind(33, "zigbee_silent", { isPlain: true });
/** It works again; with its firmware. */
export const EVENT_ZIGBEE_BACK = kind(34, "zigbee_back", { isPlain: true });
/** It runs a firmware that can't be used; with that. */
export const EVENT_ZIGBEE_FOREIGN = kind(35, "zigbee_foreign", { isPlain: true });

export const ZIGBEE_EVENTS = Object.freeze([
	EVENT_ZIGBEE_JOINED,
	EVENT_ZIGBEE_LEFT,
	EVENT_ZIGBEE_SILENT,
	EVENT_ZIGBEE_BACK,
	EVENT_ZIGBEE_FOREIGN,
]);
