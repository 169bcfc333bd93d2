/** Ethernet port of the host contract (host.ts). */
import type { StaticAddress } from "./wifi.js";

export interface EthernetAddress {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

export interface EthernetOptions {
	onChanged(): void;
}

export interface EthernetSettings {
	readonly hostname: string;
	/** Static address; undefined: DHCP. */
	readonly address?: StaticAddress;
}

export interface Ethernet {
	/** True if the port is on and a cable connects it to an active peer. */
	readonly isLinked: boolean;
	/** Undefined without a link or an address. */
	readonly address: EthernetAddress | undefined;
	/** Mbit/s, 10 or 100; 0 without a link. */
	readonly speed: number;
	/** Switches the port on, or applies new settings to it. New settings cause a short loss of the address. */
	start(settings: EthernetSettings): void;
	stop(): void;
	close(): void;
}

export interface EthernetPort {
	readonly io: new (options: EthernetOptions) => Ethernet;
	readonly pins: object;
	/** 12 hex characters. */
	readonly mac: string;
}
