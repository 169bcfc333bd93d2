/** Log events of firmware updates. */
import { kind } from "../diagnostics/events.js";

/** An update was installed. The event's details are version and sender. */
export const EVENT_UPDATE_INSTALLED = kind(25, "update_installed", { needsLogin: true });
/** An update was rejected. The event's details are code and sender. */
export const EVENT_UPDATE_REFUSED = kind(26, "update_refused");
/** The firmware was confirmed. The event's detail is its version. */
export const EVENT_UPDATE_CONFIRMED = kind(27, "update_confirmed", { isPlain: true });
/** The firmware was rejected after its trial. The event's detail is the failed check. */
export const EVENT_UPDATE_FAILED = kind(28, "update_failed", { isPlain: true });
/** The firmware was rolled back. The event's detail is the reason. */
export const EVENT_UPDATE_ROLLED_BACK = kind(29, "update_rolled_back", { isPlain: true });
/** Newer firmware was found. The event's detail is its version. */
export const EVENT_UPDATE_FOUND = kind(30, "update_found", { isPlain: true });

export const UPDATE_EVENTS = Object.freeze([
	EVENT_UPDATE_INSTALLED,
	EVENT_UPDATE_REFUSED,
	EVENT_UPDATE_CONFIRMED,
	EVENT_UPDATE_FAILED,
	EVENT_UPDATE_ROLLED_BACK,
	EVENT_UPDATE_FOUND,
]);
