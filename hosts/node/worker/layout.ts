/**
 * Kinds of the values in a command or a reply (protocol.ts). Values follow one another without gaps. Numbers are
 * little-endian. Only the last value may be of a kind that has no length.
 */

export const U8 = 0;
export const U16 = 1;
export const U32 = 2;
export const F64 = 3;
/** A u16 length, followed by UTF-8. */
export const TEXT = 4;
/** A u32 length, followed by the bytes. */
export const BYTES = 5;
/** Text until the end of the message. */
export const LAST_TEXT = 6;
export const LAST_BYTES = 7;
/** Any value as JSON. Undefined is sent as null. */
export const LAST_JSON = 8;

export type Layout = readonly number[];

type ValueOf<Kind> = Kind extends typeof TEXT | typeof LAST_TEXT
	? string
	: Kind extends typeof BYTES | typeof LAST_BYTES
		? Uint8Array
		: Kind extends typeof LAST_JSON
			? unknown
			: number;

export type ValuesOf<L extends Layout> = { -readonly [Index in keyof L]: ValueOf<L[Index]> };

const SIZES: readonly number[] = Object.freeze([1, 2, 4, 8, 2, 4, 0, 0, 0]);
const TEXT_LIMIT = 0xffff;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeValues(layout: Layout, values: readonly unknown[], head: number): Uint8Array {
	if (layout.length === 0) return new Uint8Array(head);
	if (layout.length === 1) return encodeValue(layout[0], values[0], head);
	const parts: (Uint8Array | undefined)[] = [];
	let length = head;
	for (let i = 0; i < layout.length; i++) {
		const part = partOf(layout[i], values[i]);
		parts.push(part);
		length += SIZES[layout[i]] + (part === undefined ? 0 : part.length);
	}
	const bytes = new Uint8Array(length);
	const view = new DataView(bytes.buffer);
	let at = head;
	for (let i = 0; i < layout.length; i++) {
		const part = parts[i];
		putNumber(view, at, SIZES[layout[i]], part === undefined ? (values[i] as number) : part.length);
		at += SIZES[layout[i]];
		if (part === undefined) continue;
		bytes.set(part, at);
		at += part.length;
	}
	return bytes;
}

/** Faster encoding for messages with one value, such as a timer, a read or a write. */
function encodeValue(kind: number, value: unknown, head: number): Uint8Array {
	const size = SIZES[kind];
	const part = partOf(kind, value);
	const bytes = new Uint8Array(head + size + (part === undefined ? 0 : part.length));
	if (part !== undefined) bytes.set(part, head + size);
	if (size > 0) {
		const view = new DataView(bytes.buffer);
		putNumber(view, head, size, part === undefined ? (value as number) : part.length);
	}
	return bytes;
}

/** Decodes the values. Bytes are views of the message, not copies. */
export function decodeValues<L extends Layout>(layout: L, message: Uint8Array, head: number): ValuesOf<L> {
	if (layout.length === 0) return [] as ValuesOf<L>;
	const kind = layout[0];
	if (layout.length === 1 && kind === LAST_BYTES) return [message.subarray(head)] as ValuesOf<L>;
	const view = new DataView(message.buffer, message.byteOffset, message.length);
	if (layout.length === 1 && kind < TEXT) return [numberAt(view, head, SIZES[kind])] as ValuesOf<L>;
	return decodeEach(layout, message, view, head) as ValuesOf<L>;
}

function decodeEach(layout: Layout, message: Uint8Array, view: DataView, head: number): unknown[] {
	const values: unknown[] = [];
	let at = head;
	for (const kind of layout) {
		const size = SIZES[kind];
		const number = size === 0 ? message.length - at : numberAt(view, at, size);
		at += size;
		if (kind < TEXT) {
			values.push(number);
			continue;
		}
		const bytes = message.subarray(at, at + number);
		at += number;
		if (at > message.length) throw new RangeError("a message is cut off");
		if (kind === BYTES || kind === LAST_BYTES) values.push(bytes);
		else if (kind === LAST_JSON) values.push(JSON.parse(decoder.decode(bytes)));
		else values.push(decoder.decode(bytes));
	}
	return values;
}

function partOf(kind: number, value: unknown): Uint8Array | undefined {
	if (kind < TEXT) return undefined;
	if (kind === BYTES || kind === LAST_BYTES) return value as Uint8Array;
	const bytes = encoder.encode(kind === LAST_JSON ? JSON.stringify(value ?? null) : (value as string));
	if (kind === TEXT && bytes.length > TEXT_LIMIT) throw new RangeError("a text is too long for its length field");
	return bytes;
}

function putNumber(view: DataView, at: number, size: number, value: number): void {
	if (size === 4) view.setUint32(at, value, true);
	else if (size === 8) view.setFloat64(at, value, true);
	else if (size === 1) view.setUint8(at, value);
	else if (size === 2) view.setUint16(at, value, true);
}

function numberAt(view: DataView, at: number, size: number): number {
	if (size === 4) return view.getUint32(at, true);
	if (size === 8) return view.getFloat64(at, true);
	return size === 1 ? view.getUint8(at) : view.getUint16(at, true);
}
