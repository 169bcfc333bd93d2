/** Network of `npm run coordinator` and of the simulated coordinator. */
import type { CoordinatorNetwork } from "./nvram.js";

/** Zigbee2MQTT's initial network, except for the key. */
export const NETWORK: CoordinatorNetwork = {
	panId: 0x1a62,
	extendedPanId: [0xdd, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77],
	networkKey: [1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 13],
	channel: 15,
};
