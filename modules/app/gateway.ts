/** The one place where the parts of the gateway are made and wired; everything else is told what it needs. */
import type { Host } from "../io/host.js";

export class Gateway {
	readonly #host: Host;

	constructor(host: Host) {
		this.#host = host;
	}

	start(): void {
		this.#host.trace("gateway started");
	}

	stop(): void {
		this.#host.trace("gateway stopped");
	}
}
