/** The worker's commands for the Ethernet port (worker/protocol.ts). */
import type { Ethernet, EthernetSettings } from "../../modules/io/ethernet.js";
import type { EthernetLook } from "./worker/ethernet.js";
import { PORT_LOOK, PORT_START, PORT_STOP } from "./worker/protocol.js";

export function operateEthernet(port: Ethernet, operation: number, value: unknown): EthernetLook | undefined {
	switch (operation) {
		case PORT_LOOK: {
			const { isLinked, speed, address } = port;
			return { isLinked, speed, address };
		}
		case PORT_START:
			port.start(value as EthernetSettings);
			return undefined;
		case PORT_STOP:
			port.stop();
			return undefined;
		default:
			throw new Error(`Ethernet: operation of unknown kind ${operation}`);
	}
}
