/** Runs the gateway in this process. */
import { Gateway } from "../../modules/app/gateway.js";
import type { Host } from "../../modules/io/host.js";
import { networkWithCable } from "../../modules/parts/network/cable-part.js";
import { zigbeeBridge } from "../../modules/parts/zigbee/bridge-part.js";
import type { Engine } from "./engine.js";

export class NodeEngine implements Engine {
	readonly #gateway: Gateway;
	#running = false;

	constructor(host: Host) {
		this.#gateway = new Gateway(host, [zigbeeBridge(), networkWithCable()]);
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
