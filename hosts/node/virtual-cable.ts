/**
 * The Ethernet port of the virtual world, with its cable.
 *
 *   const world = new VirtualWorld({ ethernet: (timers) => cable.port(timers) });
 */
import type { EthernetPort } from "../../modules/io/ethernet.js";
import type { Timers } from "../../modules/io/host.js";
import { type Cable, createEthernetPort, type SimulatedEthernet } from "../simulated/cable.js";

const LEASE = Object.freeze({ ip: "192.0.2.30", netmask: "255.255.255.0", gateway: "192.0.2.1" });

export class VirtualCable implements Cable {
	isIn: boolean;
	givesAddress = true;
	lease = LEASE;
	/** The port that was created last. */
	ethernet: SimulatedEthernet | undefined;

	constructor(isIn = true) {
		this.isIn = isIn;
	}

	port(timers: Timers): EthernetPort {
		return createEthernetPort({
			timers,
			cable: () => this,
			lease: this.lease,
			onMade: (ethernet) => {
				this.ethernet = ethernet;
			},
		});
	}
}
