/**
 * Network services other than HTTP: name and services over mDNS, time from SNTP, and the access point's DNS server,
 * which makes phones open the web page.
 *
 *   in a network       mDNS in this network, SNTP
 *   access point on    DNS server; mDNS if there is no other network
 */

import { lowerCase } from "../../bytes/ascii.js";
import { ACCESS_POINT_ADDRESS, ACCESS_POINT_NETMASK } from "../../bytes/ipv4.js";
import { CaptiveDNS } from "../../dns/captive-dns.js";
import { DNSReader } from "../../dns/dns.js";
import { type MDNSDeps, MDNSResponder, type MDNSSettings } from "../../dns/mdns.js";
import type { MDNSService } from "../../dns/mdns-records.js";
import { type DatagramDeps, Datagrams } from "../../io/datagrams.js";
import type { EthernetAddress } from "../../io/ethernet.js";
import { DATAGRAM_LIMIT, type HostInfo } from "../../io/host.js";
import { MAKER, PRODUCT, SECURITY_CONTACT } from "../../product/product.js";
import type { TimeSync } from "../../sntp/client.js";
import { TimeService, type TimeServiceDeps } from "../../sntp/service.js";

export interface NetworkServicesOptions extends Omit<MDNSDeps & TimeServiceDeps, "buffer" | "reader"> {
	readonly info: HostInfo;
}

export interface NetworkSituation {
	/** Address in the network; undefined if no network is joined and no cable is in use. */
	readonly address: EthernetAddress | undefined;
	readonly isByCable: boolean;
	readonly accessPointOn: boolean;
	readonly hostname: string;
	readonly httpPort: number;
	/** Port of the HTTPS server; 0 without HTTPS. */
	readonly httpsPort: number;
	readonly announcer: Announcer | undefined;
}

export interface Announcer {
	/** Returns further mDNS services. A service of type `_http._tcp` replaces that of the web page. */
	servicesAt(ip: string): readonly MDNSService[];
}

const HTTP_TYPE = "_http._tcp";
/** Index in the serial number. The part from it on distinguishes units. */
const SERIAL_END = -6;

export class NetworkServices {
	readonly deps: DatagramDeps;
	readonly #info: HostInfo;
	readonly #time: TimeService;
	readonly #captive: Datagrams<CaptiveDNS>;
	readonly #mdns: Datagrams<MDNSResponder>;
	#ip = "";
	#isByCable = false;

	constructor(options: NetworkServicesOptions) {
		const buffer = new Uint8Array(DATAGRAM_LIMIT);
		const deps = { ...options, buffer, reader: new DNSReader(buffer) };
		this.deps = deps;
		this.#info = options.info;
		this.#captive = new Datagrams(deps, "captive dns", new CaptiveDNS(deps));
		this.#mdns = new Datagrams(deps, "mdns", new MDNSResponder(deps));
		this.#time = new TimeService(deps);
	}

	get time(): TimeSync {
		return this.#time.sync;
	}

	update(situation: NetworkSituation): void {
		const { address, isByCable, accessPointOn } = situation;
		const captive = this.#captive.machine;
		if (accessPointOn !== (captive.port !== undefined)) {
			this.#captive.task.update(() => (accessPointOn ? captive.start() : captive.stop()));
		}
		const ip = address?.ip ?? "";
		const hasMoved = isByCable !== this.#isByCable;
		if (ip !== this.#ip || hasMoved) {
			this.#ip = ip;
			this.#isByCable = isByCable;
			if (ip !== "") this.#time.start();
			else this.#time.stop();
		}
		const { task, machine } = this.#mdns;
		// A multicast port can be used only in the network in which it was opened.
		if (hasMoved) task.update(() => machine.stop());
		if (address === undefined && !accessPointOn) task.update(() => machine.stop());
		else task.update((nowMs) => machine.update(this.namesIn(situation), nowMs));
	}

	/** Stops the services, and announces that the name is no longer reachable. */
	stop(): void {
		this.#captive.stop();
		this.#time.close();
		const { task, machine } = this.#mdns;
		task.update(() => machine.stop());
		this.#mdns.stop();
	}

	private namesIn({ address, hostname, httpPort, httpsPort, announcer }: NetworkSituation): MDNSSettings {
		const { model, serial } = this.#info;
		const ip = address?.ip ?? ACCESS_POINT_ADDRESS;
		const id = lowerCase(serial.slice(SERIAL_END));
		const page = ["path=/"];
		const services = [...(announcer?.servicesAt(ip) ?? [])];
		if (!services.some(({ type }) => type === HTTP_TYPE)) services.push({ type: HTTP_TYPE, port: httpPort, txt: page });
		if (httpsPort !== 0) {
			const api = ["api=v1", "path=/api/v1", `model=${model}`, `id=${id}`, `maker=${MAKER}`];
			if (SECURITY_CONTACT !== "") api.push(`security=${SECURITY_CONTACT}`);
			services.push({ type: "_https._tcp", port: httpsPort, txt: page });
			services.push({ type: "_smgw._tcp", port: httpsPort, txt: api });
		}
		return {
			hostname,
			instance: `${PRODUCT} ${id}`,
			address: ip,
			netmask: address?.netmask ?? ACCESS_POINT_NETMASK,
			accessPoint: address === undefined,
			services,
		};
	}
}
