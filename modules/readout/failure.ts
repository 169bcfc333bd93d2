/**
 * Reasons for a failed readout. Each protocol has a frozen table of them (`failures.ts` of iec62056-21, hdlc, dlms, cosem,
 * sml, tic and meter), and rows are compared by identity. The API shows `error`, `code` and `message`; the reader and the
 * sessions use the other columns.
 */

/** `error` of the API: no answer in time; another failure of the meter or the line; rejected authentication. */
export const METER_TIMEOUT = "meter_timeout";
export const METER_ERROR = "meter_error";
export const METER_AUTH_FAILED = "meter_auth_failed";

/** The load profile does not exist or is not accessible. */
export const NO_PROFILE = "no_profile";
export const BUSY = "busy";

/** Settings that would fix the failure; only those that have to change. */
export interface Advice {
	readonly protocol: string;
	/** True to listen to a meter that sends unsolicited; `modeDBaud`: its speed, Bd. */
	readonly modeD?: boolean;
	readonly modeDBaud?: number;
	/** Speed of unsolicited DLMS/COSEM data, Bd; 0 to poll the meter. */
	readonly pushBaud?: number;
}

/** Unsolicited data found on the line. */
export interface Unsolicited {
	/** Value in the API: `ascii`, `sml`, `dlms_hdlc`, `dlms_mbus`, `dlms_wrapper`, `dlms_bare`, `tic`, `noise`. */
	readonly kind: string;
	/** Speed in Bd, and framing such as `7E1`; 0 and "" if data arrived at every speed. */
	readonly baud: number;
	readonly framing: string;
	readonly isSupported: boolean;
}

const ERRORS: readonly string[] = Object.freeze([METER_TIMEOUT, METER_ERROR, METER_AUTH_FAILED, NO_PROFILE, BUSY]);
/** Layout of a rank: progress in the lower seven bits, then the final flag, then the index of the error in ERRORS. */
const PROGRESS = 0x7f;
const FINAL = 0x80;
const ERROR_BITS = 8;

/** Row of a table. It packs its columns into two properties, because each property takes 16 bytes of flash. */
export class Failure {
	/** Code, a space, and the message. */
	readonly text: string;
	readonly rank: number;
	declare advice?: Advice;
	declare unasked?: Unsolicited;

	constructor(text: string, rank: number) {
		this.text = text;
		this.rank = rank;
	}

	/** METER_…, NO_PROFILE or BUSY. */
	get error(): string {
		return ERRORS[this.rank >> ERROR_BITS];
	}

	/** Stable code `<layer>/<what>`; "" for a failure that is not kept as the last error. */
	get code(): string {
		return this.text.slice(0, this.text.indexOf(" "));
	}

	/** Description of the failure and its remedy, with the most likely cause first. */
	get message(): string {
		return this.text.slice(this.text.indexOf(" ") + 1);
	}

	/**
	 * Progress of the session: of several attempts the one with the highest progress is shown. Below PROGRESS_HEARD the
	 * meter has not answered in the protocol, and another way to open the session may succeed.
	 */
	get progress(): number {
		return this.rank & PROGRESS;
	}

	/** True if a retry would end the same way. */
	get isFinal(): boolean {
		return (this.rank & FINAL) !== 0;
	}
}

export const PROGRESS_HEARD = 20;

/**
 * Creates a row. `progress` (up to 127) grows from sign-on (1 to 19) over HDLC (20 to 39) to DLMS (40 on); a new protocol
 * has its own scale.
 */
export function failure(error: string, code: string, progress: number, message: string, advice?: Advice): Failure {
	const row = new Failure(`${code} ${message}`, (ERRORS.indexOf(error) << ERROR_BITS) | progress);
	if (advice !== undefined) row.advice = Object.freeze(advice);
	return Object.freeze(row);
}

/** Creates a row for a failure that a retry would not change. */
export function finalFailure(error: string, code: string, progress: number, message: string): Failure {
	return failure(error, code, FINAL | progress, message);
}

/** Copies a row with a more specific message, the unsolicited data found, and the settings that would fix it. */
export function foundFailure({ code, rank }: Failure, message: string, unasked: Unsolicited, advice?: Advice): Failure {
	const row = new Failure(`${code} ${message}`, rank);
	row.unasked = Object.freeze(unasked);
	if (advice !== undefined) row.advice = Object.freeze(advice);
	return Object.freeze(row);
}

/** Returns the failure with more progress; the later one if both are equal. */
export function furthest(before: Failure | undefined, later: Failure | undefined): Failure | undefined {
	if (before === undefined || later === undefined) return later ?? before;
	return later.progress >= before.progress ? later : before;
}
