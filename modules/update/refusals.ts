/**
 * Refusals of a firmware file, as numbers; 0 means that the file is accepted. Each refusal has a text of code, blank
 * and message. The code is used in the API and never changes.
 */

export const TAKEN = 0;
export const NO_FIRMWARE_FILE = 1;
export const OTHER_FORM = 2;
export const DAMAGED = 3;
export const TOO_LARGE = 4;
export const NOT_STARTABLE = 5;
export const UNKNOWN_KEY = 6;
export const WRONG_SIGNATURE = 7;
export const WRONG_DEVICE = 8;
export const DOWNGRADE = 9;
export const LOW_POWER = 10;
export const WRITE_FAILED = 11;
/** The transfer was interrupted. An API client gets no message, because its connection is closed. */
export const INTERRUPTED = 12;
export const UNDER_WAY = 13;
export const ON_TRIAL = 14;
export const NO_MEMORY = 15;
export const NOT_NEWER = 16;
/** The server can't be reached. The cause is appended to the message of this refusal and of the next one. */
export const UNREACHABLE = 17;
export const NOT_FOUND = 18;

export const REFUSALS: readonly string[] = Object.freeze([
	"",
	"ota_invalid_image This is not a firmware file: send the one whose name ends in .ota, unchanged.",
	"ota_invalid_image The file has a form that this firmware doesn't know: install a version between the two first.",
	"ota_invalid_image The file is damaged or not whole: download it again.",
	"ota_invalid_image The firmware is larger than the place for it: choose the file for this board.",
	"ota_invalid_image The chip can't start what is in this file: choose another version.",
	"ota_bad_signature The file is signed with a key that this firmware doesn't trust: take it from the maker.",
	"ota_bad_signature The file's signature is wrong: download it from the maker again.",
	"ota_wrong_device The file is for another board: choose the one for this model.",
	"ota_downgrade The file lacks a security fix that this device has: choose a newer version.",
	"ota_low_power The cells are nearly empty: plug in USB or put in new ones.",
	"ota_write_failed Flash did not keep what was written: send the file again.",
	"ota_interrupted The transfer broke off: send the file again.",
	"busy Another update is under way: wait until it is over.",
	"busy The firmware that runs is still on trial: try again in two minutes.",
	"busy There is no memory for it now: try again in a moment.",
	"ota_downgrade The server's file is not newer than this firmware: see where upgrade_url leads.",
	"ota_unreachable The server of the newer firmware can't be reached.",
	"ota_not_found The server does not send the file: check upgrade_url.",
]);

/** Returns the code of a refusal; "" for TAKEN. */
export function codeOf(refusal: number): string {
	const text = REFUSALS[refusal];
	return text.slice(0, Math.max(0, text.indexOf(" ")));
}
