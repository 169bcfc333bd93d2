/**
 * Why there was no readout, for people and programs: the error of `read`, the stable code of `last_error` and `probe`, and
 * a sentence that lists the causes, most likely first.
 */
import {
	RESULT_ACSE_VERSION,
	RESULT_AUTHENTICATION,
	RESULT_AUTHENTICATION_REQUIRED,
	RESULT_CONFORMANCE,
	RESULT_CONTEXT,
	RESULT_COUNTER,
	RESULT_COUNTER_EXHAUSTED,
	RESULT_DECIPHERING,
	RESULT_DLMS_VERSION,
	RESULT_EXCEPTION,
	RESULT_HLS_REFUSED,
	RESULT_INITIATE,
	RESULT_KEY_MISSING,
	RESULT_LOST,
	RESULT_MALFORMED,
	RESULT_MECHANISM,
	RESULT_METER_TITLE,
	RESULT_METER_UNVERIFIED,
	RESULT_PDU_SIZE,
	RESULT_REJECTED,
	RESULT_REPLAY,
	RESULT_TAG,
	RESULT_TITLE,
	RESULT_UNPROTECTED,
} from "../dlms/results.js";
import {
	RESULT_CHECK_WRONG,
	RESULT_CUT,
	RESULT_ECHO_ONLY,
	RESULT_IDENT,
	RESULT_METER_ERROR,
	RESULT_NO_BLOCK,
	RESULT_NO_IDENT,
	RESULT_SILENCE,
} from "../iec62056-21/session.js";
import {
	asDirect,
	DLMS,
	FAILURE_BAD_ANSWER,
	FAILURE_COUNTERS,
	FAILURE_DAMAGED,
	FAILURE_DISCONNECTED,
	FAILURE_ECHO_ONLY,
	FAILURE_FRAME_REJECTED,
	FAILURE_GARBAGE,
	FAILURE_LOST,
	FAILURE_NO_ADDRESS,
	FAILURE_NO_MODE_E,
	FAILURE_NO_TELEGRAM,
	FAILURE_NOT_READY,
	FAILURE_OTHER_ADDRESS,
	FAILURE_PORT,
	FAILURE_REFUSED,
	FAILURE_SILENCE,
	FAILURE_TOO_LONG,
	FAILURE_UNANSWERED,
	FAILURE_WAIT,
	HDLC_AFTER_IDENT,
	HDLC_DIRECT,
} from "../meter/failures.js";
import { METER_AUTH_FAILED, METER_ERROR, METER_TIMEOUT } from "./errors.js";

export interface MeterFailure {
	/** RESULT_… or FAILURE_…. */
	readonly failure: number;
	/** Of the reply of `read`. */
	readonly error: string;
	/** Stable code of what went wrong; "" for nothing. */
	readonly code: string;
	/** What happened, and what to do about it. */
	readonly message: string;
}

function row(failure: number, error: string, code: string, message: string): MeterFailure {
	return Object.freeze({ failure, error, code, message });
}

/** Also for what has no row of its own. */
export const PORT_FAILED = row(
	FAILURE_PORT,
	METER_ERROR,
	"port",
	"The serial port of the optical head could not be used.",
);

const ON_THE_LINE: readonly MeterFailure[] = Object.freeze([
	row(
		RESULT_SILENCE,
		METER_TIMEOUT,
		"iec62056-21/silence",
		"The meter did not answer. Check that the head sits on the meter's optical port, and its direction.",
	),
	row(
		RESULT_ECHO_ONLY,
		METER_TIMEOUT,
		"iec62056-21/echo-only",
		"Only the echo of our own request came back: the head works, the meter is silent. Move the head.",
	),
	row(
		RESULT_NO_IDENT,
		METER_ERROR,
		"iec62056-21/no-ident",
		"Characters came back, but no identification. Turn the head, shade it from light, or try a device address.",
	),
	row(
		RESULT_NO_BLOCK,
		METER_TIMEOUT,
		"iec62056-21/no-block",
		"The meter gave its identification, but no data. Try a lower baudrate_max.",
	),
	row(
		RESULT_CUT,
		METER_TIMEOUT,
		"iec62056-21/cut",
		"The meter stopped in the middle of its data. Check that the head sits firmly.",
	),
	row(
		RESULT_CHECK_WRONG,
		METER_ERROR,
		"iec62056-21/check",
		"The data arrived damaged, again and again. Check the head's position, or lower baudrate_max.",
	),
	row(
		RESULT_METER_ERROR,
		METER_ERROR,
		"iec62056-21/meter-error",
		"The meter answered with an error message instead of data.",
	),
	row(RESULT_IDENT, METER_ERROR, "", "The meter answered."),
	row(
		FAILURE_NO_MODE_E,
		METER_ERROR,
		"iec62056-21/no-mode-e",
		"The meter identified itself, but does not go on in DLMS/COSEM. Choose the protocol iec62056, or opening direct.",
	),
	row(
		FAILURE_NO_TELEGRAM,
		METER_TIMEOUT,
		"iec62056-21/no-telegram",
		"No whole telegram came within a minute. Check mode_d_baudrate, and that this meter sends by itself.",
	),
	row(
		FAILURE_WAIT,
		METER_TIMEOUT,
		"",
		"The readout takes longer than a minute. It goes on; ask for the last readout later.",
	),
	PORT_FAILED,
]);

