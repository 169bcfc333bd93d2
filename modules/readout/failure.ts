/** Reasons for a failed readout. They are compared by identity. */

/* Values of `error` in the API. */
export const METER_TIMEOUT = "meter_timeout";
export const METER_ERROR = "meter_error";
export const METER_AUTH_FAILED = "meter_auth_failed";
/** The load profile can't be read. */
export const NO_PROFILE = "no_profile";
export const BUSY = "busy";

/** Settings that would avoid the failure. Only settings that must change are present. */
export interface Advice {
	readonly protocol: string;
	/** True to listen for unsolicited telegrams. `modeDBaud` is their speed, Bd. */
	readonly modeD?: boolean;
	readonly modeDBaud?: number;
	/** Speed of unsolicited DLMS/COSEM data, Bd; 0: the gateway must request data. */
	readonly pushBaud?: number;
	/** True to invert the receive line. It was inverted if the setting already says so. */
	readonly isFlipped?: boolean;
}

export interface Unsolicited {
	/** Kind of the data, one of TELEGRAM_KINDS (meter/unsolicited.ts). */
	readonly kind: string;
	/** Speed at which the data were recognised, Bd; 0 if data arrived at every speed. */
	readonly baud: number;
	/** Framing, such as `7E1`; "" if data arrived at every speed. */
	readonly framing: string;
	readonly isSupported: boolean;
}

const ERRORS: readonly string[] = Object.freeze([METER_TIMEOUT, METER_ERROR, METER_AUTH_FAILED, NO_PROFILE, BUSY]);
/** Layout of `rank`: progress (seven bits), a bit for a final failure, then the index of the error in ERRORS. */
const PROGRESS = 0x7f;
const FINAL = 0x80;
const ERROR_BITS = 8;

/** A failure. Its data are packed into two properties, because each property takes 16 bytes of flash. */
export class Failure {
	/** Code, a space, and the message. */
	readonly text: string;
	readonly rank: number;
	declare advice?: Advice;
	declare finding?: Unsolicited;

	constructor(text: string, rank: number) {
		this.text = text;
		this.rank = rank;
	}

	get error(): string {
		return ERRORS[this.rank >> ERROR_BITS];
	}

	/** Code `<layer>/<reason>`; "" for a failure that is not kept as the last error. */
	get code(): string {
		return this.text.slice(0, this.text.indexOf(" "));
	}

	get message(): string {
		return this.text.slice(this.text.indexOf(" ") + 1);
	}

	/**
	 * Number that is higher the further the session got. The failure with the highest progress is shown. Below
	 * PROGRESS_HEARD, the meter has not answered in the protocol, so another way to open a session may succeed.
	 */
	get progress(): number {
		return this.rank & PROGRESS;
	}

	/** True if a retry would have the same result. */
	get isFinal(): boolean {
		return (this.rank & FINAL) !== 0;
	}
}

export const PROGRESS_HEARD = 20;

/**
 * Returns a failure. `progress` (at most 127) is 1 to 19 for the sign-on, 20 to 39 for HDLC, and 40 or more for DLMS.
 * Other protocols have their own scales.
 */
export function failure(error: string, code: string, progress: number, message: string, advice?: Advice): Failure {
	const row = new Failure(`${code} ${message}`, (ERRORS.indexOf(error) << ERROR_BITS) | progress);
	if (advice !== undefined) row.advice = Object.freeze(advice);
	return Object.freeze(row);
}

export function finalFailure(error: string, code: string, progress: number, message: string, advice?: Advice): Failure {
	return failure(error, code, FINAL | progress, message, advice);
}

/**
 * Returns a copy with a more specific message, the data that were found, and the settings that would avoid the failure.
 */
export function foundFailure({ code, rank }: Failure, message: string, finding: Unsolicited, advice?: Advice): Failure {
	const row = new Failure(`${code} ${message}`, rank);
	row.finding = Object.freeze(finding);
	if (advice !== undefined) row.advice = Object.freeze(advice);
	return Object.freeze(row);
}

/** Returns the failure with more progress, or the later failure if both have the same progress. */
export function furthest(before: Failure | undefined, later: Failure | undefined): Failure | undefined {
	if (before === undefined || later === undefined) return later ?? before;
	return later.progress >= before.progress ? later : before;
}
