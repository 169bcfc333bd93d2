/**
 * AARE: the meter's response to an association request (IEC 62056-5-3, 6.2 and 11; ACSE in BER).
 *
 *   61 len  A1 <context>  A2 03 02 01 <result>  A3 05 A1|A2 03 02 01 <diagnostic>   A1 user, A2 provider
 *           A4 0A 04 08 <system title>  88 02 07 80  89 07 <mechanism>  AA len 80 len <challenge>
 *           BE len 04 len <initiate response, its glo- form, or error>
 *
 * Some meters omit elements or insert others (80, the protocol version), so the elements may come in any order. Some
 * meters answer a plain request with the name of the ciphered context, so context and mechanism are not checked; they
 * only explain a refusal. After a refusal, the other elements may be malformed.
 */
import type { Failure } from "../readout/failure.js";
import { BER_OCTET_STRING, Element } from "./ber.js";
import type { Cursor } from "./cursor.js";
import {
	DLMS_ACSE_VERSION,
	DLMS_AUTHENTICATION,
	DLMS_AUTHENTICATION_REQUIRED,
	DLMS_CONTEXT,
	DLMS_HLS_2,
	DLMS_HLS_ECDSA,
	DLMS_HLS_MD5,
	DLMS_HLS_SHA1,
	DLMS_HLS_SHA256,
	DLMS_MECHANISM,
	DLMS_REJECTED,
	DLMS_TITLE,
} from "./failures.js";

export const AARE = 0x61;

export const ACCEPTED = 0;
/** Value of `diagnostic`. Together with ACCEPTED it means that passes 3 and 4 of high level security follow. */
export const DIAGNOSTIC_AUTHENTICATION_REQUIRED = 14;
export const DIAGNOSTIC_PROVIDER = 0x100;

const DIAGNOSTIC_CONTEXT = 2;
const DIAGNOSTIC_TITLE = 3;
const DIAGNOSTIC_MECHANISM = 11;
const DIAGNOSTIC_MECHANISM_REQUIRED = 12;
const DIAGNOSTIC_AUTHENTICATION = 13;
const DIAGNOSTIC_ACSE_VERSION = DIAGNOSTIC_PROVIDER + 2;

const ARC_CONTEXT = 1;
const ARC_MECHANISM = 2;
const OBJECT_IDENTIFIER = 0x06;

const CONTEXT_SHORT = 2;
const CONTEXT_SHORT_CIPHERED = 4;
const MECHANISMS = Object.freeze([
	...[undefined, undefined, DLMS_HLS_2, DLMS_HLS_MD5, DLMS_HLS_SHA1, undefined, DLMS_HLS_SHA256, DLMS_HLS_ECDSA],
]);

const CONTEXT_NAME = 0xa1;
const RESULT = 0xa2;
const SOURCE_DIAGNOSTIC = 0xa3;
const RESPONDING_TITLE = 0xa4;
const MECHANISM_NAME = 0x89;
const AUTHENTICATION_VALUE = 0xaa;
const USER_INFORMATION = 0xbe;
const SOURCE_USER = 0xa1;
const SOURCE_PROVIDER = 0xa2;
const CHAR_STRING = 0x80;

/** Parsed AARE. Its positions refer to the bytes of the cursor. An element is absent if its start equals its end. */
export class AssociationResponse {
	/** ACCEPTED, 1 (rejected permanently) or 2 (rejected transiently); -1 if absent. */
	result = -1;
	/** Diagnostic; DIAGNOSTIC_PROVIDER is added if the ACSE provider has sent it. -1 if absent. */
	diagnostic = -1;
	context = -1;
	mechanism = -1;
	titleStart = 0;
	titleEnd = 0;
	challengeStart = 0;
	challengeEnd = 0;
	informationStart = 0;
	informationEnd = 0;

	get isShort(): boolean {
		return this.context === CONTEXT_SHORT || this.context === CONTEXT_SHORT_CIPHERED;
	}