const IN_HDLC: readonly MeterFailure[] = Object.freeze([
	row(
		FAILURE_NO_ADDRESS,
		METER_ERROR,
		"hdlc/no-address",
		"No HDLC address can be made of server_logical, server_physical and server_address_length.",
	),
	row(
		FAILURE_SILENCE,
		METER_TIMEOUT,
		"hdlc/silence",
		"The meter did not answer. Check that the head sits on its optical port; then opening and baudrate; then " +
			"server_physical, server_logical and server_address_length; then client_address.",
	),
	row(
		HDLC_AFTER_IDENT - HDLC_DIRECT + FAILURE_SILENCE,
		METER_TIMEOUT,
		"hdlc/silence",
		"The meter identified itself, but did not answer in HDLC. Check server_physical, server_logical and " +
			"server_address_length; then client_address; then lower baudrate_max.",
	),
	row(
		FAILURE_ECHO_ONLY,
		METER_TIMEOUT,
		"hdlc/echo-only",
		"Only the echo of our own request came back: the head works, the meter is silent. Move the head; then check " +
			"opening, baudrate and the server's address.",
	),
	row(
		FAILURE_GARBAGE,
		METER_ERROR,
		"hdlc/garbage",
		"Characters came back, but no HDLC frame. Check baudrate and opening; then turn the head, and shade it from light.",
	),
	row(
		FAILURE_OTHER_ADDRESS,
		METER_ERROR,
		"hdlc/other-address",
		"Frames came back, but for other addresses. Check server_physical, server_logical and server_address_length.",
	),
	row(
		FAILURE_REFUSED,
		METER_ERROR,
		"hdlc/refused",
		"The meter refuses the connection. Another reader may hold one (wait two minutes); else check client_address, " +
			"server_logical and server_physical.",
	),
	row(
		FAILURE_FRAME_REJECTED,
		METER_ERROR,
		"hdlc/frame-rejected",
		"The meter rejected a frame. Another reader may be at work; try again in two minutes.",
	),
	row(
		FAILURE_DISCONNECTED,
		METER_ERROR,
		"hdlc/disconnected",
		"The meter ended the connection. Another reader may be at work; try again, then check client_address and auth.",
	),
	row(
		FAILURE_LOST,
		METER_TIMEOUT,
		"hdlc/lost",
		"The meter fell silent. Check that the head sits firmly; then raise receive_timeout_ms.",
	),
	row(
		FAILURE_DAMAGED,
		METER_ERROR,
		"hdlc/damaged",
		"The answers arrived damaged, again and again. Check the head's position; then lower baudrate_max, or baudrate.",
	),
	row(
		FAILURE_NOT_READY,
		METER_TIMEOUT,
		"hdlc/not-ready",
		"The meter kept on saying that it is not ready. Try again later.",
	),
	row(FAILURE_BAD_ANSWER, METER_ERROR, "hdlc/bad-answer", "The meter answered with something else than DLMS/COSEM."),
	row(FAILURE_TOO_LONG, METER_ERROR, "hdlc/too-long", "An answer was longer than the gateway can take."),
]);

