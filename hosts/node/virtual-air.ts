/**
 * Wi-Fi networks of the virtual world, controlled by a test.
 *
 *   const networks = { home: { password: "secret-of-home" } };
 *   const world = new VirtualWorld({ wifi: (timers) => new VirtualAir(timers, networks).port });
 */
import type { Timers } from "../../modules/io/host.js";
import type { WiFiPort } from "../../modules/io/wifi.js";
import type { Air, SimulatedNetwork } from "../simulated/air.js";
import { createWiFiPort, type SimulatedRadio } from "../simulated/radio.js";

const LEASE = Object.freeze({ ip: "192.0.2.20", netmask: "255.255.255.0", gateway: "192.0.2.1" });
const PLAIN = Object.freeze({ password: "", rssi: -50, channel: 6, givesAddress: true });

/** Defaults: an open network, -50 dBm, channel 6, with DHCP. */
export type VirtualNetwork = Partial<Omit<SimulatedNetwork, "ssid">>;

export class VirtualAir implements Air {
	readonly around: Map<string, VirtualNetwork>;
	readonly port: WiFiPort;
	/** Most recent radio. */
	radio: SimulatedRadio | undefined;

	constructor(timers: Timers, around: Record<string, VirtualNetwork> = {}) {
		this.around = new Map(Object.entries(around));
		this.port = createWiFiPort({
			air: this,
			timers,
			lease: LEASE,
			accessPointKey: "access-point-key",
			onMade: (radio) => {
				this.radio = radio;
			},
		});
	}

	networks(): readonly SimulatedNetwork[] {
		return [...this.around].map(([ssid, network]) => ({ ssid, ...PLAIN, ...network }));
	}
}
