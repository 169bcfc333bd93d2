/** The worker's proxy of the Ethernet port. */
import type { Ethernet, EthernetAddress, EthernetOptions, EthernetSettings } from "../../../modules/io/ethernet.js";
import { COMMANDS, EVENT_CONNECTED, PORT_LOOK, PORT_START, PORT_STOP } from "./protocol.js";
import type { WirePins } from "./streams.js";
import type { Target, Wire } from "./wire.js";

export interface EthernetLook {
	readonly isLinked: boolean;
	readonly speed: number;
	readonly address?: EthernetAddress | undefined;
}

const CLOSED: EthernetLook = Object.freeze({ isLinked: false, speed: 0 });

export class ProxyEthernet implements Ethernet, Target {
	readonly #wire: Wire;
	readonly #id: number;
	readonly #options: EthernetOptions;
	#closed = false;

	constructor(options: EthernetOptions) {
		const { wire } = options as EthernetOptions & WirePins;
		this.#wire = wire;
		this.#id = wire.newId();
		this.#options = options;
		wire.call(COMMANDS.ethernet, this.#id);
		wire.attach(this.#id, this);
	}

	get isLinked(): boolean {
		return this.look().isLinked;
	}

	get address(): EthernetAddress | undefined {
		return this.look().address;
	}

	get speed(): number {
		return this.look().speed;
	}

	start({ hostname, address }: EthernetSettings): void {
		this.ask(PORT_START, { hostname, address });
	}

	stop(): void {
		this.ask(PORT_STOP);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#wire.close(this.#id);
	}

	handle(kind: number): void {
		if (kind === EVENT_CONNECTED) this.#options.onChanged();
	}

	private look(): EthernetLook {
		return (this.ask(PORT_LOOK) ?? CLOSED) as EthernetLook;
	}

	private ask(operation: number, value: unknown = null): unknown {
		if (this.#closed) return undefined;
		return this.#wire.call(COMMANDS.ethernetPort, this.#id, operation, value)?.[0];
	}
}
