/** Events of sending to the hub. */
import { kind } from "../diagnostics/events.js";

/** The first failure after a success; the detail is its code. */
export const EVENT_HUB_FAILED = kind(18, "hub_failed", { isPlain: true });
/** The first success after a failure. */
export const EVENT_HUB_BACK = kind(19, "hub_back");

export const HUB_EVENTS = Object.freeze([EVENT_HUB_FAILED, EVENT_HUB_BACK]);
