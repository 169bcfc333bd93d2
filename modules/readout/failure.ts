/**
 * Why there was no readout, as a value: one row of the frozen table of the protocol that it belongs to (`failures.ts` of
 * iec62056-21, hdlc, dlms and meter). Rows are compared by identity. The API shows `error`, `code` and `message` as they
 * stand here; the reader and the conversations go by the other columns.
 */

/** `error` of the API: no answer in time; another failure of the meter or the line; the meter refuses or mistrusts us. */
export const METER_TIMEOUT = "meter_timeout";
export const METER_ERROR = "meter_error";
export const METER_AUTH_FAILED = "meter_auth_failed";

/** There is no such load profile, or it is not for us. */
export const NO_PROFILE = "no_profile";
/** The gateway has other things to do. */
export const BUSY = "busy";

/** Settings that would set it right, each where it is to be changed. */
export interface Advice {
	readonly protocol: string;
	/** To listen to a meter that sends by itself, and its speed, Bd. */
	readonly modeD?: boolean;
	readonly modeDBaud?: number;
	/** The same of DLMS/COSEM; 0: to ask it. */
	readonly pushBaud?: number;
}

/** What arrives without a question. */
export interface Unasked {
	/** The word of the API: `ascii`, `sml`, `dlms_hdlc`, `dlms_mbus`, `dlms_wrapper`, `dlms_bare`, `noise`. */
	readonly kind: string;
	/** Bd, and characters as `7E1`; 0 and empty: it came at each. */
	readonly baud: number;
	readonly framing: string;
	/** This gateway can read it. */
	readonly isSupported: boolean;
}

const ERRORS: readonly string[] = Object.freeze([METER_TIMEOUT, METER_ERROR, METER_AUTH_FAILED, NO_PROFILE, BUSY]);
/** Progress in the lower seven bits of a rank, whether it is final, then the error's place in ERRORS. */
const PROGRESS = 0x7f;
const FINAL = 0x80;
const ERROR_BITS = 8;

/** A row: two properties hold it, since each takes 16 bytes of flash. */
export class Failure {
	/** Code, a space, message. */
	readonly text: string;
	readonly rank: number;
	declare advice?: Advice;
	declare unasked?: Unasked;

	constructor(text: string, rank: number) {
		this.text = text;
		this.rank = rank;
	}

	/** METER_…, NO_PROFILE, BUSY */
	get error(): string {
		return ERRORS[this.rank >> ERROR_BITS];
	}

	/** Stable: `<layer>/<what>`; "" for what is never kept as the last error. */
	get code(): string {
		return this.text.slice(0, this.text.indexOf(" "));
	}

	/** What happened and what to do about it: the causes, most likely first. */
	get message(): string {
		return this.text.slice(this.text.indexOf(" ") + 1);
	}

	/**
	 * How far the conversation came, so that of several attempts the one that tells most is shown. Below PROGRESS_HEARD
	 * nothing was heard that belongs to the protocol: another way to open the conversation may be the right one.
	 */
	get progress(): number {
		return this.rank & PROGRESS;
	}

	/** Another try would end the same way. */
	get isFinal(): boolean {
		return (this.rank & FINAL) !== 0;
	}
}

export const PROGRESS_HEARD = 20;

/**
 * A row. `progress` (up to 127) grows from sign-on (1 to 19) over HDLC (20 to 39) to DLMS (40 on); a new protocol has its
 * own scale.
 */
export function failure(error: string, code: string, progress: number, message: string, advice?: Advice): Failure {
	const row = new Failure(`${code} ${message}`, (ERRORS.indexOf(error) << ERROR_BITS) | progress);
	if (advice !== undefined) row.advice = Object.freeze(advice);
	return Object.freeze(row);
}

/** A row of what another try would not change. */
export function finalFailure(error: string, code: string, progress: number, message: string): Failure {
	return failure(error, code, FINAL | progress, message);
}

/** A row with what was found: it says so instead, and what would set it right. */
export function foundFailure({ code, rank }: Failure, message: string, unasked: Unasked, advice?: Advice): Failure {
	const row = new Failure(`${code} ${message}`, rank);
	row.unasked = Object.freeze(unasked);
	if (advice !== undefined) row.advice = Object.freeze(advice);
	return Object.freeze(row);
}

/** The one of two that came further; of equals the later. */
export function furthest(before: Failure | undefined, later: Failure | undefined): Failure | undefined {
	if (before === undefined || later === undefined) return later ?? before;
	return later.progress >= before.progress ? later : before;
}
