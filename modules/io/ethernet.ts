/** The Ethernet port of the host contract (host.ts). Types only. */
import type { StaticAddress } from "./wifi.js";

/** What the port has in its network, IPv4 as dotted decimal text. */
export interface EthernetAddress {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

export interface EthernetOptions {
	/** `isLinked` or `address` is another than before. */
	onChanged(): void;
}

export interface EthernetSettings {
	/** Name told to the DHCP server. */
	readonly hostname: string;
	/** Without it, by DHCP. */
	readonly address?: StaticAddress;
}

/** One port with a cable, or without. It is off until `start`. */
export interface Ethernet {
	/** A cable with a live other end is in. False while the port is off. */
	readonly isLinked: boolean;
	/** Undefined without a link, and until there is an address. */
	readonly address: EthernetAddress | undefined;
	/** Mbit/s, 10 or 100; 0 without a link. */
	readonly speed: number;
	/** Turns the port on; one that is on takes the new settings, and loses its address for a moment. */
	start(settings: EthernetSettings): void;
	/** Turns the port off: no link, no address. */
	stop(): void;
	close(): void;
}

export interface EthernetPort {
	readonly io: new (options: EthernetOptions) => Ethernet;
	readonly pins: object;
	/** 12 hex characters. */
	readonly mac: string;
}
