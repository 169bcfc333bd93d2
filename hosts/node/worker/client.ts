/** The worker's proxies of clients. */
import type { Client, ClientOptions } from "../../../modules/io/client.js";
import { COMMANDS } from "./protocol.js";
import { Stream, type WirePins } from "./streams.js";

const NOTHING = new Uint8Array(0);

class ProxyClient extends Stream implements Client {
	/** Address and resumption of the connection when it was closed. */
	#last: { readonly address: string; readonly isResumed: boolean } | undefined;

	constructor(options: ClientOptions) {
		const { wire } = options as ClientOptions & WirePins;
		super(wire, wire.newId(), options);
	}

	get remoteAddress(): string {
		return this.state().address;
	}

	get resumed(): boolean {
		return this.state().isResumed;
	}

	get session(): Uint8Array | undefined {
		return this.closed ? undefined : this.wire.call(COMMANDS.clientSession, this.id)?.[0].slice();
	}

	override close(): void {
		this.#last ??= this.state();
		super.close();
	}

	private state(): { readonly address: string; readonly isResumed: boolean } {
		if (this.#last !== undefined) return this.#last;
		const [address, resumed] = this.wire.call(COMMANDS.clientState, this.id)!;
		return { address, isResumed: resumed === 1 };
	}
}

export class ProxyTCPClient extends ProxyClient {
	constructor(options: ClientOptions) {
		super(options);
		this.wire.call(COMMANDS.tcpClient, this.id, options.host, options.port, options.timeoutMs);
		this.wire.attach(this.id, this);
	}
}

export class ProxyTLSClient extends ProxyClient {
	constructor(options: ClientOptions) {
		super(options);
		const { host, port, timeoutMs, tls } = options;
		if (tls === undefined) throw new Error("a TLS client needs the certificates that it trusts");
		const { trusted, name = host, utcMs = Number.NaN, identity, session = NOTHING } = tls;
		const { certificate, key } = identity ?? { certificate: NOTHING, key: NOTHING };
		const shown = identity === undefined ? 0 : 1;
		const { tlsClient } = COMMANDS;
		this.wire.call(tlsClient, this.id, host, port, timeoutMs, trusted, name, utcMs, shown, certificate, key, session);
		this.wire.attach(this.id, this);
	}
}