	/**
	 * Reads the AARE; the cursor must be at its tag. Returns false if the AARE is malformed; `result` may be valid
	 * nevertheless.
	 */
	read(cursor: Cursor): boolean {
		this.clear();
		cursor.expect(AARE);
		const length = cursor.length();
		const isComplete = length <= cursor.left;
		if (isComplete) cursor.end = cursor.at + length;
		return this.readElements(cursor) && isComplete;
	}

	private clear(): void {
		this.result = this.diagnostic = this.context = this.mechanism = -1;
		this.titleStart = this.titleEnd = this.challengeStart = this.challengeEnd = 0;
		this.informationStart = this.informationEnd = 0;
	}

	private readElements(cursor: Cursor): boolean {
		const element = new Element();
		const { bytes } = cursor;
		let isValid = true;
		while (element.read(cursor)) {
			if (element.tag === RESULT) {
				this.result = element.integer(bytes);
				isValid = isValid && this.result >= 0;
			} else if (element.tag === SOURCE_DIAGNOSTIC) isValid = this.readDiagnostic(element, bytes) && isValid;
			else if (element.tag === CONTEXT_NAME) {
				if (element.inside(bytes, OBJECT_IDENTIFIER)) this.context = numberIn(element, bytes, ARC_CONTEXT);
			} else if (element.tag === MECHANISM_NAME) this.mechanism = numberIn(element, bytes, ARC_MECHANISM);
			else if (element.tag === RESPONDING_TITLE) {
				isValid = element.inside(bytes, BER_OCTET_STRING) && isValid;
				this.titleStart = element.start;
				this.titleEnd = element.end;
			} else if (element.tag === AUTHENTICATION_VALUE) {
				isValid = element.inside(bytes, CHAR_STRING) && isValid;
				this.challengeStart = element.start;
				this.challengeEnd = element.end;
			} else if (element.tag === USER_INFORMATION) {
				isValid = element.inside(bytes, BER_OCTET_STRING) && isValid;
				this.informationStart = element.start;
				this.informationEnd = element.end;
			}
		}
		return isValid && !cursor.failed && this.result >= 0;
	}

	private readDiagnostic(element: Element, bytes: Uint8Array): boolean {
		const isProvider = !element.inside(bytes, SOURCE_USER);
		if (isProvider && !element.inside(bytes, SOURCE_PROVIDER)) return false;
		const value = element.integer(bytes);
		this.diagnostic = value < 0 ? value : value + (isProvider ? DIAGNOSTIC_PROVIDER : 0);
		return value >= 0;
	}
}

function numberIn({ start, end }: Element, bytes: Uint8Array, arc: number): number {
	return end - start > 2 && bytes[end - 2] === arc ? bytes[end - 1] : -1;
}

/**
 * Returns the failure if the meter has named another `mechanism` than the configured one (`own`); otherwise undefined.
 */
export function mechanismFailure(mechanism: number, own: number): Failure | undefined {
	return mechanism === own ? undefined : MECHANISMS[mechanism];
}

export function rejectionFailure(diagnostic: number): Failure {
	switch (diagnostic) {
		case DIAGNOSTIC_CONTEXT:
			return DLMS_CONTEXT;
		case DIAGNOSTIC_TITLE:
			return DLMS_TITLE;
		case DIAGNOSTIC_MECHANISM:
			return DLMS_MECHANISM;
		case DIAGNOSTIC_MECHANISM_REQUIRED:
		case DIAGNOSTIC_AUTHENTICATION_REQUIRED:
			return DLMS_AUTHENTICATION_REQUIRED;
		case DIAGNOSTIC_AUTHENTICATION:
			return DLMS_AUTHENTICATION;
		case DIAGNOSTIC_ACSE_VERSION:
			return DLMS_ACSE_VERSION;
	}
	return DLMS_REJECTED;
}
