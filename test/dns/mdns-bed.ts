/** For tests of the mDNS responder: devices on a simulated network, and its traffic as text. */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import type { SentDatagram } from "../../hosts/node/virtual-udp.js";
import { DNSReader } from "../../modules/dns/dns.js";
import { type MDNSDeps, MDNSResponder, type MDNSSettings } from "../../modules/dns/mdns.js";
import { type DatagramDeps, Datagrams } from "../../modules/io/datagrams.js";
import { DATAGRAM_LIMIT } from "../../modules/io/host.js";
import { Bed, seededCrypto } from "./bed.js";
import { message, type Parsed, type Parts, parse } from "./messages.js";

export const GROUP = "224.0.0.251";
export const S = 1000;
export const CLIENT = "192.168.1.7";
export const ADDRESS = "192.168.1.50";

export const SETTINGS: MDNSSettings = {
	hostname: "gateway",
	instance: "Smart-Meter Gateway a1b2c3",
	address: ADDRESS,
	netmask: "255.255.255.0",
	accessPoint: false,
	services: [
		{ type: "_https._tcp", port: 443, txt: [] },
		{ type: "_http._tcp", port: 80, txt: [] },
		{ type: "_smgw._tcp", port: 443, txt: ["api=v1", "path=/api/v1", "model=SMG-1", "id=a1b2c3"] },
	],
};

export interface ReceivedMessage extends Parsed {
	readonly to: string;
	readonly timeMs: number;
}

/** A responder on its port. */
export class Device {
	readonly responder: MDNSResponder;
	readonly #port: Datagrams<MDNSResponder>;

	constructor(world: MDNSDeps & DatagramDeps) {
		this.responder = new MDNSResponder(world);
		this.#port = new Datagrams(world, "mdns", this.responder);
	}

	get hostname(): string {
		return this.responder.hostname;
	}

	start(settings: MDNSSettings): void {
		this.#port.task.update((nowMs) => this.responder.start(settings, nowMs));
	}

	update(settings: MDNSSettings): void {
		this.#port.task.update((nowMs) => this.responder.update(settings, nowMs));
	}

	stop(): void {
		this.#port.task.update(() => this.responder.stop());
	}
}

export class Air extends Bed {
	#devices = 0;
	#seen = 0;

	/** Makes a responder on this network without starting it; `names` receives the names that it reports. */
	device(address = ADDRESS, names: string[] = []): Device {
		const world = this.world(this.network.device(address));
		return new Device({
			...world,
			crypto: seededCrypto(100 + ++this.#devices),
			text: new NodeText(),
			reader: new DNSReader(world.buffer),
			trace: (text) => {
				const name = /^mdns: found as (.+)\.local$/.exec(text)?.[1];
				if (name === undefined) this.traced.push(text);
				else names.push(name);
			},
		});
	}

	/** A device that has been running for a while. */
	static settled(settings: Partial<MDNSSettings> = {}): { air: Air; device: Device } {
		const air = new Air();
		const device = air.device(settings.address);
		device.start({ ...SETTINGS, ...settings });
		air.run(60 * S);
		return { air, device };
	}

	/** Advances time; returns what devices have sent since the last run. */
	run(ms: number): ReceivedMessage[] {
		this.pass(ms);
		const fresh = this.network.sent.slice(this.#seen);
		this.#seen = this.network.sent.length;
		return fresh.map(parsed);
	}

	/** Sends to the group (or to `to`) from port 5353 (or `port`) of the client (or `from`). */
	send(parts: Parts | Uint8Array, { from = CLIENT, port = 5353, to = GROUP } = {}): void {
		const bytes = parts instanceof Uint8Array ? parts : message(parts);
		this.network.send({ from: { address: from, port }, to: { address: to, port: 5353 }, bytes });
	}

	/** Sends a question; returns the datagrams of the next 10 s. */
	query(parts: Parts | Uint8Array, options = {}): ReceivedMessage[] {
		this.send(parts, options);
		return this.run(10 * S);
	}
}

function parsed({ bytes, to, timeMs }: SentDatagram): ReceivedMessage {
	assert.ok(bytes.length <= DATAGRAM_LIMIT);
	const isGroup = to.address === GROUP && to.port === 5353;
	return { ...parse(bytes), to: isGroup ? "all" : `${to.address}:${to.port}`, timeMs };
}

/** Records of these responses, sorted, because sections and order do not matter to a receiver. */
export function recordsOf(list: readonly ReceivedMessage[]): string[] {
	return list.flatMap(({ answers, additionals }) => [...answers, ...additionals]).sort();
}
