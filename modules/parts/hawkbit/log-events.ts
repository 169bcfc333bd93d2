/** Log events of the roll-out by hawkBit. */
import { kind } from "../../diagnostics/events.js";

/** A poll has failed for the first time after a success. Detail: code of the failure. */
export const EVENT_HAWKBIT_FAILED = kind(38, "hawkbit_failed", { isPlain: true });
/** A poll has succeeded for the first time after a failure. */
export const EVENT_HAWKBIT_BACK = kind(39, "hawkbit_back");

export const HAWKBIT_EVENTS = Object.freeze([EVENT_HAWKBIT_FAILED, EVENT_HAWKBIT_BACK]);
