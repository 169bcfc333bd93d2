/** `network` of the host contract. */
import type { ClientPort } from "../../modules/io/client.js";
import type { ListenerPort, Network, Timers, UDPPort } from "../../modules/io/host.js";
import { TCP_CLIENT, TLS_CLIENT } from "./clients.js";
import { Resolver } from "./resolver.js";
import { createListenerPort } from "./streams.js";

export class NativeNetwork implements Network {
	readonly http: ListenerPort;
	readonly https: ListenerPort;
	readonly udp: UDPPort;
	protected readonly timers: Timers;
	#resolver: Resolver | undefined;

	constructor(ports: { http: ListenerPort; https: ListenerPort; udp: UDPPort }, timers: Timers) {
		this.http = ports.http;
		this.https = ports.https;
		this.udp = ports.udp;
		this.timers = timers;
	}

	tcpListener(port: number): ListenerPort {
		return createListenerPort({ port, secure: false, timers: this.timers });
	}

	get tcpClient(): ClientPort {
		return TCP_CLIENT;
	}

	get tlsClient(): ClientPort {
		return TLS_CLIENT;
	}

	resolve(name: string, done: (address: string | undefined) => void): void {
		this.#resolver ??= new Resolver(this.timers);
		this.#resolver.resolve(name, done);
	}
}
