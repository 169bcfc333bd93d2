/**
 * Why there was no readout, in one number: a result of the sign-on (iec62056-21/session.ts), or one of these. For the
 * reader, and for the API, which makes a sentence of it.
 */
import {
	RESULT_LOST as RESULT_ASSOCIATION_LOST,
	RESULT_AUTHENTICATION,
	RESULT_COUNTER,
	RESULT_DECIPHERING,
	RESULT_EXCEPTION,
	RESULT_KEY_MISSING,
	RESULT_REJECTED,
} from "../dlms/results.js";
import {
	RESULT_BAD_ANSWER,
	RESULT_BUSY,
	RESULT_DAMAGED,
	RESULT_DISCONNECTED,
	RESULT_ECHO_ONLY,
	RESULT_FRAME_REJECTED,
	RESULT_GARBAGE,
	RESULT_LOST,
	RESULT_NO_ADDRESS,
	RESULT_OTHER_ADDRESS,
	RESULT_REFUSED,
	RESULT_SILENCE,
	RESULT_TOO_LONG,
} from "../hdlc/results.js";
import { RESULT_HAND_OVER } from "../iec62056-21/session.js";

/** The port could not be opened, or went away; the first of those beside the results of a session. */
export const FAILURE_PORT = 100;
/** The caller's time is over; the conversation may still go on. */
export const FAILURE_WAIT = 101;
/** Too many callers wait already. */
export const FAILURE_BUSY = 102;
/** Mode D: no whole telegram came in the caller's time. */
export const FAILURE_NO_TELEGRAM = 103;

/** The meter answered the sign-on, and then offered no mode E. */
export const FAILURE_NO_MODE_E = RESULT_HAND_OVER + 1;
/** Added to a result of HDLC at a fixed speed, and after a sign-on: there the meter is known to be there. */
export const HDLC_DIRECT = 200;
export const HDLC_AFTER_IDENT = 220;
/** Added to a result of the association. */
export const DLMS = 300;
/** A meter that took the HDLC connection gives no answer to what is ciphered, or drops it: it does so with wrong keys. */
export const FAILURE_UNANSWERED = 398;
/** Invocation counters could not be kept ahead in flash. */
export const FAILURE_COUNTERS = 399;

/** Those of HDLC at a fixed speed by name, for who knows nothing of HDLC. */
export const FAILURE_NO_ADDRESS = HDLC_DIRECT + RESULT_NO_ADDRESS;
export const FAILURE_SILENCE = HDLC_DIRECT + RESULT_SILENCE;
export const FAILURE_ECHO_ONLY = HDLC_DIRECT + RESULT_ECHO_ONLY;
export const FAILURE_GARBAGE = HDLC_DIRECT + RESULT_GARBAGE;
export const FAILURE_OTHER_ADDRESS = HDLC_DIRECT + RESULT_OTHER_ADDRESS;
export const FAILURE_REFUSED = HDLC_DIRECT + RESULT_REFUSED;
export const FAILURE_FRAME_REJECTED = HDLC_DIRECT + RESULT_FRAME_REJECTED;
export const FAILURE_DISCONNECTED = HDLC_DIRECT + RESULT_DISCONNECTED;
export const FAILURE_LOST = HDLC_DIRECT + RESULT_LOST;
export const FAILURE_DAMAGED = HDLC_DIRECT + RESULT_DAMAGED;
export const FAILURE_NOT_READY = HDLC_DIRECT + RESULT_BUSY;
export const FAILURE_BAD_ANSWER = HDLC_DIRECT + RESULT_BAD_ANSWER;
export const FAILURE_TOO_LONG = HDLC_DIRECT + RESULT_TOO_LONG;

/** The same failure at a fixed speed. */
export function asDirect(failure: number): number {
	return failure >= HDLC_AFTER_IDENT && failure < DLMS ? failure - HDLC_AFTER_IDENT + HDLC_DIRECT : failure;
}

/** RESULT_… of HDLC in a failure, or 0 if it is none of HDLC. */
export function hdlcResult(failure: number): number {
	return failure >= DLMS || failure < HDLC_DIRECT ? 0 : asDirect(failure) - HDLC_DIRECT;
}

/** Nothing was heard in HDLC that a meter would say: another opening may be the right one. */
export function isUnheard(failure: number): boolean {
	const result = hdlcResult(failure);
	return failure < HDLC_DIRECT || (result >= RESULT_SILENCE && result <= RESULT_GARBAGE);
}

/** Another try would end the same way. */
export function isFinal(failure: number): boolean {
	const result = hdlcResult(failure);
	if (result === RESULT_NO_ADDRESS || result === RESULT_TOO_LONG) return true;
	if (failure >= DLMS + RESULT_KEY_MISSING) return true;
	if (failure <= DLMS + RESULT_REJECTED) return false;
	return failure !== DLMS + RESULT_ASSOCIATION_LOST && failure !== DLMS + RESULT_EXCEPTION;
}

/** Connected, and then no answer. */
export function isDropped(failure: number): boolean {
	const result = hdlcResult(failure);
	return result === RESULT_LOST || result === RESULT_DISCONNECTED;
}

/** What meters say, or don't say, to an invocation counter that is too low. */
export function mayBeCounter(failure: number): boolean {
	return (
		failure === FAILURE_UNANSWERED ||
		failure === DLMS + RESULT_COUNTER ||
		failure === DLMS + RESULT_AUTHENTICATION ||
		failure === DLMS + RESULT_DECIPHERING
	);
}

/** How far a conversation came; that no frame was heard at a fixed speed tells no more than a sign-on that came to nothing. */
export function rankOf(failure: number): number {
	const isNothing = failure >= FAILURE_SILENCE && failure <= FAILURE_GARBAGE;
	return isNothing ? failure - HDLC_DIRECT : failure;
}
