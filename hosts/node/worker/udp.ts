/** UDP ports of the host contract as thin proxies in the XS worker: each call is one command to the Node process. */
import { DATAGRAM_LIMIT, type UDP, type UDPOptions } from "../../../modules/io/host.js";
import { COMMAND_RECEIVE, COMMAND_SEND, COMMAND_UDP, EVENT_ERROR, EVENT_READABLE } from "./protocol.js";
import type { WirePins } from "./streams.js";
import { portAndByte, type Target, toNumber32, type Wire } from "./wire.js";

const HEADER_BYTES = 3;

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
		const header = portAndByte(port, accessPoint ? 1 : 0);
		this.port = toNumber32(wire.call(COMMAND_UDP, this.#id, header, wire.encoder.encode(group)));
		wire.attach(this.#id, this);
	}

	read(into: Uint8Array): number | undefined {
		if (this.#closed) return undefined;
		const reply = this.#wire.call(COMMAND_RECEIVE, this.#id);
		if (reply === undefined) return undefined;
		const start = HEADER_BYTES + reply[2];
		const bytes = reply.subarray(start);
		into.set(bytes);
		this.remotePort = reply[0] | (reply[1] << 8);
		this.remoteAddress = this.#wire.decoder.decode(reply.subarray(HEADER_BYTES, start));
		return bytes.length;
	}

	write(bytes: Uint8Array, address: string, port: number): void {
		if (bytes.length > DATAGRAM_LIMIT) throw new RangeError("a datagram is too long");
		const text = this.#wire.encoder.encode(address);
		if (text.length > 255) throw new RangeError("no IPv4 address");
		if (!this.#closed) this.#wire.call(COMMAND_SEND, this.#id, portAndByte(port, text.length), text, bytes);
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
