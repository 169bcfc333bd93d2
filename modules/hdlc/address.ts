/**
 * HDLC addresses (IEC 62056-46, 6.4.2).
 *
 * Each byte has seven bits of the address, above the lowest bit. The lowest bit is 1 in the last byte only.
 *
 * | form | bytes |
 * |---|---|
 * | client | `client << 1 \| 1` |
 * | server, 1 byte | `logical << 1 \| 1` |
 * | server, 2 bytes | `logical << 1`, `physical << 1 \| 1` |
 * | server, 4 bytes | the upper and the lower 7 bits of `logical`, then of `physical`, each `<< 1`, the last `\| 1` |
 */

export const ADDRESS_LIMIT = 4;
/** Largest value of half of an address, if the half has one byte. This value means "all stations". */
const SHORT_MAX = 0x7f;
/** Largest value of half of an address, if the half has two bytes. This value means "all stations". */
const LONG_MAX = 0x3fff;

export const ADDRESS_BAD = -1;

export interface HDLCAddress {
	readonly client: number;
	/** Upper half of the server address, 0 to 16383. */
	readonly logical: number;
	/** Lower half of the server address, 0 to 16383; 0 if it has none. */
	readonly physical: number;
	/** Length of the server address: 1, 2 or 4 bytes; 0 for as many as needed. */
	readonly length: number;
}

/** Returns the length of the encoded server address, bytes; 0 if the address does not fit the configured length. */
export function serverAddressLength(address: HDLCAddress): number {
	const { logical, physical, length } = address;
	if (logical < 0 || logical > LONG_MAX || physical < 0 || physical > LONG_MAX) return 0;
	const isShort = logical <= SHORT_MAX && physical <= SHORT_MAX;
	if (length === 0 && !isShort) return 4;
	if (length === 0) return physical === 0 ? 1 : 2;
	if (length === 1) return isShort && physical === 0 ? 1 : 0;
	if (length === 2) return isShort ? 2 : 0;
	return length === 4 ? 4 : 0;
}

export function encodeServerAddress(into: Uint8Array, at: number, address: HDLCAddress): number {
	const length = serverAddressLength(address);
	if (length === 0) return ADDRESS_BAD;
	const { logical, physical } = address;
	if (length === 4) {
		into[at] = (logical >> 7) << 1;
		into[at + 1] = (logical & 0x7f) << 1;
		into[at + 2] = (physical >> 7) << 1;
		into[at + 3] = ((physical & 0x7f) << 1) | 1;
	} else if (length === 2) {
		into[at] = logical << 1;
		into[at + 1] = (physical << 1) | 1;
	} else into[at] = (logical << 1) | 1;
	return at + length;
}

export function encodeClientAddress(into: Uint8Array, at: number, address: HDLCAddress): number {
	if (address.client < 0 || address.client > SHORT_MAX) return ADDRESS_BAD;
	into[at] = (address.client << 1) | 1;
	return at + 1;
}

/** True for the address "all stations". A station answers to it with its own address. */
export function isAllStations(address: HDLCAddress): boolean {
	const part = address.physical === 0 ? address.logical : address.physical;
	return part === (serverAddressLength(address) === 4 ? LONG_MAX : SHORT_MAX);
}

/**
 * Returns the end of the address that begins at `start`; 0 if the address is not complete at `end`, ADDRESS_BAD if it
 * is invalid.
 */
export function addressEnd(bytes: Uint8Array, start: number, end: number): number {
	for (let i = start; i < start + ADDRESS_LIMIT; i++) {
		if (i >= end) return 0;
		if ((bytes[i] & 1) === 0) continue;
		return i === start + 2 ? ADDRESS_BAD : i + 1;
	}
	return ADDRESS_BAD;
}
