/**
 * Reasons why objects are missing in a readout (`missing` in the API). Reasons below 256 are data-access-results (IEC
 * 62056-5-3, 7.3).
 */
import { GET_REFUSED, GET_TOO_LONG } from "./get.js";

export const REASON_TEMPORARY_FAILURE = 2;
export const REASON_READ_WRITE_DENIED = 3;
export const REASON_OBJECT_UNDEFINED = 4;
export const REASON_CLASS_INCONSISTENT = 9;
export const REASON_OBJECT_UNAVAILABLE = 11;
export const REASON_TYPE_UNMATCHED = 12;
export const REASON_SCOPE_VIOLATED = 13;
/** The value is null, or a float that is not a number. */
export const REASON_NO_VALUE = 256;
/** The answer has invalid A-XDR, or its block transfer was invalid. */
export const REASON_UNREADABLE = 257;
export const REASON_TOO_LONG = 258;
/** The meter has answered with an exception or a service error. */
export const REASON_EXCEPTION = 259;
export const REASON_NO_SCALER = 260;

const DENIALS =
	(1 << REASON_READ_WRITE_DENIED) |
	(1 << REASON_OBJECT_UNDEFINED) |
	(1 << REASON_CLASS_INCONSISTENT) |
	(1 << REASON_OBJECT_UNAVAILABLE) |
	(1 << REASON_TYPE_UNMATCHED) |
	(1 << REASON_SCOPE_VIOLATED);

export function reasonOf(kind: number, reason: number): number {
	if (kind === GET_REFUSED) return reason;
	return kind === GET_TOO_LONG ? REASON_TOO_LONG : REASON_UNREADABLE;
}

export function isDenial(reason: number): boolean {
	return reason < 32 && ((DENIALS >> reason) & 1) === 1;
}
