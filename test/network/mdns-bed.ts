/** For tests of the mDNS responder: devices on one made-up network, and what was heard on it as text. */
import assert from "node:assert/strict";
import { NodeCrypto, NodeText } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { DATAGRAM_LIMIT } from "../../modules/io/host.js";
import { DNSReader } from "../../modules/network/dns.js";
import { MDNSResponder, type MDNSSettings } from "../../modules/network/mdns.js";
import { FakeNetwork, type Packet } from "./fake-udp.js";
import { message, type Parsed, type Parts, parse } from "./messages.js";

export const GROUP = "224.0.0.251";
export const S = 1000;
export const ASKER = "192.168.1.7";
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

export interface Heard extends Parsed {
	readonly to: string;
	readonly from: string;
	readonly timeMs: number;
}

export class Air {
	readonly time = new VirtualTime();
	readonly network = new FakeNetwork(this.time);
	readonly problems: unknown[] = [];
	readonly traced: string[] = [];
	readonly #devices: string[] = [];
	#seen = 0;

	/** A responder on this network, not started; `names` gets the names that it traces. */
	device(address = ADDRESS, names: string[] = []): MDNSResponder {
		const buffer = new Uint8Array(DATAGRAM_LIMIT);
		const random = new SeededRandom(100 + this.#devices.push(address));
		return new MDNSResponder({
			udp: this.network.port(address),
			timers: this.time,
			clock: this.time,
			crypto: Object.assign(new NodeCrypto(), { random: (length: number) => random.bytes(length) }),
			text: new NodeText(),
			buffer,
			reader: new DNSReader(buffer),
			guard: (_part, run) => {
				try {
					run();
				} catch (error) {
					this.problems.push(error);
				}
			},
			trace: (text) => {
				const name = /^mdns: found as (.+)\.local$/.exec(text)?.[1];
				if (name === undefined) this.traced.push(text);
				else names.push(name);
			},
		});
	}

	/** A device that has been there for a while. */
	static settled(settings: Partial<MDNSSettings> = {}): { air: Air; device: MDNSResponder } {
		const air = new Air();
		const device = air.device(settings.address);
		device.start({ ...SETTINGS, ...settings });
		air.run(60 * S);
		return { air, device };
	}

	/** Lets the time go by; what devices have sent since the last run. */
	run(ms: number): Heard[] {
		this.time.advance(ms);
		assert.deepEqual(this.problems, []);
		const fresh = this.network.sent.slice(this.#seen);
		this.#seen = this.network.sent.length;
		return fresh.filter(({ from }) => this.#devices.includes(from)).map(heard);
	}

	/** Sends to the group (or to `to`) from port 5353 (or `port`) of the asker (or `from`). */
	send(parts: Parts | Uint8Array, { from = ASKER, port = 5353, to = GROUP } = {}): void {
		const bytes = parts instanceof Uint8Array ? parts : message(parts);
		this.network.send({ from, fromPort: port, to, toPort: 5353, bytes });
	}

	/** What comes within 10 s of this question. */
	ask(parts: Parts | Uint8Array, options = {}): Heard[] {
		this.send(parts, options);
		return this.run(10 * S);
	}
}

function heard({ bytes, to, toPort, from, timeMs }: Packet): Heard {
	assert.ok(bytes.length <= DATAGRAM_LIMIT);
	const isGroup = to === GROUP && toPort === 5353;
	return { ...parse(bytes), to: isGroup ? "all" : `${to}:${toPort}`, from, timeMs };
}

/** Only the records of these responses, sorted: sections and order don't matter to who hears them. */
export function recordsOf(list: readonly Heard[]): string[] {
	return list.flatMap(({ answers, additionals }) => [...answers, ...additionals]).sort();
}
