/** The gateway in this process. */
import { Gateway } from "../../modules/app/gateway.js";
import { Zigbee } from "../../modules/zigbee/owner.js";
import type { Host } from "../../modules/io/host.js";
import { CablePolicy } from "../../modules/wifi/cable.js";
import type { Engine } from "./engine.js";

export class NodeEngine implements Engine {
	readonly #gateway: Gateway;
	#running = false;

	constructor(host: Host) {
		this.#gateway = new Gateway(host, Zigbee, CablePolicy);
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
