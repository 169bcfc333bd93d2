/** What others reach the unit by: the HTTP server on the host's two ports, and the console. For gateway.ts. */

import { HTTPServer, type HTTPServerOptions } from "../http/server.js";
import { Improv, type ImprovGateway, type ImprovWorld } from "../improv/improv.js";
import type { CertificatePair } from "../io/crypto.js";
import type { Listener, Network, SerialPort } from "../io/host.js";
import type { NetworkSettings } from "../wifi/settings.js";

/** Positions of the listeners among the server's ports. */
const HTTP = 0;
const HTTPS = 1;
/** Connections at once on each port (decision 7): one of TLS costs the chip 24 KB beside ours while it sends. */
const PLACES = 3;

export class Serving {
	#server: HTTPServer | undefined;
	/** Undefined where there is no console, or no radio. */
	#console: Improv | undefined;

	/** `identity` is asked for what the TLS port opens with. Throws when a listener can't be opened. */
	open({ http, https }: Network, options: Omit<HTTPServerOptions, "ports">, identity: () => CertificatePair): void {
		const plain = { port: http, places: PLACES };
		const ports = https === undefined ? [plain] : [plain, { port: https, places: PLACES, identity }];
		this.#server = new HTTPServer({ ports, ...options });
	}

	/** Wi-Fi can be set by the console from now on. */
	openConsole(port: SerialPort, world: ImprovWorld, settings: NetworkSettings, gateway: ImprovGateway): void {
		this.#console ??= new Improv(port, world, settings, gateway);
	}

	close(): void {
		this.#server?.close();
		this.#server = undefined;
		this.#console?.close();
		this.#console = undefined;
	}

	/** A token was revoked. */
	forget(): void {
		this.#server?.forget();
	}

	/** The listener for TLS; undefined while there is none. */
	get listener(): Listener | undefined {
		return this.#server?.listener(HTTPS);
	}

	/** Ports really listened on; 0 while there is none. */
	get httpPort(): number {
		return this.#server?.listener(HTTP)?.port ?? 0;
	}

	get httpsPort(): number {
		return this.listener?.port ?? 0;
	}

	/** Somebody with a token is being served. */
	get isBusy(): boolean {
		return this.#server?.isBusy === true;
	}
}
