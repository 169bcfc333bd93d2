/** Failures of DLMS/COSEM sessions. */

import { DLMS_AUTHENTICATION, DLMS_COUNTER, DLMS_DECIPHERING } from "../dlms/failures.js";
import { IEC_NO_IDENT } from "../iec62056-21/failures.js";
import {
	type Failure,
	failure,
	finalFailure,
	METER_AUTH_FAILED,
	METER_ERROR,
	METER_TIMEOUT,
} from "../readout/failure.js";
import { PROTOCOL_IEC62056 } from "../readout/protocol-names.js";

export const FAILURE_NO_MODE_E = failure(
	METER_ERROR,
	"iec62056-21/no-mode-e",
	11,
	"The meter identified itself, but does not go on in DLMS/COSEM. Choose the protocol iec62056, or opening direct.",
	{ protocol: PROTOCOL_IEC62056 },
);
export const FAILURE_NO_SIGN_ON = failure(
	METER_TIMEOUT,
	"dlms/no-sign-on",
	2,
	"The meter did not answer the sign-on. Check that the head sits on its optical port; then set opening to auto or direct; then check device_address, and battery for a meter that sleeps.",
);
export const FAILURE_UNANSWERED = finalFailure(
	METER_AUTH_FAILED,
	"dlms/unanswered",
	64,
	"The meter does not answer what is ciphered. Check block_cipher_key; then auth_key; then security_suite; then client_address and auth. A meter of security suite 2 can't be read.",
);
export const FAILURE_COUNTERS = finalFailure(
	METER_ERROR,
	"dlms/counter-storage",
	65,
	"Invocation counters could not be kept in flash, and without that none may be used.",
);
export const PUSH_SILENCE = failure(
	METER_TIMEOUT,
	"dlms-push/silence",
	1,
	"No push arrived within a minute. Check that the head sits on the optical port, then that this meter pushes; set push_baudrate to 0 to request readouts instead.",
);
export const PUSH_UNKNOWN = failure(
	METER_ERROR,
	"dlms-push/unknown",
	IEC_NO_IDENT.progress,
	"Something came, but no whole push of DLMS/COSEM. Check push_baudrate.",
);
export const PUSH_NO_CODES = finalFailure(
	METER_ERROR,
	"dlms-push/no-codes",
	66,
	"The meter's list has no OBIS codes and is not a known one. list_seen of dlms/config shows its values; say in list_rows what they are.",
);
export const PUSH_NO_KEY = finalFailure(
	METER_AUTH_FAILED,
	"dlms-push/no-key",
	60,
	"The meter's pushes are ciphered. Enter block_cipher_key, which the operator of the meter gives you.",
);
export const PUSH_KEY = finalFailure(
	METER_AUTH_FAILED,
	"dlms-push/key",
	61,
	"A push could not be deciphered. Check block_cipher_key.",
);
export const PUSH_BROADCAST = finalFailure(
	METER_AUTH_FAILED,
	"dlms-push/broadcast-key",
	61,
	"The meter's pushes are ciphered under its broadcast key, and block_cipher_key is another. Ask the meter's operator for the broadcast key, and enter that as block_cipher_key.",
);
export const PUSH_OPEN = finalFailure(
	METER_AUTH_FAILED,
	"dlms-push/open",
	62,
	"A push came in the open, and there is a block_cipher_key. If this meter does not cipher, delete the key.",
);
export const PUSH_NO_TAG = finalFailure(
	METER_AUTH_FAILED,
	"dlms-push/no-tag",
	63,
	"The meter's pushes have no tag that auth_key could check. Delete auth_key, and they are taken unchecked.",
);
export const PUSH_REPLAY = finalFailure(
	METER_AUTH_FAILED,
	"dlms-push/replay",
	64,
	"A push came once more: its invocation counter did not grow, so it may have been recorded and played back. If the meter was restarted or exchanged, change push_baudrate and change it back.",
);
export const PUSH_OTHER = finalFailure(
	METER_AUTH_FAILED,
	"dlms-push/other-meter",
	65,
	"A push came from another meter than those before, under the same keys. If the meter was exchanged, change push_baudrate and change it back.",
);

export function mayBeCounter(failure: Failure): boolean {
	return (
		failure === FAILURE_UNANSWERED ||
		failure === DLMS_COUNTER ||
		failure === DLMS_AUTHENTICATION ||
		failure === DLMS_DECIPHERING
	);
}
