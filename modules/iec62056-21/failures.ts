/**
 * Failures of IEC 62056-21. Their progress number (readout/failure.ts) is below 20, because a session in mode E
 * continues in HDLC, and most failures of HDLC have 20 or more.
 */

import {
	failure,
	finalFailure,
	METER_AUTH_FAILED,
	METER_ERROR,
	METER_TIMEOUT,
	NO_PROFILE,
} from "../readout/failure.js";
import { PROTOCOL_DLMS } from "../readout/protocol-names.js";

export const IEC_SILENCE = failure(
	METER_TIMEOUT,
	"iec62056-21/silence",
	3,
	"The meter did not answer. Check that the head sits on the meter's optical port, and its direction; then battery, if the meter sleeps on one.",
);
export const IEC_SILENCE_ADDRESSED = failure(
	METER_TIMEOUT,
	"iec62056-21/silence-addressed",
	3,
	"The meter did not answer. Check device_address: a meter answers to its own, or without one; then the head on its optical port, and its direction; then battery, if the meter sleeps on one.",
);
export const IEC_ECHO_ONLY = failure(
	METER_TIMEOUT,
	"iec62056-21/echo-only",
	4,
	"Only the echo of our own request came back: the head works, the meter is silent. Move the head; then check device_address, and battery.",
);
export const IEC_NO_IDENT = failure(
	METER_ERROR,
	"iec62056-21/no-ident",
	5,
	"Characters came back, but no identification. Turn the head, shade it from light, or try a device address.",
);
export const IEC_NO_BLOCK = failure(
	METER_TIMEOUT,
	"iec62056-21/no-block",
	6,
	"The meter gave its identification, but no data. Try a lower baudrate_max.",
);
export const IEC_MODE_E_ALONE = failure(
	METER_TIMEOUT,
	"iec62056-21/mode-e-alone",
	6,
	"The meter offers DLMS/COSEM (mode E), and sends no data without it. Choose the protocol dlms.",
	{ protocol: PROTOCOL_DLMS },
);
export const IEC_CUT = failure(
	METER_TIMEOUT,
	"iec62056-21/cut",
	7,
	"The meter stopped in the middle of its data. Check that the head sits firmly.",
);
export const IEC_CHECK_WRONG = failure(
	METER_ERROR,
	"iec62056-21/check",
	8,
	"The data arrived damaged, again and again. Check the head's position, or lower baudrate_max.",
);
export const IEC_METER_ERROR = failure(
	METER_ERROR,
	"iec62056-21/meter-error",
	9,
	"The meter answered with an error message instead of data.",
);
export const IEC_NO_TELEGRAM = failure(
	METER_TIMEOUT,
	"iec62056-21/no-telegram",
	0,
	"No complete telegram arrived within a minute. Check mode_d_baudrate, and that this meter pushes.",
);
export const IEC_NO_PROGRAMMING = failure(
	NO_PROFILE,
	"iec62056-21/no-programming",
	10,
	"The readout has no such load profile, and the meter does not go into programming mode, where others keep it.",
);
export const IEC_PASSWORD_REFUSED = finalFailure(
	METER_AUTH_FAILED,
	"iec62056-21/password",
	11,
	"The meter refuses the password. Check it before you try again: a few wrong ones lock a meter, often until the next day. Some meters need it encrypted by their maker's rule (P2), which this gateway does not support.",
);
export const IEC_PASSWORD_SILENCE = finalFailure(
	METER_AUTH_FAILED,
	"iec62056-21/password-silence",
	11,
	"The meter does not answer to the password. The password may be wrong, the meter may be locked after wrong ones, or its load profile needs no password: then delete it.",
);
export const IEC_NO_CLOCK = finalFailure(
	METER_ERROR,
	"iec62056-21/no-clock",
	11,
	"The meter sends no date and time, which are needed to request its load profile.",
);
export const IEC_NO_ANSWER = failure(
	METER_TIMEOUT,
	"iec62056-21/no-answer",
	12,
	"The meter does not answer a request for its load profile. It keeps none, or needs a password (iec62056/config).",
);
export const IEC_BROKEN_OFF = failure(
	METER_ERROR,
	"iec62056-21/broken-off",
	12,
	"The meter ended the session when its load profile was requested. Try again; if that fails, it needs a password (iec62056/config).",
);
export const IEC_NO_PROFILE = finalFailure(
	NO_PROFILE,
	"iec62056-21/no-profile",
	13,
	"The meter refuses this load profile. Check obis (1-0:99.2.0 stands for P.02). The meter may have no rows of that time, or need a password (iec62056/config).",
);
