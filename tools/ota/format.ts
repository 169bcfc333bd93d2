/** Binary format of firmware files (docs/firmware-files.md). */

/**
 * Kinds of fields. A number is little-endian and has 1, 2 or 4 bytes. A text is ASCII, padded with zeros. Bytes are
 * raw.
 */
type Kind = "number" | "text" | "bytes";
type Field = readonly [name: string, kind: Kind, length: number];
type ValueOf<K extends Kind> = K extends "number" ? number : K extends "text" ? string : Uint8Array;
type Values<L extends readonly Field[]> = { readonly [F in L[number] as F[0]]: ValueOf<F[1]> };

const HEADER_FIELDS = [
	["identifier", "number", 4],
	["headerVersion", "number", 2],
	["headerLength", "number", 2],
	["fieldControl", "number", 2],
	["manufacturer", "number", 2],
	["imageType", "number", 2],
	["fileVersion", "number", 4],
	["stackVersion", "number", 2],
	["name", "text", 32],
	["fileLength", "number", 4],
] as const satisfies readonly Field[];

const METADATA_FIELDS = [
	["format", "number", 1],
	["isPacked", "number", 1],
	["deviceId", "number", 2],
	["product", "text", 16],
	["chip", "text", 16],
	["buildNumber", "number", 4],
	["version", "text", 32],
	["securityLevel", "number", 4],
	["contentLength", "number", 4],
	["imageLength", "number", 4],
	["contentHash", "bytes", 32],
	["imageHash", "bytes", 32],
	["keyId", "bytes", 8],
] as const satisfies readonly Field[];

const ELEMENT_FIELDS = [
	["tag", "number", 2],
	["length", "number", 4],
] as const satisfies readonly Field[];

export type Header = Values<typeof HEADER_FIELDS>;
/** Signed metadata. Members with `content` in their names describe the data of the second element. */
export type Metadata = Values<typeof METADATA_FIELDS>;
export type ElementHead = Values<typeof ELEMENT_FIELDS>;

const lengthOf = (fields: readonly Field[]) => fields.reduce((sum, [, , length]) => sum + length, 0);

export const HEADER_LENGTH = lengthOf(HEADER_FIELDS);
export const ELEMENT_HEAD_LENGTH = lengthOf(ELEMENT_FIELDS);
/** Length of the signed metadata in bytes. The signature follows them. */
export const SIGNED_LENGTH = lengthOf(METADATA_FIELDS);
export const SIGNATURE_LENGTH = 64;
export const SIGNED_AT = HEADER_LENGTH + ELEMENT_HEAD_LENGTH;
/** Offset of the data of the second element. */
export const CONTENT_AT = SIGNED_AT + SIGNED_LENGTH + SIGNATURE_LENGTH + ELEMENT_HEAD_LENGTH;

export const IDENTIFIER = 0x0beef11e;
export const HEADER_VERSION = 0x0100;
export const STACK_VERSION = 2;
export const MANUFACTURER = 0xfff1;
export const FORMAT = 1;
export const PRODUCT = "smart-meter-gw";
export const TAG_METADATA = 0xf001;
export const TAG_IMAGE = 0x0000;
export const TAG_PACKED = 0xf002;

export const encodeHeader = (header: Header) => encode(HEADER_FIELDS, header);
export const decodeHeader = (bytes: Uint8Array): Header => decode(HEADER_FIELDS, bytes) as Header;
export const encodeMetadata = (metadata: Metadata) => encode(METADATA_FIELDS, metadata);
export const decodeMetadata = (bytes: Uint8Array): Metadata => decode(METADATA_FIELDS, bytes) as Metadata;
export const encodeElementHead = (head: ElementHead) => encode(ELEMENT_FIELDS, head);
export const decodeElementHead = (bytes: Uint8Array): ElementHead => decode(ELEMENT_FIELDS, bytes) as ElementHead;

function encode(fields: readonly Field[], values: Readonly<Record<string, unknown>>): Buffer {
	const bytes = Buffer.alloc(lengthOf(fields));
	let at = 0;
	for (const [name, kind, length] of fields) {
		const value = values[name];
		if (kind === "number") bytes.writeUIntLE(whole(name, length, value as number), at, length);
		else
			bytes.set(kind === "text" ? text(name, length, value as string) : exact(name, length, value as Uint8Array), at);
		at += length;
	}
	return bytes;
}

function whole(name: string, length: number, value: number): number {
	const limit = 2 ** (8 * length);
	if (Number.isInteger(value) && value >= 0 && value < limit) return value;
	throw new RangeError(`${name} is a whole number from 0 to ${limit - 1}, not ${value}.`);
}

function text(name: string, length: number, value: string): Buffer {
	if (/^[\x20-\x7e]*$/.test(value) && value.length <= length) return Buffer.from(value, "latin1");
	throw new RangeError(`${name} has up to ${length} characters of ASCII, not "${value}".`);
}

function exact(name: string, length: number, value: Uint8Array): Uint8Array {
	if (value.length === length) return value;
	throw new RangeError(`${name} has ${length} bytes, not ${value.length}.`);
}

/** Decodes fields. Only the zeros at the end of a text are removed, so that a comparison reveals any other zeros. */
function decode(fields: readonly Field[], bytes: Uint8Array): Record<string, number | string | Uint8Array> {
	const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	const values: Record<string, number | string | Uint8Array> = {};
	let at = 0;
	for (const [name, kind, length] of fields) {
		if (kind === "number") values[name] = source.readUIntLE(at, length);
		else if (kind === "bytes") values[name] = source.subarray(at, at + length);
		else values[name] = source.toString("latin1", at, at + length).replace(/\0+$/, "");
		at += length;
	}
	return values;
}
