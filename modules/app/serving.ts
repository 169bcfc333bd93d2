/** The HTTP server on the host's two ports, and the console. */

import { HTTPServer, type HTTPServerOptions } from "../http/server.js";
import type { CertificatePair } from "../io/crypto.js";
import type { Listener, Network, SerialPort } from "../io/host.js";
import type { NetworkSettings } from "../parts/network/settings.js";
import { Improv, type ImprovDeps, type ImprovGateway } from "./improv.js";

const HTTP = 0;
const HTTPS = 1;
/** Maximum number of connections per port. A TLS connection takes 24 KB more memory while it sends. */
const PLACES = 3;

export class Serving {
	#server: HTTPServer | undefined;
	#console: Improv | undefined;

	/** Opens the ports. `identity` returns the certificate for the TLS port. Throws if a listener can't be opened. */
	open({ http, https }: Network, options: Omit<HTTPServerOptions, "ports">, identity: () => CertificatePair): void {
		const plain = { port: http, places: PLACES };
		const ports = https === undefined ? [plain] : [plain, { port: https, places: PLACES, identity }];
		this.#server = new HTTPServer({ ports, ...options });
	}

	openConsole(port: SerialPort, deps: ImprovDeps, settings: NetworkSettings, gateway: ImprovGateway): void {
		this.#console ??= new Improv(port, deps, settings, gateway);
	}

	close(): void {
		this.#server?.close();
		this.#server = undefined;
		this.#console?.close();
		this.#console = undefined;
	}

	forget(): void {
		this.#server?.forget();
	}

	get listener(): Listener | undefined {
		return this.#server?.listener(HTTPS);
	}

	get httpPort(): number {
		return this.#server?.listener(HTTP)?.port ?? 0;
	}

	get httpsPort(): number {
		return this.listener?.port ?? 0;
	}

	get isBusy(): boolean {
		return this.#server?.isBusy === true;
	}
}
