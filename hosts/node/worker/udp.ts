/** The worker's proxies for UDP ports. */
import { DATAGRAM_LIMIT, type UDP, type UDPOptions } from "../../../modules/io/host.js";
import { COMMANDS, EVENT_ERROR, EVENT_READABLE } from "./protocol.js";
import type { WirePins } from "./streams.js";
import type { Target, Wire } from "./wire.js";

export class ProxyUDP implements UDP, Target {
	readonly port: number;
	remoteAddress = "";
	remotePort = 0;
	readonly #wire: Wire;
	readonly #id: number;
	readonly #options: UDPOptions;
	#closed = false;

	constructor(options: UDPOptions) {
		const { wire, port, group = "", accessPoint = false } = options as UDPOptions & WirePins;
		this.#wire = wire;
		this.#id = wire.newId();
		this.#options = options;
		this.port = wire.call(COMMANDS.udp, this.#id, port, accessPoint ? 1 : 0, group)![0];
		wire.attach(this.#id, this);
	}

	read(into: Uint8Array): number | undefined {
		if (this.#closed) return undefined;
		const datagram = this.#wire.call(COMMANDS.receive, this.#id);
		if (datagram === undefined) return undefined;
		const [port, address, bytes] = datagram;
		into.set(bytes);
		this.remotePort = port;
		this.remoteAddress = address;
		return bytes.length;
	}

	write(bytes: Uint8Array, address: string, port: number): void {
		if (bytes.length > DATAGRAM_LIMIT) throw new RangeError("a datagram is too long");
		if (!this.#closed) this.#wire.call(COMMANDS.send, this.#id, port, address, bytes);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#wire.close(this.#id);
	}

	handle(kind: number): void {
		if (kind === EVENT_READABLE) this.#options.onReadable();
		else if (kind === EVENT_ERROR) this.#options.onError?.();
	}
}
