/**
 * What the device does in a network that is none of HTTP: its name and services by mDNS, the time by SNTP, and, as an
 * access point, the name server that leads phones to its page (decisions 36, 38, 39, 41). For app/gateway.ts, which says
 * what network there is.
 *
 *   in a network       mDNS there, SNTP
 *   access point on    the name server; mDNS too, while there is no other network
 */

import { lowerCase } from "../bytes/ascii.js";
import { ACCESS_POINT_ADDRESS, ACCESS_POINT_NETMASK } from "../bytes/ipv4.js";
import { CaptiveDNS } from "../dns/captive-dns.js";
import { DNSReader } from "../dns/dns.js";
import { MDNSResponder, type MDNSSettings, type MDNSWorld } from "../dns/mdns.js";
import { Datagrams } from "../io/datagrams.js";
import type { EthernetAddress } from "../io/ethernet.js";
import { DATAGRAM_LIMIT, type HostInfo } from "../io/host.js";
import type { TimeSync } from "../sntp/client.js";
import { TimeService, type TimeServiceWorld } from "../sntp/service.js";

/** What the services share; the rest of it is theirs. */
export interface NetworkServicesOptions extends Omit<MDNSWorld & TimeServiceWorld, "buffer" | "reader"> {
	readonly info: HostInfo;
}

/** What there is at the moment. */
export interface NetworkSituation {
	/** Undefined: the device is in no network but its own. */
	readonly address: EthernetAddress | undefined;
	/** `address` is the Ethernet port's. */
	readonly isByCable: boolean;
	readonly accessPointOn: boolean;
	readonly hostname: string;
	readonly httpPort: number;
	/** 0: there is no HTTPS. */
	readonly httpsPort: number;
}

/** The end of a serial number, which tells units apart. */
const SERIAL_END = -6;

export class NetworkServices {
	readonly #info: HostInfo;
	readonly #time: TimeService;
	readonly #captive: Datagrams<CaptiveDNS>;
	readonly #mdns: Datagrams<MDNSResponder>;
	#ip = "";
	#isByCable = false;

	constructor(options: NetworkServicesOptions) {
		const buffer = new Uint8Array(DATAGRAM_LIMIT);
		const world = { ...options, buffer, reader: new DNSReader(buffer) };
		this.#info = options.info;
		this.#captive = new Datagrams(world, "captive dns", new CaptiveDNS(world));
		this.#mdns = new Datagrams(world, "mdns", new MDNSResponder(world));
		this.#time = new TimeService(world);
	}

	/** How it stands with the time. */
	get time(): TimeSync {
		return this.#time.sync;
	}

	/** Begins and ends what the situation asks for. */
	update(situation: NetworkSituation): void {
		const { address, isByCable, accessPointOn } = situation;
		const captive = this.#captive.machine;
		if (accessPointOn !== (captive.port !== undefined)) {
			this.#captive.drive.tell(() => (accessPointOn ? captive.start() : captive.stop()));
		}
		const ip = address?.ip ?? "";
		const hasMoved = isByCable !== this.#isByCable;
		if (ip !== this.#ip || hasMoved) {
			this.#ip = ip;
			this.#isByCable = isByCable;
			if (ip !== "") this.#time.start();
			else this.#time.stop();
		}
		const { drive, machine } = this.#mdns;
		// A port is a member of its group where there was a network when it was opened.
		if (hasMoved) drive.tell(() => machine.stop());
		if (address === undefined && !accessPointOn) drive.tell(() => machine.stop());
		else drive.tell((nowMs) => machine.update(this.namesIn(situation), nowMs));
	}

	/** For good; others are told that the name answers nobody any more. */
	stop(): void {
		this.#captive.stop();
		this.#time.close();
		const { drive, machine } = this.#mdns;
		drive.tell(() => machine.stop());
		this.#mdns.stop();
	}

	private namesIn({ address, hostname, httpPort, httpsPort }: NetworkSituation): MDNSSettings {
		const { model, serial } = this.#info;
		const id = lowerCase(serial.slice(SERIAL_END));
		const page = ["path=/"];
		const services = [{ type: "_http._tcp", port: httpPort, txt: page }];
		if (httpsPort !== 0) {
			const api = ["api=v1", "path=/api/v1", `model=${model}`, `id=${id}`];
			services.push({ type: "_https._tcp", port: httpsPort, txt: page });
			services.push({ type: "_smgw._tcp", port: httpsPort, txt: api });
		}
		return {
			hostname,
			instance: `Smart-Meter Gateway ${id}`,
			address: address?.ip ?? ACCESS_POINT_ADDRESS,
			netmask: address?.netmask ?? ACCESS_POINT_NETMASK,
			accessPoint: address === undefined,
			services,
		};
	}
}
