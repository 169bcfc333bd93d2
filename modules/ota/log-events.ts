/** Events of firmware updates. */
import { kind } from "../diagnostics/events.js";

/** Another firmware starts next; with its version, and who sent it. */
export const EVENT_UPDATE_INSTALLED = kind(25, "update_installed", { needsLogin: true });
/** A firmware file was not taken; with the code, and who sent it. */
export const EVENT_UPDATE_REFUSED = kind(26, "update_refused");
/** A firmware on trial has proved itself, and stays; with its version. */
export const EVENT_UPDATE_CONFIRMED = kind(27, "update_confirmed", { isPlain: true });
/** A firmware on trial gives itself up; with what did not work. */
export const EVENT_UPDATE_FAILED = kind(28, "update_failed", { isPlain: true });
/** The firmware before is back; with the reason. */
export const EVENT_UPDATE_ROLLED_BACK = kind(29, "update_rolled_back", { isPlain: true });
/** A newer firmware was found where the device looks for one; with its version. */
export const EVENT_UPDATE_FOUND = kind(30, "update_found", { isPlain: true });

export const UPDATE_EVENTS = Object.freeze([
	EVENT_UPDATE_INSTALLED,
	EVENT_UPDATE_REFUSED,
	EVENT_UPDATE_CONFIRMED,
	EVENT_UPDATE_FAILED,
	EVENT_UPDATE_ROLLED_BACK,
	EVENT_UPDATE_FOUND,
]);
