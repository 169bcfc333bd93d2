/**
 * Exception-response, which a meter sends if it can't serve an APDU (IEC 62056-5-3, 7.3 and 9.5):
 *
 *   D8 state service [counter(4)]   state 1 not allowed, 2 unknown; service 1 not possible, 2 not supported, 3 other,
 *                                   4 APDU too long, 5 deciphering, 6 invocation counter (the expected one follows)
 */
import type { Failure } from "../readout/failure.js";
import type { Cursor } from "./cursor.js";
import { DLMS_COUNTER, DLMS_DECIPHERING, DLMS_LOST } from "./failures.js";

export const EXCEPTION_RESPONSE = 0xd8;

const STATE_NOT_ALLOWED = 1;
const SERVICE_NOT_POSSIBLE = 1;
const SERVICE_DECIPHERING = 5;
const SERVICE_COUNTER = 6;

export class ExceptionResponse {
	state = 0;
	service = 0;
	counter = -1;

	/** Reads an exception-response. Missing bytes count as 0. */
	read(cursor: Cursor): void {
		cursor.expect(EXCEPTION_RESPONSE);
		this.state = cursor.u8();
		this.service = cursor.u8();
		this.counter = this.service === SERVICE_COUNTER && cursor.left >= 4 ? cursor.u32() : -1;
	}

	/** Failure with which the association must end; undefined if another request may succeed. */
	get failure(): Failure | undefined {
		if (this.service === SERVICE_DECIPHERING) return DLMS_DECIPHERING;
		if (this.service === SERVICE_COUNTER) return DLMS_COUNTER;
		return this.isLoss ? DLMS_LOST : undefined;
	}

	get isLoss(): boolean {
		return this.state === STATE_NOT_ALLOWED && this.service === SERVICE_NOT_POSSIBLE;
	}
}
