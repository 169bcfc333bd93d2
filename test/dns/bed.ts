/** A simulated network in virtual time, and the dependencies of a class that uses UDP. */
import { NodeCrypto } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { VirtualUDPPort } from "../../hosts/node/virtual-udp.js";
import type { Crypto } from "../../modules/io/crypto.js";
import type { DatagramDeps } from "../../modules/io/datagrams.js";
import { Driver } from "../../modules/io/driver.js";
import { DATAGRAM_LIMIT, type UDPPort } from "../../modules/io/host.js";
import { guard } from "../faults.js";

export class Bed {
	readonly time = new VirtualTime();
	readonly network = new VirtualUDPPort(this.time);
	readonly traced: string[] = [];
	readonly driver = new Driver({
		clock: this.time,
		timers: this.time,
		guard,
	});

	/** Advances time. */
	pass(ms: number): void {
		this.time.advance(ms);
	}

	/** Makes the network fail, which ports report at once. */
	loseNetwork(): void {
		this.network.fail();
		this.pass(0);
	}

	protected world(udp: UDPPort = this.network): DatagramDeps {
		return {
			udp,
			driver: this.driver,
			buffer: new Uint8Array(DATAGRAM_LIMIT),
			trace: (text) => this.traced.push(text),
		};
	}
}

/** Random bytes reproducible by seed. */
export function seededCrypto(seed: number): Crypto {
	const random = new SeededRandom(seed);
	return Object.assign(new NodeCrypto(), { random: (length: number) => random.bytes(length) });
}
