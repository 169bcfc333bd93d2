/**
 * xDLMS initiate in AARQ and AARE (IEC 62056-5-3, 7.3; A-XDR):
 *
 *   InitiateRequest   01, dedicated key (00: absent), response allowed (00: yes), quality (00: absent), version 06,
 *                     5F 1F 04 00 and 3 bytes of conformance, longest APDU that we accept (2)
 *   InitiateResponse  08, quality (00, or 01 and a byte), version, 5F 1F 04 00 and 3 bytes, longest APDU (2; 0: any),
 *                     name (2; 00 07, or FA 00: short names)
 *   Error             0E 01 (initiate) 06 n
 */
import type { Failure } from "../readout/failure.js";
import type { Cursor } from "./cursor.js";
import { DLMS_CONFORMANCE, DLMS_EXCEPTION, DLMS_INITIATE, DLMS_PDU_SIZE, DLMS_VERSION } from "./failures.js";

export const INITIATE_REQUEST = 0x01;
export const INITIATE_RESPONSE = 0x08;
export const CONFIRMED_SERVICE_ERROR = 0x0e;
export const INITIATE_REQUEST_LENGTH = 14;

export const CONFORMANCE_BLOCK_GET = 0x1000;
export const CONFORMANCE_LIST = 0x0200;
export const CONFORMANCE_GET = 0x0010;
export const CONFORMANCE_SELECTIVE = 0x0004;
export const CONFORMANCE_ACTION = 0x0001;

/** Name of an association with short names (IEC 62056-6-2, 5.3.3). */
const NAME_SHORT = 0xfa00;

const VERSION = 6;
const CONFORMANCE_TAG = 0x5f;
const CONFORMANCE_TAG_2 = 0x1f;
const CONFORMANCE_LENGTH = 4;
const INITIATE_ERRORS = Object.freeze([DLMS_EXCEPTION, DLMS_VERSION, DLMS_CONFORMANCE, DLMS_PDU_SIZE, DLMS_INITIATE]);

export function putInitiateRequest(into: Uint8Array, at: number, conformance: number, pduLimit: number): number {
	into[at] = INITIATE_REQUEST;
	into.fill(0, at + 1, at + 4);
	into[at + 4] = VERSION;
	into[at + 5] = CONFORMANCE_TAG;
	into[at + 6] = CONFORMANCE_TAG_2;
	into[at + 7] = CONFORMANCE_LENGTH;
	into[at + 8] = 0;
	into[at + 9] = (conformance >> 16) & 0xff;
	into[at + 10] = (conformance >> 8) & 0xff;
	into[at + 11] = conformance & 0xff;
	into[at + 12] = pduLimit >> 8;
	into[at + 13] = pduLimit & 0xff;
	return at + INITIATE_REQUEST_LENGTH;
}

export class Initiate {
	conformance = 0;
	/** Length of the longest APDU that the meter accepts, bytes; 0 if it has no limit. */
	pduLimit = 0;
	isShort = false;

	/** Reads an InitiateResponse. Returns false if the APDU is malformed or of another kind. */
	read(cursor: Cursor): boolean {
		cursor.expect(INITIATE_RESPONSE);
		if (cursor.u8() !== 0) cursor.u8();
		cursor.u8();
		cursor.expect(CONFORMANCE_TAG);
		cursor.expect(CONFORMANCE_TAG_2);
		cursor.expect(CONFORMANCE_LENGTH);
		cursor.u8();
		this.conformance = cursor.u8() * 0x10000 + cursor.u16();
		this.pduLimit = cursor.u16();
		this.isShort = cursor.u16() === NAME_SHORT;
		return !cursor.failed;
	}
}

export function serviceErrorFailure(cursor: Cursor): Failure {
	cursor.expect(CONFIRMED_SERVICE_ERROR);
	cursor.expect(1);
	cursor.expect(6);
	const error = cursor.u8();
	return cursor.failed ? DLMS_EXCEPTION : (INITIATE_ERRORS[error] ?? DLMS_EXCEPTION);
}
