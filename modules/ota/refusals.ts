/** Why a firmware file is not taken: codes of the API, and sentences for who sent it. */

export interface Refusal {
	/** Never changes its meaning. */
	readonly code: string;
	/** What is wrong, and what to do. */
	readonly message: string;
}

function refusal(code: string, message: string): Refusal {
	return Object.freeze({ code, message });
}

const INVALID_IMAGE = "ota_invalid_image";
const BAD_SIGNATURE = "ota_bad_signature";
const BUSY = "busy";

export const NO_FIRMWARE_FILE = refusal(
	INVALID_IMAGE,
	"This is no firmware file: choose the one whose name ends in .ota, and send it as it is.",
);
export const OTHER_FORM = refusal(
	INVALID_IMAGE,
	"The firmware file has a form that this firmware doesn't know: install a version between the two first.",
);
export const DAMAGED = refusal(
	INVALID_IMAGE,
	"The firmware file is damaged or not whole: download it again, and send it again.",
);
export const TOO_LARGE = refusal(
	INVALID_IMAGE,
	"The firmware is larger than the place for it: choose the file for this board.",
);
export const NOT_STARTABLE = refusal(
	INVALID_IMAGE,
	"The chip can't start what is in this file: choose another version.",
);
export const UNKNOWN_KEY = refusal(
	BAD_SIGNATURE,
	"The firmware file is signed with a key that this firmware doesn't know, or that was withdrawn: use a file from the maker.",
);
export const WRONG_SIGNATURE = refusal(
	BAD_SIGNATURE,
	"The firmware file's signature is wrong: download it from the maker again.",
);
export const WRONG_DEVICE = refusal(
	"ota_wrong_device",
	"The firmware file is for another board: choose the one for this model.",
);
export const DOWNGRADE = refusal(
	"ota_downgrade",
	"The firmware file is older than a security fix that this device has: choose a newer version.",
);
export const LOW_POWER = refusal(
	"ota_low_power",
	"The cells are nearly empty: plug in USB or put in new ones, then send the file again.",
);
export const WRITE_FAILED = refusal(
	"ota_write_failed",
	"Flash did not keep what was written: send the file again; if that happens again, the device is defective.",
);
/** Nobody is there any more to be told. */
export const INTERRUPTED = refusal("ota_interrupted", "The transfer broke off: send the file again.");
export const UNDER_WAY = refusal(BUSY, "Another update is under way: wait until it is over.");
export const ON_TRIAL = refusal(
	BUSY,
	"The firmware that runs was just installed and is still being tried out: try again in two minutes.",
);
export const NO_MEMORY = refusal(BUSY, "The gateway is busy with other requests; try again in a moment.");
