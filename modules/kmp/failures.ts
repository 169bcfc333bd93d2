/**
 * Failures of Kamstrup's KMP. As long as the meter has not answered, their `progress` is lower than that of the
 * failures of other protocols.
 */

import { failure, METER_ERROR, METER_TIMEOUT } from "../readout/failure.js";

/** Name of the protocol in the API; the codes of its failures begin with it. */
export const PROTOCOL_KMP = "kmp";

export const KMP_SILENCE = failure(
	METER_TIMEOUT,
	"kmp/silence",
	3,
	"The meter did not answer. Press one of its buttons, since its optical port may be asleep; then check the head's position.",
);
/** Characters arrived, but no complete frame that answers the request. */
export const KMP_BROKEN = failure(
	METER_ERROR,
	"kmp/check",
	5,
	"Characters came, but no right answer in KMP. Turn the head, shade it from light, or choose another protocol.",
);
/** A meter answers a probe with KMP, but another protocol is configured. */
export const KMP_INSTEAD = failure(
	METER_ERROR,
	"kmp/answers",
	19,
	"The meter answers in Kamstrup's KMP. Choose the protocol kmp.",
	{ protocol: PROTOCOL_KMP },
);
/** The meter stopped answering after it had sent its serial number. */
export const KMP_LOST = failure(
	METER_TIMEOUT,
	"kmp/cut",
	21,
	"The meter gave its serial number, but not its registers. Check that the head sits firmly; then try again.",
);