const IN_DLMS: readonly MeterFailure[] = Object.freeze([
	row(
		DLMS + RESULT_MALFORMED,
		METER_ERROR,
		"dlms/malformed",
		"The meter's answer could not be understood. Try again; then check client_address, auth and use_encryption.",
	),
	row(
		DLMS + RESULT_REJECTED,
		METER_AUTH_FAILED,
		"dlms/rejected",
		"The meter refuses the association and does not say why. Check client_address; then auth; then password and keys.",
	),
	row(
		DLMS + RESULT_CONTEXT,
		METER_AUTH_FAILED,
		"dlms/context",
		"The meter refuses the application context: change use_encryption; then check client_address.",
	),
	row(
		DLMS + RESULT_TITLE,
		METER_AUTH_FAILED,
		"dlms/title",
		"The meter does not take the gateway's system title. It may have to be registered in the meter.",
	),
	row(
		DLMS + RESULT_MECHANISM,
		METER_AUTH_FAILED,
		"dlms/mechanism",
		"This client_address goes with another auth. Change auth; then check client_address.",
	),
	row(
		DLMS + RESULT_AUTHENTICATION_REQUIRED,
		METER_AUTH_FAILED,
		"dlms/authentication-required",
		"This client_address needs to be authenticated. Change auth; then check client_address.",
	),
	row(
		DLMS + RESULT_AUTHENTICATION,
		METER_AUTH_FAILED,
		"dlms/authentication",
		"Authentication failed. Check password, or block_cipher_key and auth_key; then client_address.",
	),
	row(DLMS + RESULT_ACSE_VERSION, METER_ERROR, "dlms/acse-version", "The meter knows no version of ACSE that we do."),
	row(DLMS + RESULT_DLMS_VERSION, METER_ERROR, "dlms/version", "The meter has another version of DLMS."),
	row(
		DLMS + RESULT_CONFORMANCE,
		METER_ERROR,
		"dlms/conformance",
		"The meter offers none of the services that reading needs. Check client_address.",
	),
	row(DLMS + RESULT_PDU_SIZE, METER_ERROR, "dlms/pdu-size", "The meter takes messages that are too short to ask with."),
	row(
		DLMS + RESULT_INITIATE,
		METER_ERROR,
		"dlms/initiate",
		"The meter refuses to begin. Check client_address; then use_encryption.",
	),
	row(
		DLMS + RESULT_DECIPHERING,
		METER_AUTH_FAILED,
		"dlms/deciphering",
		"The meter can't decipher what it is sent. Check block_cipher_key; then auth_key; then client_address.",
	),
	row(
		FAILURE_UNANSWERED,
		METER_AUTH_FAILED,
		"dlms/unanswered",
		"The meter does not answer what is ciphered. Check block_cipher_key; then auth_key; then client_address and auth.",
	),
	row(
		DLMS + RESULT_COUNTER,
		METER_AUTH_FAILED,
		"dlms/counter",
		"The meter refuses the invocation counter as too low, and does not tell the public client which it expects.",
	),
	row(
		DLMS + RESULT_HLS_REFUSED,
		METER_AUTH_FAILED,
		"dlms/hls-refused",
		"The meter refuses the answer to its challenge. Check auth_key; then block_cipher_key; then client_address.",
	),
	row(
		DLMS + RESULT_METER_UNVERIFIED,
		METER_AUTH_FAILED,
		"dlms/meter-unverified",
		"The meter's answer to the challenge is wrong: it does not have these keys. Check auth_key; do not trust this meter.",
	),
	row(
		DLMS + RESULT_TAG,
		METER_AUTH_FAILED,
		"dlms/tag",
		"An answer fails its authentication. Check auth_key; then block_cipher_key; it may have been changed on its way.",
	),
	row(
		DLMS + RESULT_UNPROTECTED,
		METER_AUTH_FAILED,
		"dlms/unprotected",
		"An answer is less protected than it must be. Check auth_key and use_encryption.",
	),
	row(
		DLMS + RESULT_REPLAY,
		METER_AUTH_FAILED,
		"dlms/replay",
		"The meter's invocation counter did not grow: an answer may have been recorded and played back.",
	),
	row(
		DLMS + RESULT_METER_TITLE,
		METER_AUTH_FAILED,
		"dlms/meter-title",
		"The meter tells no usable system title, without which nothing can be deciphered. Check auth and client_address.",
	),
	row(
		DLMS + RESULT_LOST,
		METER_ERROR,
		"dlms/lost",
		"The meter dropped the association. Check client_address and auth.",
	),
	row(
		DLMS + RESULT_EXCEPTION,
		METER_ERROR,
		"dlms/exception",
		"The meter refuses the service with an exception. Check client_address, auth and use_encryption.",
	),
	row(
		DLMS + RESULT_KEY_MISSING,
		METER_AUTH_FAILED,
		"dlms/key-missing",
		"A key is missing: use_encryption needs block_cipher_key, auth high_gmac needs auth_key, too.",
	),
	row(
		DLMS + RESULT_COUNTER_EXHAUSTED,
		METER_AUTH_FAILED,
		"dlms/counter-exhausted",
		"No invocation counter is left under this block_cipher_key. The meter needs another key.",
	),
	row(
		FAILURE_COUNTERS,
		METER_ERROR,
		"dlms/counter-storage",
		"Invocation counters could not be kept in flash, and without that none may be used.",
	),
]);

const GROUPS: readonly (readonly MeterFailure[])[] = Object.freeze([ON_THE_LINE, IN_HDLC, IN_DLMS]);

/** What is known of a failure; undefined where there was none. */
export function meterFailure(failure: number): MeterFailure | undefined {
	return find(failure) ?? find(asDirect(failure));
}

function find(failure: number): MeterFailure | undefined {
	for (const group of GROUPS) {
		for (const known of group) if (known.failure === failure) return known;
	}
	return undefined;
}
