/**
 * AARQ and RLRQ: the client's association request and release request (IEC 62056-5-3, 6.2, 6.5 and 11; ACSE in BER).
 *
 *   60 len  A1 09 06 07 <2.16.756.5.8.1.context>      1 logical names, 3 logical names ciphered
 *           A6 0A 04 08 <system title>                 with ciphering or high level security
 *           8A 02 07 80  8B 07 <…8.2.mechanism>        with authentication: 1 low, 5 high with GMAC, 6 with SHA-256
 *           AC len 80 len <password, or challenge>
 *           BE len 04 len <initiate request, or its glo- form>
 *   62 len  80 01 00  BE len 04 len <glo- initiate request>   user information (from BE on) only when ciphered
 *
 * Limits: a password or challenge has at most SECRET_LIMIT bytes, and the whole AARQ at most AARQ_LIMIT bytes.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { putBytes, putLength } from "./cursor.js";

export const AARQ = 0x60;
export const RLRQ = 0x62;
export const RLRE = 0x63;

export const CONTEXT_PLAIN = 1;
export const CONTEXT_CIPHERED = 3;

export const MECHANISM_NONE = 0;
export const MECHANISM_LOW = 1;
/** Lowest number of a mechanism that uses challenges instead of a password. */
export const MECHANISM_HIGH_GMAC = 5;
export const MECHANISM_HIGH_SHA256 = 6;

export const TITLE_LENGTH = 8;
export const SECRET_LIMIT = 64;
/** Maximum length of the ciphered initiate request, bytes. */
export const INFORMATION_LIMIT = 52;
export const AARQ_LIMIT = 192;

/**
 * Start of the object identifiers of contexts and mechanisms (joint-iso-ccitt 2.16.756.5.8). The arc and the number
 * follow.
 */
const DLMS_UA = "\x60\x85\x74\x05\x08";
const ARC_CONTEXT = 1;
const ARC_MECHANISM = 2;
const OID_LENGTH = 7;
const OBJECT_IDENTIFIER = 0x06;
const OCTET_STRING = 0x04;
const CONTEXT_NAME = 0xa1;
const CALLING_TITLE = 0xa6;
const REQUIREMENTS = 0x8a;
const MECHANISM_NAME = 0x8b;
const AUTHENTICATION_VALUE = 0xac;
const CHAR_STRING = 0x80;
const USER_INFORMATION = 0xbe;
const RELEASE_REASON = 0x80;

export interface AssociationRequest {
	readonly context: number;
	readonly mechanism: number;
	/** System title, TITLE_LENGTH bytes; undefined if it is not sent. */
	readonly title: Uint8Array | undefined;
	/** Password or challenge. */
	readonly secret: Uint8Array;
	/**
	 * Array that contains the initiate request, from `informationStart` to before `informationEnd`. It may be the array
	 * `into`, if the request begins at AARQ_LIMIT or later.
	 */
	readonly information: Uint8Array;
	readonly informationStart: number;
	readonly informationEnd: number;
}

export function encodeAARQ(into: Uint8Array, request: AssociationRequest): number {
	let to = 2;
	into[to++] = CONTEXT_NAME;
	into[to++] = 2 + OID_LENGTH;
	into[to++] = OBJECT_IDENTIFIER;
	to = putOID(into, to, ARC_CONTEXT, request.context);
	if (request.title !== undefined) {
		into[to++] = CALLING_TITLE;
		into[to++] = 2 + TITLE_LENGTH;
		into[to++] = OCTET_STRING;
		into[to++] = TITLE_LENGTH;
		to = putBytes(into, to, request.title);
	}
	if (request.mechanism !== MECHANISM_NONE) {
		into[to++] = REQUIREMENTS;
		into[to++] = 2;
		into[to++] = 7;
		into[to++] = 0x80;
		into[to++] = MECHANISM_NAME;
		to = putOID(into, to, ARC_MECHANISM, request.mechanism);
		into[to++] = AUTHENTICATION_VALUE;
		into[to++] = 2 + request.secret.length;
		into[to++] = CHAR_STRING;
		into[to++] = request.secret.length;
		to = putBytes(into, to, request.secret);
	}
	to = putInformation(into, to, request);
	return closeMessage(into, AARQ, to);
}

/** Writes the release request (RLRQ). `request` is undefined unless the context is ciphered. */
export function encodeRLRQ(into: Uint8Array, request: AssociationRequest | undefined): number {
	let to = 2;
	into[to++] = RELEASE_REASON;
	into[to++] = 1;
	into[to++] = 0;
	if (request !== undefined) to = putInformation(into, to, request);
	return closeMessage(into, RLRQ, to);
}

/** Returns the end of the password in the AARQ, which is just before the user information. */
export function secretEnd(length: number, informationLength: number): number {
	return length - informationLength - 4;
}

function putOID(into: Uint8Array, at: number, arc: number, value: number): number {
	into[at] = OID_LENGTH;
	const to = putBytes(into, at + 1, asciiBytes(DLMS_UA));
	into[to] = arc;
	into[to + 1] = value;
	return to + 2;
}

function putInformation(into: Uint8Array, at: number, request: AssociationRequest): number {
	const { information, informationStart, informationEnd } = request;
	const length = informationEnd - informationStart;
	into[at] = USER_INFORMATION;
	into[at + 1] = 2 + length;
	into[at + 2] = OCTET_STRING;
	into[at + 3] = length;
	for (let i = 0; i < length; i++) into[at + 4 + i] = information[informationStart + i];
	return at + 4 + length;
}

function closeMessage(into: Uint8Array, tag: number, end: number): number {
	const length = end - 2;
	into[0] = tag;
	if (length < 0x80) {
		into[1] = length;
		return end;
	}
	into.copyWithin(3, 2, end);
	putLength(into, 1, length);
	return end + 1;
}
