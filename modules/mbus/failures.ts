/**
 * Failures of requests to M-Bus slaves. As long as no slave has answered, their `progress` is lower than that of the
 * failures of other protocols.
 */

import { failure, finalFailure, METER_ERROR, METER_TIMEOUT } from "../readout/failure.js";

/** Name of the protocol in the API; the codes of its failures begin with it. */
export const PROTOCOL_MBUS = "mbus";

export const MBUS_SILENCE = failure(
	METER_TIMEOUT,
	"mbus/silence",
	3,
	"The meter did not answer. Check the head or the level converter; then address and baudrate.",
);
/** Characters arrived, but no complete frame. */
export const MBUS_BROKEN = failure(
	METER_ERROR,
	"mbus/check",
	5,
	"Characters came, but no whole frame of M-Bus. Check baudrate; then that each meter has an address of its own.",
);
/** A slave answers a probe with M-Bus, but another protocol is configured. */
export const MBUS_INSTEAD = failure(
	METER_ERROR,
	"mbus/answers",
	19,
	"The meter answers as a slave of M-Bus. Choose the protocol mbus.",
	{ protocol: PROTOCOL_MBUS },
);
/** A slave acknowledged the reset or sent a telegram. After that, it was silent or sent only damaged frames. */
export const MBUS_LOST = failure(
	METER_TIMEOUT,
	"mbus/cut",
	21,
	"The meter began to answer, but no whole telegram arrived. Check the head or the wires; then try again.",
);
/** The data are encrypted, have the fixed data structure, or are an error message from the meter. */
export const MBUS_UNREADABLE = finalFailure(
	METER_ERROR,
	"mbus/unreadable",
	22,
	"The meter sends data that can't be read: ciphered, in the old fixed structure, or an error message.",
);
