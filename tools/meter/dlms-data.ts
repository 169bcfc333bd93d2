/**
 * Encodes the values of a simulated DLMS/COSEM server, in A-XDR (IEC 61334-6) with the types of IEC 62056-6-2. It
 * shares no code with the gateway's decoder, so that each checks the other.
 */

/** An encoded value: its tag, then its contents. */
export type Encoded = Buffer;

/** Encodes the length of a string or list: one byte below 128, otherwise 81 n or 82 nnnn. */
export function lengthOf(count: number): Buffer {
	if (count < 0x80) return Buffer.of(count);
	if (count < 0x100) return Buffer.of(0x81, count);
	return Buffer.of(0x82, count >> 8, count & 0xff);
}

function number(tag: number, size: number, write: (into: Buffer) => void): Encoded {
	const bytes = Buffer.alloc(1 + size);
	bytes[0] = tag;
	write(bytes);
	return bytes;
}

function string(tag: number, bytes: Uint8Array): Encoded {
	return Buffer.concat([Buffer.of(tag), lengthOf(bytes.length), bytes]);
}

export const NULL_DATA: Encoded = Buffer.of(0x00);

export function array(items: readonly Encoded[]): Encoded {
	return Buffer.concat([Buffer.of(0x01), lengthOf(items.length), ...items]);
}

export function structure(...items: readonly Encoded[]): Encoded {
	return Buffer.concat([Buffer.of(0x02), lengthOf(items.length), ...items]);
}

export function boolean(value: boolean): Encoded {
	return Buffer.of(0x03, value ? 1 : 0);
}

/** Encodes bits. `text` has a 0 or 1 for each bit, in order. */
export function bitString(text: string): Encoded {
	const bytes = Buffer.alloc(Math.ceil(text.length / 8));
	for (const [i, bit] of [...text].entries()) if (bit === "1") bytes[i >> 3] |= 0x80 >> (i & 7);
	return Buffer.concat([Buffer.of(0x04), lengthOf(text.length), bytes]);
}

export function int32(value: number): Encoded {
	return number(0x05, 4, (into) => into.writeInt32BE(value, 1));
}

export function uint32(value: number): Encoded {
	return number(0x06, 4, (into) => into.writeUInt32BE(value, 1));
}

export function octets(bytes: Uint8Array): Encoded {
	return string(0x09, bytes);
}

export function visible(text: string): Encoded {
	return string(0x0a, Buffer.from(text, "latin1"));
}

export function utf8(text: string): Encoded {
	return string(0x0c, Buffer.from(text, "utf8"));
}

export function bcd(value: number): Encoded {
	return number(0x0d, 1, (into) => into.writeInt8(value, 1));
}

export function int8(value: number): Encoded {
	return number(0x0f, 1, (into) => into.writeInt8(value, 1));
}

export function int16(value: number): Encoded {
	return number(0x10, 2, (into) => into.writeInt16BE(value, 1));
}

export function uint8(value: number): Encoded {
	return Buffer.of(0x11, value);
}

export function uint16(value: number): Encoded {
	return number(0x12, 2, (into) => into.writeUInt16BE(value, 1));
}

export function int64(value: bigint): Encoded {
	return number(0x14, 8, (into) => into.writeBigInt64BE(value, 1));
}

export function uint64(value: bigint): Encoded {
	return number(0x15, 8, (into) => into.writeBigUInt64BE(value, 1));
}

export function enumeration(value: number): Encoded {
	return Buffer.of(0x16, value);
}

export function float32(value: number): Encoded {
	return number(0x17, 4, (into) => into.writeFloatBE(value, 1));
}

export function float64(value: number): Encoded {
	return number(0x18, 8, (into) => into.writeDoubleBE(value, 1));
}

/** Encodes a date-time with its own tag. Most meters use an octet string instead. */
export function tagged(dateTime: Uint8Array): Encoded {
	return Buffer.concat([Buffer.of(0x19), dateTime]);
}

export function scalerUnit(scaler: number, unit: number): Encoded {
	return structure(int8(scaler), enumeration(unit));
}

export interface Zone {
	/** Offset of the local time in minutes east of UTC. */
	minutes: number;
	/**
	 * Contents of the field "deviation". `standard` means minutes from local time to UTC, `swapped` means the opposite
	 * sign, and `none` means unspecified.
	 */
	deviation: "standard" | "swapped" | "none";
	/** Returns the offset at a time, instead of `minutes`. For a meter with daylight-saving time. */
	minutesAt?: (utcMs: number) => number;
}

export function offsetAt({ minutes, minutesAt }: Zone, utcMs: number): number {
	return minutesAt?.(utcMs) ?? minutes;
}

export function dateTime(utcMs: number, zone: Zone): Buffer {
	const minutes = offsetAt(zone, utcMs);
	const local = new Date(utcMs + minutes * 60_000);
	const bytes = Buffer.alloc(12);
	bytes.writeUInt16BE(local.getUTCFullYear(), 0);
	bytes[2] = local.getUTCMonth() + 1;
	bytes[3] = local.getUTCDate();
	bytes[4] = local.getUTCDay() || 7;
	bytes[5] = local.getUTCHours();
	bytes[6] = local.getUTCMinutes();
	bytes[7] = local.getUTCSeconds();
	if (zone.deviation === "none") bytes.writeInt16BE(-0x8000, 9);
	else bytes.writeInt16BE(zone.deviation === "swapped" ? minutes : -minutes, 9);
	return bytes;
}
