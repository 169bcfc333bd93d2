/**
 * Passes 3 and 4 of high level security: ACTION `reply_to_HLS_authentication` of the current association
 * (IEC 62056-5-3, 7.3; IEC 62056-6-2, 5.3.2).
 *
 *   request   C3 01 C1  class 00 0F, 0.0.40.0.0.255, method 01  01  09 len <answer>
 *   response  C7 01 id  result  01 00  09 len <answer>
 *
 * With GMAC, an answer is SC, IC and tag (17 bytes); with SHA-256, it is a digest (32 bytes).
 */
import { asciiBytes } from "../bytes/ascii.js";
import { TAG_OCTET_STRING } from "./axdr.js";
import { type Cursor, putBytes } from "./cursor.js";

export const ACTION_RESPONSE = 0xc7;

const ACTION_REQUEST_HEAD = "\xc3\x01\xc1\x00\x0f\x00\x00\x28\x00\x00\xff\x01\x01\x09";
export const ANSWER_AT = ACTION_REQUEST_HEAD.length + 1;

const NORMAL = 1;

/**
 * Writes the request without the answer. The caller must write the answer, which has `length` bytes, at `at` +
 * ANSWER_AT.
 */
export function putActionRequest(into: Uint8Array, at: number, length: number): void {
	into[putBytes(into, at, asciiBytes(ACTION_REQUEST_HEAD))] = length;
}

export const ACTION_REFUSED = -1;
/** The response is malformed or has no answer. */
export const ACTION_BROKEN = -2;

export function findAnswer(cursor: Cursor, length: number): number {
	cursor.expect(ACTION_RESPONSE);
	cursor.expect(NORMAL);
	cursor.u8();
	const result = cursor.u8();
	if (cursor.failed) return ACTION_BROKEN;
	if (result !== 0) return ACTION_REFUSED;
	if (cursor.u8() !== 1) return ACTION_BROKEN;
	if (cursor.u8() !== 0) return ACTION_REFUSED;
	cursor.expect(TAG_OCTET_STRING);
	cursor.expect(length);
	const at = cursor.skip(length);
	return cursor.failed ? ACTION_BROKEN : at;
}
