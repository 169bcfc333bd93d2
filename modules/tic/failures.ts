/**
 * Failures of meters that send TIC. Their `progress` is lower than that of the failures that report a telegram of
 * another protocol.
 */
import { failure, METER_ERROR, METER_TIMEOUT } from "../readout/failure.js";

/** Name of the protocol in the API; the codes of its failures begin with it. */
export const PROTOCOL_TIC = "tic";

export const TIC_SILENCE = failure(
	METER_TIMEOUT,
	"tic/silence",
	3,
	"The meter sent nothing. Check the wires at I1 and I2 of the meter, and the optocoupler between them and the gateway.",
);
export const TIC_NO_START = failure(
	METER_ERROR,
	"tic/no-start",
	5,
	"Characters came, but no group of TIC at 1200 or 9600 Bd. Check the optocoupler and its resistor, or choose another protocol.",
);
/** Groups arrived, but no two consecutive frames had the same length. */
export const TIC_BROKEN = failure(
	METER_ERROR,
	"tic/frame",
	8,
	"Parts of TIC arrive, but no whole frame. Check the optocoupler and its resistor, and that no other reader disturbs the line.",
);
export const TIC_NO_FRAME = failure(
	METER_TIMEOUT,
	"tic/no-frame",
	0,
	"No whole frame arrived within a minute. Check the wires at I1 and I2, the optocoupler, and that this meter sends TIC.",
);
