/**
 * Failures of HDLC connections. Silence at a fixed speed has the same `progress` (readout/failure.ts) as a sign-on
 * without an answer. Silence after a sign-on has a higher `progress`.
 */
import { type Failure, failure, finalFailure, METER_ERROR, METER_TIMEOUT } from "../readout/failure.js";

export const HDLC_NO_ADDRESS = finalFailure(
	METER_ERROR,
	"hdlc/no-address",
	20,
	"No HDLC address can be made of server_logical, server_physical and server_address_length.",
);
export const HDLC_SILENCE = failure(
	METER_TIMEOUT,
	"hdlc/silence",
	3,
	"The meter did not answer. Check that the head sits on its optical port; then opening and baudrate; then server_physical, server_logical and server_address_length; then client_address.",
);
export const HDLC_ECHO_ONLY = failure(
	METER_TIMEOUT,
	"hdlc/echo-only",
	4,
	"Only the echo of our own request came back: the head works, the meter is silent. Move the head; then check opening and baudrate; then server_physical, server_logical and server_address_length; then client_address.",
);
export const HDLC_GARBAGE = failure(
	METER_ERROR,
	"hdlc/garbage",
	5,
	"Characters came back, but no HDLC frame. Check baudrate and opening; then turn the head, and shade it from light.",
);
export const HDLC_OTHER_ADDRESS = failure(
	METER_ERROR,
	"hdlc/other-address",
	24,
	"Frames came back, but for other addresses. Check server_physical, server_logical and server_address_length; then client_address.",
);
/** The meter is present, but answers SNRM with DM or not at all. */
export const HDLC_REFUSED = failure(
	METER_ERROR,
	"hdlc/refused",
	25,
	"The meter refuses the connection. Another reader may hold one (wait two minutes); else check client_address, server_logical and server_physical.",
);
/** Answers came after the timeout of their frame, and none came in time. */
export const HDLC_LATE = failure(
	METER_TIMEOUT,
	"hdlc/late",
	25,
	"The meter answers too late. Raise receive_timeout_ms; then check that the head sits firmly.",
);
export const HDLC_FRAME_REJECTED = failure(
	METER_ERROR,
	"hdlc/frame-rejected",
	26,
	"The meter rejected a frame. Another reader may be at work; try again in two minutes.",
);
/** The meter has sent DM although the connection was established. */
export const HDLC_DISCONNECTED = failure(
	METER_ERROR,
	"hdlc/disconnected",
	27,
	"The meter ended the connection. Another reader may be at work; try again, then check client_address and auth.",
);
/**
 * The meter does not respond although the connection is established. Some meters ignore association requests that they
 * do not accept.
 */
export const HDLC_LOST = failure(
	METER_TIMEOUT,
	"hdlc/lost",
	28,
	"The meter fell silent. Check that the head sits firmly; then raise receive_timeout_ms; then check client_address and auth.",
);
export const HDLC_DAMAGED = failure(
	METER_ERROR,
	"hdlc/damaged",
	29,
	"The answers arrived damaged, again and again. Check the head's position; then lower baudrate_max, or baudrate.",
);
export const HDLC_BUSY = failure(
	METER_TIMEOUT,
	"hdlc/not-ready",
	30,
	"The meter kept on saying that it is not ready. Try again later.",
);
export const HDLC_BAD_ANSWER = failure(
	METER_ERROR,
	"hdlc/bad-answer",
	31,
	"The meter answered with something else than DLMS/COSEM.",
);
export const HDLC_TOO_LONG = finalFailure(
	METER_ERROR,
	"hdlc/too-long",
	32,
	"An answer was longer than the gateway can take.",
);
/**
 * These failures replace HDLC_SILENCE, HDLC_ECHO_ONLY and HDLC_GARBAGE after a sign-on, which has shown that the meter
 * is present.
 */
export const SIGNED_ON_SILENCE = failure(
	METER_TIMEOUT,
	"hdlc/silence",
	13,
	"The meter identified itself, but did not answer in HDLC. Check server_physical, server_logical and server_address_length; then client_address; then lower baudrate_max.",
);
export const SIGNED_ON_ECHO_ONLY = failure(METER_TIMEOUT, HDLC_ECHO_ONLY.code, 14, HDLC_ECHO_ONLY.message);
export const SIGNED_ON_GARBAGE = failure(METER_ERROR, HDLC_GARBAGE.code, 15, HDLC_GARBAGE.message);

export function afterSignOn(failure: Failure): Failure {
	if (failure === HDLC_SILENCE) return SIGNED_ON_SILENCE;
	if (failure === HDLC_ECHO_ONLY) return SIGNED_ON_ECHO_ONLY;
	return failure === HDLC_GARBAGE ? SIGNED_ON_GARBAGE : failure;
}

/** True if no valid frame followed a successful sign-on. */
export function isLostAfterSignOn(failure: Failure): boolean {
	return failure === SIGNED_ON_SILENCE || failure === SIGNED_ON_ECHO_ONLY || failure === SIGNED_ON_GARBAGE;
}
