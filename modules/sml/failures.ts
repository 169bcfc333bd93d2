/** Failures of SML. Their `progress` is lower than that of the failures that report a telegram of another protocol. */
import { failure, METER_ERROR, METER_TIMEOUT } from "../readout/failure.js";

/** Name of the protocol in the API; the codes of its failures begin with it. */
export const PROTOCOL_SML = "sml";

export const SML_SILENCE = failure(
	METER_TIMEOUT,
	"sml/silence",
	3,
	"The meter sent nothing. Check that the head sits on the meter's optical port, and its direction.",
);
export const SML_NO_START = failure(
	METER_ERROR,
	"sml/no-start",
	5,
	"Characters came, but no telegram of SML. Turn the head, shade it from light, or choose another protocol.",
);
export const SML_CHECK_WRONG = failure(
	METER_ERROR,
	"sml/check",
	8,
	"The telegram arrived damaged. Check the head's position, and shade it from light.",
);
export const SML_BROKEN = failure(
	METER_ERROR,
	"sml/structure",
	9,
	"The meter sends a telegram whose structure is broken, with a right check. None of its values is taken.",
);
export const SML_NO_TELEGRAM = failure(
	METER_TIMEOUT,
	"sml/no-telegram",
	0,
	"No complete telegram arrived within a minute. Check the head's position, and that this meter pushes SML.",
);
