/** IPv4 addresses in dotted decimal notation (the strict form of RFC 6943, 3.1.1), as users enter them. */
import { hasOnly } from "./ascii.js";

export const ACCESS_POINT_ADDRESS = "192.168.4.1";
export const ACCESS_POINT_NETMASK = "255.255.255.0";

const BITS = 32;
const LONGEST_PREFIX = 30;
const SHORTEST_PREFIX = 8;

/** Returns the address, 0 to 2^32 - 1; -1 unless the text is four numbers from 0 to 255 without leading zeros. */
export function parseIPv4(text: string): number {
	const parts = text.split(".");
	if (parts.length !== 4) return -1;
	let address = 0;
	for (const part of parts) {
		const isNumber = part.length > 0 && part.length <= 3 && hasOnly(part, "09") && (part === "0" || part[0] !== "0");
		if (!isNumber || Number(part) > 255) return -1;
		address = address * 256 + Number(part);
	}
	return address;
}

/**
 * Returns the prefix length of a netmask, 8 to 30; -1 if the length is outside this range or the mask is not
 * contiguous.
 */
export function prefixOf(mask: number): number {
	for (let length = SHORTEST_PREFIX; length <= LONGEST_PREFIX; length++) {
		if (mask === 2 ** BITS - 2 ** (BITS - length)) return length;
	}
	return -1;
}

/**
 * True if a host in a network with this prefix length can have the address. Special addresses (RFC 6890), the network
 * address and the broadcast address are excluded.
 */
export function isHostAddress(address: number, prefix: number): boolean {
	const first = Math.floor(address / 2 ** 24);
	if (first === 0 || first === 127 || first >= 224) return false;
	const size = 2 ** (BITS - prefix);
	const host = address % size;
	return host !== 0 && host !== size - 1;
}

export function isSameNetwork(a: number, b: number, prefix: number): boolean {
	const size = 2 ** (BITS - prefix);
	return Math.floor(a / size) === Math.floor(b / size);
}
