/** Log events of the roll-out by hawkBit. */
import { kind } from "../diagnostics/events.js";

/** First failure after a success. Detail: its code. */
export const EVENT_HAWKBIT_FAILED = kind(38, "hawkbit_failed", { isPlain: true });
/** First success after a failure. */
export const EVENT_HAWKBIT_BACK = kind(39, "hawkbit_back");

export const HAWKBIT_EVENTS = Object.freeze([EVENT_HAWKBIT_FAILED, EVENT_HAWKBIT_BACK]);
