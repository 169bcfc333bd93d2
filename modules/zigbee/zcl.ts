/** Frames, statuses and types of ZCL (ZCL revision 8, 2.4 to 2.6). Numbers are little-endian. */
import { uint16LE } from "../bytes/integers.js";
import type { Incoming, ZCLFrame } from "./radio.js";

export const FRAME_TYPE = 3;
export const FRAME_CLUSTER = 1;
export const FRAME_MANUFACTURER = 4;
/** Flag: the frame goes from the server to the client. */
export const FRAME_TO_CLIENT = 8;
/** Flag: a default response is sent only after a failure. */
export const FRAME_NO_DEFAULT = 0x10;

export const READ = 0x00;
export const WRITE = 0x02;
export const WRITE_UNDIVIDED = 0x03;
export const WRITE_NO_RESPONSE = 0x05;
export const CONFIGURE_REPORTING = 0x06;
export const READ_REPORTING = 0x08;
export const REPORT = 0x0a;
export const DEFAULT_RESPONSE = 0x0b;
export const DISCOVER = 0x0c;
export const DISCOVER_RECEIVED = 0x11;
export const DISCOVER_GENERATED = 0x13;
export const DISCOVER_EXTENDED = 0x15;

export const OK = 0x00;
/** The attribute exists, but its value is unknown. */
export const FAILURE = 0x01;
export const NOT_AUTHORIZED = 0x7e;
export const MALFORMED = 0x80;
export const NO_CLUSTER_COMMAND = 0x81;
export const NO_GENERAL_COMMAND = 0x82;
export const NO_MANUFACTURER_CLUSTER_COMMAND = 0x83;
export const NO_MANUFACTURER_GENERAL_COMMAND = 0x84;
export const NO_ATTRIBUTE = 0x86;
export const INVALID_VALUE = 0x87;
export const READ_ONLY = 0x88;
export const INSUFFICIENT_SPACE = 0x89;
export const NOT_FOUND = 0x8b;
export const NOT_REPORTABLE = 0x8c;
export const INVALID_TYPE = 0x8d;
export const NO_CLUSTER = 0xc3;

/** Types whose values begin with their length. */
export const TYPE_TEXT = 0x42;
export const TYPE_OCTETS = 0x41;
export const TYPE_U16 = 0x21;

/** Writes the low `size` bytes of an integer, which may be negative. */
export function putNumber(into: Uint8Array, at: number, size: number, value: number): number {
	let rest = value;
	for (let i = 0; i < size; i++) {
		into[at + i] = rest;
		rest = Math.floor(rest / 256);
	}
	return at + size;
}

export function numberAt(bytes: Uint8Array, at: number, size: number): number {
	let value = 0;
	for (let i = size - 1; i >= 0; i--) value = value * 256 + bytes[at + i];
	return value;
}

export function parseFrame({ bytes, start, end, isBroadcast }: Incoming): ZCLFrame | undefined {
	const control = bytes[start];
	let at = start + 1;
	let manufacturer = 0;
	if (control & FRAME_MANUFACTURER) {
		manufacturer = uint16LE(bytes, at);
		at += 2;
	}
	if (at + 2 > end || (control & FRAME_TYPE) > FRAME_CLUSTER) return undefined;
	return { control, manufacturer, sequence: bytes[at], command: bytes[at + 1], isBroadcast, bytes, start: at + 2, end };
}

/** Returns the number of bytes of a number type; 0 for other types (ZCL revision 8, table 2-12). */
export function numberSize(type: number): number {
	if (type < 0x30) return type < 0x08 ? 0 : (type & 7) + 1;
	if (type === 0x30) return 1;
	if (type === 0x31 || type === 0x38) return 2;
	if (type === 0x3a || type === 0xf0) return 8;
	return type === 0x39 || type >> 2 === 0x38 || type === 0xea ? 4 : 0;
}

/** Returns true for an analog type. Only reports of such attributes have a reportable change. */
export function isAnalog(type: number): boolean {
	return type >> 4 === 2 || (type >= 0x38 && type <= 0x3a) || type >> 2 === 0x38;
}

/** Returns the size of a value in bytes; NaN if its type is unknown, or if the value would extend beyond `end`. */
export function valueSize(type: number, bytes: Uint8Array, at: number, end: number): number {
	const isText = type === TYPE_OCTETS || type === TYPE_TEXT;
	const size = isText ? 1 + (bytes[at] === 0xff ? 0 : bytes[at]) : numberSize(type);
	return size > 0 && at + size <= end ? size : Number.NaN;
}
