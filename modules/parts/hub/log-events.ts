/** Log events of the hub. */
import { kind } from "../../diagnostics/events.js";

/** A batch has failed for the first time after a success. Detail: code of the failure. */
export const EVENT_HUB_FAILED = kind(18, "hub_failed", { isPlain: true });
/** A batch has succeeded for the first time after a failure. */
export const EVENT_HUB_BACK = kind(19, "hub_back");

export const HUB_EVENTS = Object.freeze([EVENT_HUB_FAILED, EVENT_HUB_BACK]);
