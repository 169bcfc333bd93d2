/**
 * The meter's side of opening an association (IEC 62056-5-3: ACSE in BER, xDLMS initiate in A-XDR). Reads an AARQ and
 * writes an AARE.
 */
import { lengthOf } from "./dlms-data.js";

export const CONTEXT_PLAIN = 1;
export const CONTEXT_SHORT = 2;
export const CONTEXT_CIPHERED = 3;
export const MECHANISM_NONE = 0;
export const MECHANISM_LOW = 1;
export const MECHANISM_GMAC = 5;
export const MECHANISM_SHA256 = 6;

export const ACCEPTED = 0;
export const REJECTED = 1;
export const REJECTED_FOR_NOW = 2;
export const SOURCE_USER = 1;
export const SOURCE_PROVIDER = 2;
export const DIAGNOSTIC_NONE = 0;
export const DIAGNOSTIC_CONTEXT = 2;
export const DIAGNOSTIC_TITLE = 3;
export const DIAGNOSTIC_MECHANISM = 11;
export const DIAGNOSTIC_MECHANISM_REQUIRED = 12;
export const DIAGNOSTIC_FAILED = 13;
/**
 * Diagnostic "authentication required". In HLS this is not a refusal, because passes 3 and 4 of the authentication
 * follow.
 */
export const DIAGNOSTIC_REQUIRED = 14;

/** Object identifier 2.16.756.5.8.1, without the last number. */
const CONTEXT_NAME = Buffer.from("608574050801", "hex");
/** Object identifier 2.16.756.5.8.2, without the last number. */
const MECHANISM_NAME = Buffer.from("608574050802", "hex");

export interface AARQ {
	context: number;
	mechanism: number;
	title?: Buffer;
	secret: Buffer;
	userInformation: Buffer;
}

interface Part {
	tag: number;
	contents: Buffer;
}

function partsIn(bytes: Buffer): Part[] | undefined {
	const parts: Part[] = [];
	for (let at = 0; at < bytes.length; ) {
		const tag = bytes[at++];
		let length = bytes[at++];
		if (length > 0x80) {
			const size = length & 0x7f;
			length = bytes.subarray(at, at + size).reduce((all, byte) => all * 256 + byte, 0);
			at += size;
		}
		if (length === undefined || at + length > bytes.length) return undefined;
		parts.push({ tag, contents: bytes.subarray(at, at + length) });
		at += length;
	}
	return parts;
}

function lastOf(name: Buffer, prefix: Buffer): number {
	return name.length === prefix.length + 1 && name.subarray(0, -1).equals(prefix) ? name[prefix.length] : -1;
}

/** Reads an AARQ. An unknown context or mechanism becomes -1. */
export function readAARQ(apdu: Buffer): AARQ | undefined {
	const [whole] = partsIn(apdu) ?? [];
	if (whole?.tag !== 0x60) return undefined;
	const aarq: AARQ = { context: -1, mechanism: 0, secret: Buffer.alloc(0), userInformation: Buffer.alloc(0) };
	for (const { tag, contents } of partsIn(whole.contents) ?? []) {
		const inner = tag === 0x8b ? contents : partsIn(contents)?.[0]?.contents;
		if (inner === undefined) continue;
		if (tag === 0xa1) aarq.context = lastOf(inner, CONTEXT_NAME);
		if (tag === 0x8b) aarq.mechanism = lastOf(inner, MECHANISM_NAME);
		if (tag === 0xa6) aarq.title = Buffer.from(inner);
		if (tag === 0xac) aarq.secret = Buffer.from(inner);
		if (tag === 0xbe) aarq.userInformation = Buffer.from(inner);
	}
	return aarq;
}

export interface Initiate {
	dedicatedKey?: Buffer;
	version: number;
	/** Conformance block, 24 bits. */
	conformance: number;
	pdu: number;
}

/**
 * Reads `01 dedicated-key response-allowed quality version 5F 1F 04 00 conformance pdu`. Returns undefined for other
 * bytes.
 */
export function readInitiate(bytes: Buffer): Initiate | undefined {
	if (bytes[0] !== 0x01) return undefined;
	let at = 1;
	let dedicatedKey: Buffer | undefined;
	if (bytes[at++] !== 0) {
		dedicatedKey = Buffer.from(bytes.subarray(at + 1, at + 1 + bytes[at]));
		at += 1 + bytes[at];
	}
	if (bytes[at++] !== 0) at++;
	if (bytes[at++] !== 0) at++;
	const version = bytes[at++];
	if (bytes.length !== at + 9 || bytes.readUInt32BE(at) !== 0x5f1f0400) return undefined;
	const common = { version, conformance: bytes.readUIntBE(at + 4, 3), pdu: bytes.readUInt16BE(at + 7) };
	return dedicatedKey === undefined ? common : { ...common, dedicatedKey };
}

/** Names of associations (VAA names): one with logical names, and one with short names. */
export const NAME_LOGICAL = 0x0007;
export const NAME_SHORT = 0xfa00;

export function writeInitiateResponse(conformance: number, pdu: number, name = NAME_LOGICAL): Buffer {
	// The response has no quality, DLMS version 6, conformance and size as requested, and the name of the association.
	const bytes = Buffer.from("0800065f1f040000000000000000", "hex");
	bytes.writeUIntBE(conformance, 7, 3);
	bytes.writeUInt16BE(pdu, 10);
	bytes.writeUInt16BE(name, 12);
	return bytes;
}

export function writeInitiateError(reason: number): Buffer {
	return Buffer.of(0x0e, 0x01, 0x06, reason);
}

export interface AARE {
	context: number;
	result: number;
	source: number;
	diagnostic: number;
	title?: Uint8Array;
	mechanism?: number;
	challenge?: Uint8Array;
	userInformation?: Uint8Array;
}

function part(tag: number, ...contents: readonly Uint8Array[]): Buffer {
	const bytes = Buffer.concat(contents);
	return Buffer.concat([Buffer.of(tag), lengthOf(bytes.length), bytes]);
}

export function writeAARE(aare: AARE): Buffer {
	const { context, result, source, diagnostic, title, mechanism, challenge, userInformation } = aare;
	const parts = [
		part(0xa1, part(0x06, CONTEXT_NAME, Buffer.of(context))),
		part(0xa2, part(0x02, Buffer.of(result))),
		part(0xa3, part(0xa0 | source, part(0x02, Buffer.of(diagnostic)))),
	];
	if (title !== undefined) parts.push(part(0xa4, part(0x04, title)));
	if (mechanism !== undefined) parts.push(part(0x88, Buffer.of(0x07, 0x80)));
	if (mechanism !== undefined) parts.push(part(0x89, MECHANISM_NAME, Buffer.of(mechanism)));
	if (challenge !== undefined) parts.push(part(0xaa, part(0x80, challenge)));
	if (userInformation !== undefined) parts.push(part(0xbe, part(0x04, userInformation)));
	return part(0x61, ...parts);
}
