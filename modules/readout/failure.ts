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

export interface Failure {
	/** METER_…, NO_PROFILE */
	readonly error: string;
	/** Stable: `<layer>/<what>`; "" for what is never kept as the last error. */
	readonly code: string;
	/** What happened and what to do about it: the causes, most likely first. */
	readonly message: string;
	/**
	 * How far the conversation came, so that of several attempts the one that tells most is shown. Below PROGRESS_HEARD
	 * nothing was heard that belongs to the protocol: another way to open the conversation may be the right one.
	 */
	readonly progress: number;
	/** Another try would end the same way. */
	readonly isFinal?: true;
	readonly advice?: Advice;
	readonly unasked?: Unasked;
}

export const PROGRESS_HEARD = 20;

/** A row. `progress` grows from sign-on (1 to 19) over HDLC (20 to 39) to DLMS (40 on); a new protocol has its own scale. */
export function failure(error: string, code: string, progress: number, message: string): Failure {
	return Object.freeze({ error, code, message, progress });
}

/** A row of what another try would not change. */
export function finalFailure(error: string, code: string, progress: number, message: string): Failure {
	return Object.freeze({ error, code, message, progress, isFinal: true });
}

/** The one of two that came further; of equals the later. */
export function furthest(before: Failure | undefined, later: Failure | undefined): Failure | undefined {
	if (before === undefined || later === undefined) return later ?? before;
	return later.progress >= before.progress ? later : before;
}
