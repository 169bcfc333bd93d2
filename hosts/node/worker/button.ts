/** The worker's proxy of the button. */
import type { ButtonOptions } from "../../../modules/io/host.js";
import { COMMANDS, EVENT_LET_GO, EVENT_PRESSED } from "./protocol.js";
import type { WirePins } from "./streams.js";
import type { Target, Wire } from "./wire.js";

export class ProxyButton implements Target {
	readonly #wire: Wire;
	readonly #id: number;
	readonly #options: ButtonOptions;
	#closed = false;

	constructor(options: ButtonOptions) {
		const { wire } = options as ButtonOptions & WirePins;
		this.#wire = wire;
		this.#id = wire.newId();
		this.#options = options;
		wire.call(COMMANDS.button, this.#id);
		wire.attach(this.#id, this);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#wire.close(this.#id);
	}

	handle(kind: number): void {
		if (kind === EVENT_PRESSED || kind === EVENT_LET_GO) this.#options.onChanged(kind === EVENT_PRESSED);
	}
}
