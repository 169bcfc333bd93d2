/** Log events of the hub. */
import { kind } from "../diagnostics/events.js";

/** First failure after a success; detail: its code. */
export const EVENT_HUB_FAILED = kind(18, "hub_failed", { isPlain: true });
/** First success after a failure. */
export const EVENT_HUB_BACK = kind(19, "hub_back");

export const HUB_EVENTS = Object.freeze([EVENT_HUB_FAILED, EVENT_HUB_BACK]);
