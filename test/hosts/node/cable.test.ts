import assert from "node:assert/strict";
import { VirtualTime } from "../../../hosts/node/virtual-time.js";
import {
	createEthernetPort,
	DHCP_MS,
	LINK_MS,
	type SimulatedEthernet,
	textCable,
} from "../../../hosts/simulated/cable.js";

const LEASE = Object.freeze({ ip: "192.0.2.30", netmask: "255.255.255.0", gateway: "192.0.2.1" });
const STATIC = Object.freeze({ ...LEASE, ip: "192.0.2.31", dns: "192.0.2.2" });

class Bed {
	readonly time = new VirtualTime();
	text = "";
	changes = 0;
	/** True during a call into the port, when it must not call back. */
	isInside = false;
	readonly port: SimulatedEthernet;

	constructor() {
		const settings = { timers: this.time, cable: textCable(() => this.text), lease: LEASE };
		const { io, pins } = createEthernetPort(settings);
		const onChanged = () => {
			assert.equal(this.isInside, false);
			assert.equal(this.port.isClosed, false);
			this.changes++;
		};
		this.port = this.inside(() => new io({ ...pins, onChanged })) as SimulatedEthernet;
	}

	inside<Result>(call: () => Result): Result {
		this.isInside = true;
		try {
			return call();
		} finally {
			this.isInside = false;
		}
	}

	start(address?: typeof STATIC): this {
		this.inside(() => this.port.start({ hostname: "gateway", ...(address && { address }) }));
		return this;
	}

	get now(): unknown[] {
		const { isLinked, speed, address } = this.port;
		return [isLinked, speed, address?.ip];
	}
}

describe("The simulated Ethernet port", () => {
	it("is off until it is started, then has a link and then an address", () => {
		const bed = new Bed();
		bed.time.advance(60_000);
		assert.deepEqual([bed.now, bed.changes], [[false, 0, undefined], 0]);
		bed.start();
		bed.time.advance(LINK_MS);
		assert.deepEqual([bed.now, bed.changes], [[true, 100, undefined], 1]);
		bed.time.advance(DHCP_MS);
		assert.deepEqual([bed.now, bed.changes], [[true, 100, LEASE.ip], 2]);
		bed.time.advance(60_000);
		assert.equal(bed.changes, 2);
	});

	it("loses link and address when the cable is pulled, and regains both", () => {
		const bed = new Bed().start();
		bed.time.advance(10_000);
		bed.text = "out\n";
		bed.time.advance(1000);
		assert.deepEqual([bed.now, bed.changes], [[false, 0, undefined], 3]);
		bed.text = "in\n";
		bed.time.advance(5000);
		assert.deepEqual([bed.now, bed.changes], [[true, 100, LEASE.ip], 5]);
	});

	it("has no address from a silent DHCP server, and one as soon as the server answers", () => {
		const bed = new Bed().start();
		bed.text = "in no-dhcp";
		bed.time.advance(600_000);
		assert.deepEqual(bed.now, [true, 100, undefined]);
		bed.text = "in";
		bed.time.advance(DHCP_MS);
		assert.deepEqual(bed.now, [true, 100, LEASE.ip]);
	});

	it("takes a static address without losing its link", () => {
		const bed = new Bed().start();
		bed.text = "in no-dhcp";
		bed.time.advance(10_000);
		bed.start(STATIC);
		assert.deepEqual(bed.now, [true, 100, undefined]);
		bed.time.advance(1);
		assert.deepEqual(bed.now, [true, 100, STATIC.ip]);
	});

	it("does not call back after it was stopped or closed, once or twice", () => {
		for (const passMs of [0, LINK_MS, LINK_MS + DHCP_MS]) {
			for (const end of [(bed: Bed) => bed.port.stop(), (bed: Bed) => bed.port.close()]) {
				const bed = new Bed().start();
				bed.time.advance(passMs);
				const { changes } = bed;
				for (let times = 0; times < 2; times++) bed.inside(() => end(bed));
				assert.deepEqual(bed.now, [false, 0, undefined]);
				bed.text = "out";
				bed.time.advance(60_000);
				assert.equal(bed.changes, changes);
			}
		}
	});
});
