/**
 * Handshakes of a TLS listener with itself over loopback (`testIdentity` of the host contract). The listener recognises
 * its client by its port and hides it from the gateway.
 */
import type { Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";

export class HandshakeTests {
	readonly #limitMs: number;
	readonly #clients = new Set<TLSSocket>();

	/** `limitMs`: time after which a handshake has failed. */
	constructor(limitMs: number) {
		this.#limitMs = limitMs;
	}

	/** Calls `done` once: with "", or with a message that describes the fault. */
	start(port: number, done: (problem: string) => void): void {
		const client = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, minVersion: "TLSv1.2" });
		let problem = "the handshake was broken off";
		this.#clients.add(client);
		client.setTimeout(this.#limitMs, () => client.destroy(new Error("it takes too long")));
		client.on("error", (error) => {
			problem = `the handshake has failed: ${error.message}`;
		});
		client.on("secureConnect", () => {
			problem = "";
		});
		// The client does not close the connection. The server closes it when it has finished the handshake too.
		client.resume();
		client.on("close", () => {
			if (this.#clients.delete(client)) done(problem);
		});
	}

	/**
	 * Returns true, and closes the connection, if it belongs to a test. Called when the server has finished the
	 * handshake.
	 */
	take(socket: Socket): boolean {
		for (const client of this.#clients) {
			const isItself = socket.remoteAddress?.endsWith("127.0.0.1") && socket.remotePort === client.localPort;
			if (!isItself) continue;
			socket.on("error", () => {});
			socket.resume();
			socket.end();
			return true;
		}
		return false;
	}

	close(): void {
		for (const client of this.#clients) client.destroy();
		this.#clients.clear();
	}
}
