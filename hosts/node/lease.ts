/**
 * Lease of the simulated DHCP server. It contains the address of this computer, so that clients can use the address
 * that the gateway reports.
 */
import { networkInterfaces } from "node:os";

export interface Lease {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

export const LEASE_OF_NONE: Lease = Object.freeze({ ip: "127.0.0.1", netmask: "255.0.0.0", gateway: "127.0.0.1" });

export function leaseOfComputer(): Lease {
	for (const addresses of Object.values(networkInterfaces())) {
		for (const { family, internal, address, netmask } of addresses ?? []) {
			if (family === "IPv4" && !internal) return { ip: address, netmask, gateway: firstAddress(address, netmask) };
		}
	}
	return LEASE_OF_NONE;
}

/** Returns the first address of the network. In a home network this is usually the router's address. */
function firstAddress(address: string, netmask: string): string {
	const mask = netmask.split(".").map(Number);
	const network = address.split(".").map((part, i) => Number(part) & mask[i]);
	network[3] |= 1;
	return network.join(".");
}
