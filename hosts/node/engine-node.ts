/** The gateway in this process. */
import { Gateway } from "../../modules/app/gateway.js";
import type { Host } from "../../modules/io/host.js";
import { NETWORK_WITH_CABLE } from "../../modules/wifi/cable-part.js";
import { ZIGBEE_BRIDGE } from "../../modules/zigbee/bridge-part.js";
import type { Engine } from "./engine.js";

export class NodeEngine implements Engine {
	readonly #gateway: Gateway;
	#running = false;

	constructor(host: Host) {
		this.#gateway = new Gateway(host, [ZIGBEE_BRIDGE, NETWORK_WITH_CABLE]);
	}

	async start(): Promise<void> {
		this.#running = true;
		this.#gateway.start();
	}

	async stop(): Promise<void> {
		if (!this.#running) return;
		this.#running = false;
		this.#gateway.stop();
	}
}
