/** Failures of the meter reader itself. The failures of a protocol are in the protocol's folder. */

import { BUSY, failure, finalFailure, METER_ERROR, METER_TIMEOUT } from "../readout/failure.js";
import { PROTOCOL_DLMS, PROTOCOL_IEC62056 } from "../readout/protocol-names.js";
import { PROTOCOL_SML } from "../sml/failures.js";
import { PROTOCOL_TIC } from "../tic/failures.js";

export const FAILURE_PORT = failure(METER_ERROR, "port", 0, "The serial port of the optical head could not be used.");
export const FAILURE_WAIT = failure(
	METER_TIMEOUT,
	"",
	0,
	"The readout takes longer than a minute. It goes on; ask for the last readout later.",
);
export const FAILURE_PROFILE_WAIT = failure(
	METER_TIMEOUT,
	"",
	0,
	"The meter's load profile takes longer than three minutes, or than one while others wait for the meter. Ask for fewer entries.",
);
export const FAILURE_BUSY = failure(BUSY, "", 0, "Too many clients wait for the meter already; try again later.");
export const FAILURE_MEMORY = failure(
	BUSY,
	"",
	0,
	"The gateway is busy with other requests; try again in a few seconds.",
);
/** A meter that sends by itself has stopped (value-age.ts). */
export const FAILURE_SILENT = failure(
	METER_TIMEOUT,
	"meter/silent",
	0,
	"The meter sends by itself, and has stopped. Check the head or the cable, and that the meter has power.",
);
/** Failures of a quick probe: nothing came, only what the gateway itself sent, something else. */
export const PROBE_SILENCE = failure(METER_TIMEOUT, "meter/silence", 0, "Nothing came back within two seconds.");
export const PROBE_ECHO_ONLY = failure(
	METER_ERROR,
	"meter/echo-only",
	0,
	"Only the gateway's own characters came back.",
);
export const PROBE_NO_IDENT = failure(METER_ERROR, "meter/no-ident", 0, "Characters came, but no complete answer.");
export const FAILURE_SIGN_ON_INSTEAD = failure(
	METER_ERROR,
	"iec62056-21/answers",
	19,
	"The meter answers the sign-on of IEC 62056-21. Choose the protocol iec62056, and turn mode_d_enabled off.",
	{ protocol: PROTOCOL_IEC62056, modeD: false },
);
export const FAILURE_HDLC_INSTEAD = failure(
	METER_ERROR,
	"hdlc/answers",
	19,
	"The meter answers in HDLC: it speaks DLMS/COSEM. Choose the protocol dlms.",
	{ protocol: PROTOCOL_DLMS, pushBaud: 0 },
);
/**
 * Kinds of unsolicited data in the words of the API, in the order of KIND_… from KIND_ASCII on (telegram-scanner.ts).
 * Their failures follow. The message that users see also states the speed (unsolicited.ts).
 */
export const TELEGRAM_KINDS = `ascii ${PROTOCOL_SML} dlms_hdlc dlms_mbus dlms_wrapper noise dlms_bare ${PROTOCOL_TIC}`;
export const UNSOLICITED_ASCII = finalFailure(METER_ERROR, "unasked/ascii", 90, "The meter pushes telegrams (mode D).");
export const UNSOLICITED_SML = finalFailure(METER_ERROR, `unasked/${PROTOCOL_SML}`, 90, "The meter pushes SML.", {
	protocol: PROTOCOL_SML,
});
export const UNSOLICITED_DLMS = finalFailure(METER_ERROR, "unasked/dlms", 90, "The meter pushes DLMS/COSEM.");
export const UNSOLICITED_TIC = finalFailure(
	METER_ERROR,
	`unasked/${PROTOCOL_TIC}`,
	90,
	"The meter sends TIC (France's Linky).",
	{ protocol: PROTOCOL_TIC },
);
export const UNSOLICITED_NOISE = failure(
	METER_ERROR,
	"unasked/noise",
	5,
	"Something arrives without a question, but no telegram at any usual speed: light, probably. Shade the head, and turn it.",
);
/** Live mode failed: the last readout has no power, the meter refused a value, or another meter answered. */
export const LIVE_REFUSED = failure(
	METER_ERROR,
	"live/refused",
	0,
	"The meter does not give its power in live mode; the gateway tries again, later each time. If it never does, set live_secs to 0.",
);
