/**
 * Writes a distinguished name as text (RFC 4514). As in hosts/native/certificate-name.c, the last part comes first, and
 * each comma is followed by a space. Limits: 32 parts, 28 bits per number of an object identifier,
 * CERTIFICATE_NAME_LIMIT bytes of text.
 */
import type { BaseBlock, ObjectIdentifier, OctetString, Sequence } from "asn1js";
import { CERTIFICATE_NAME_LIMIT } from "../../modules/io/crypto.js";

const PARTS_LIMIT = 32;
const TYPE_LIMIT = 159;
const NUMBER_LIMIT = 2 ** 28;
const ELLIPSIS = "…";

/** Short names of RFC 4514, 3, and two others that are common in device certificates. */
const TYPE_NAMES = new Map([
	["2.5.4.3", "CN"],
	["2.5.4.5", "serialNumber"],
	["2.5.4.6", "C"],
	["2.5.4.7", "L"],
	["2.5.4.8", "ST"],
	["2.5.4.9", "STREET"],
	["2.5.4.10", "O"],
	["2.5.4.11", "OU"],
	["0.9.2342.19200300.100.1.1", "UID"],
	["0.9.2342.19200300.100.1.25", "DC"],
	["1.2.840.113549.1.9.1", "emailAddress"],
]);

/** Tags of string types (ITU-T X.680, 8.6). */
const UTF8_STRING = 12;
const PRINTABLE_STRING = 19;
const TELETEX_STRING = 20;
const IA5_STRING = 22;
const UNIVERSAL_STRING = 28;
const BMP_STRING = 30;

export const childrenOf = (block: BaseBlock) => (block as Sequence).valueBlock.value as BaseBlock[];

/**
 * Returns the text of a Name (RFC 5280, 4.1.2.4). Returns undefined if a string is malformed or has an unusual type, or
 * if a limit is exceeded.
 */
export function nameText(name: BaseBlock): string | undefined {
	const parts = childrenOf(name);
	if (parts.length > PARTS_LIMIT) return undefined;
	const pieces: string[] = [];
	for (const part of parts.toReversed()) {
		if (pieces.length > 0) pieces.push(", ");
		for (const [index, attribute] of childrenOf(part).entries()) {
			const [type, value] = childrenOf(attribute);
			const typeName = typeText((type as ObjectIdentifier).getValue());
			const codes = codesOf(value);
			if (typeName === undefined || codes === undefined) return undefined;
			pieces.push(...(index > 0 ? ["+"] : []), typeName, "=");
			for (let i = 0; i < codes.length; i++) pieces.push(escapeCode(codes[i], i === 0, i === codes.length - 1));
		}
	}
	return joinPieces(pieces);
}

function typeText(type: string): string | undefined {
	const isUsual = type.length <= TYPE_LIMIT && type.split(".").every((number) => Number(number) < NUMBER_LIMIT);
	return isUsual ? (TYPE_NAMES.get(type) ?? type) : undefined;
}

function codesOf(value: BaseBlock): number[] | undefined {
	if (value.idBlock.tagClass !== 1) return undefined;
	const bytes = (value as OctetString).valueBlock.valueHexView;
	switch (value.idBlock.tagNumber) {
		case UTF8_STRING:
			try {
				const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
				return Array.from(text, (character) => character.codePointAt(0)!);
			} catch {
				return undefined;
			}
		case PRINTABLE_STRING:
		case IA5_STRING:
			return bytes.every((byte) => byte < 0x80) ? [...bytes] : undefined;
		case TELETEX_STRING:
			// Teletex strings in real certificates contain Latin-1 characters beyond ASCII.
			return [...bytes];
		case BMP_STRING:
			return wideCodes(bytes, 2);
		case UNIVERSAL_STRING:
			return wideCodes(bytes, 4);
		default:
			return undefined;
	}
}

function wideCodes(bytes: Uint8Array, width: number): number[] | undefined {
	if (bytes.length % width !== 0) return undefined;
	const codes: number[] = [];
	for (let at = 0; at < bytes.length; at += width) codes.push(Buffer.from(bytes).readUIntBE(at, width));
	return codes.every((code) => code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) ? codes : undefined;
}

/** Escapes the character if necessary (RFC 4514, 2.4). */
function escapeCode(code: number, first: boolean, last: boolean): string {
	if (code < 0x20 || code === 0x7f) return `\\${code.toString(16).padStart(2, "0")}`;
	const character = String.fromCodePoint(code);
	const escaped = '"+,;<>\\'.includes(character) || (code === 0x20 && (first || last)) || (code === 0x23 && first);
	return escaped ? `\\${character}` : character;
}

function joinPieces(pieces: readonly string[]): string {
	let length = 0;
	let cut = 0;
	for (const [index, piece] of pieces.entries()) {
		length += Buffer.byteLength(piece);
		if (length > CERTIFICATE_NAME_LIMIT) return pieces.slice(0, cut).join("") + ELLIPSIS;
		if (length <= CERTIFICATE_NAME_LIMIT - Buffer.byteLength(ELLIPSIS)) cut = index + 1;
	}
	return pieces.join("");
}
