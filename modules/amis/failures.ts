/**
 * Failures of AMIS meters. If a probe tries several protocols, it reports the failure with the highest `progress` (the
 * number in each failure). A failure after a telegram of another protocol has a higher `progress` than AMIS_SILENCE,
 * AMIS_NO_FRAME and AMIS_INSTEAD.
 */

import { failure, finalFailure, METER_AUTH_FAILED, METER_ERROR, METER_TIMEOUT } from "../readout/failure.js";

/** Name of the protocol in the API; the codes of its failures begin with it. */
export const PROTOCOL_AMIS = "amis";

export const AMIS_SILENCE = failure(
	METER_TIMEOUT,
	"amis/silence",
	3,
	"No telegram arrived within a minute. Check the head's position; the meter calls once a minute.",
);
export const AMIS_NO_FRAME = failure(
	METER_ERROR,
	"amis/no-frame",
	5,
	"Characters came, but no telegram of an AMIS meter. Turn the head, or choose another protocol.",
);
/** A probe has found the meter, but another protocol is configured. */
export const AMIS_INSTEAD = failure(
	METER_ERROR,
	"amis/answers",
	19,
	"An AMIS meter of Siemens calls. Choose the protocol amis.",
	{ protocol: PROTOCOL_AMIS },
);
export const AMIS_NO_KEY = finalFailure(
	METER_AUTH_FAILED,
	"amis/no-key",
	60,
	"The meter's telegrams are ciphered. Enter block_cipher_key, which its operator gives you.",
);
export const AMIS_KEY = finalFailure(
	METER_AUTH_FAILED,
	"amis/key",
	61,
	"A telegram could not be deciphered. Check block_cipher_key.",
);
/** Length or cipher of the frame, or the deciphered records, differ from the specification. */
export const AMIS_UNKNOWN = finalFailure(
	METER_ERROR,
	"amis/structure",
	62,
	"The meter's telegram differs from the specification. None of its values is taken.",
);
