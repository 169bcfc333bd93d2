/** Ethernet port of the host contract (host.ts). Types only. */
import type { StaticAddress } from "./wifi.js";

/** Addresses of the port, IPv4 as dotted decimal text. */
export interface EthernetAddress {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

export interface EthernetOptions {
	onChanged(): void;
}

export interface EthernetSettings {
	/** Name sent to the DHCP server. */
	readonly hostname: string;
	/** Static address; undefined: DHCP. */
	readonly address?: StaticAddress;
}

/** An Ethernet port, off until `start()`. */
export interface Ethernet {
	/** True when a cable with an active peer is connected. False while the port is off. */
	readonly isLinked: boolean;
	/** Undefined without a link, and until there is an address. */
	readonly address: EthernetAddress | undefined;
	/** Mbit/s, 10 or 100; 0 without a link. */
	readonly speed: number;
	/** Turns the port on, or applies new settings; the address is then lost for a moment. */
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
