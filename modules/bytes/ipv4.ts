/** IPv4 addresses as dotted decimal text (RFC 6943, 3.1.1, strict form), for whoever is given them by a user. */
import { hasOnly } from "./ascii.js";

/** The address of our own access point, and its network's mask. */
export const ACCESS_POINT_ADDRESS = "192.168.4.1";
export const ACCESS_POINT_NETMASK = "255.255.255.0";

const BITS = 32;
/** Networks that a device can be in: two addresses beside its own of the network, at least. */
const LONGEST_PREFIX = 30;
const SHORTEST_PREFIX = 8;

/** The address as a number 0 to 2^32 - 1; -1 when the text is none: four numbers of 0 to 255 without leading zeros. */
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

/** Length of the prefix that the mask stands for; -1 when its ones are not together, or too few or many for a network. */
export function prefixOf(mask: number): number {
	for (let length = SHORTEST_PREFIX; length <= LONGEST_PREFIX; length++) {
		if (mask === 2 ** BITS - 2 ** (BITS - length)) return length;
	}
	return -1;
}

/** Whether a host can have the address in a network of that prefix: none of RFC 6890's special ones, nor the ends. */
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
