/** Events of sending to the hub. */
import { kind } from "../diagnostics/events.js";

/** After a success; detail: code. */
export const EVENT_HUB_FAILED = kind(18, "hub_failed", { isPlain: true });
/** After a failure. */
export const EVENT_HUB_BACK = kind(19, "hub_back");

export const HUB_EVENTS = Object.freeze([EVENT_HUB_FAILED, EVENT_HUB_BACK]);
