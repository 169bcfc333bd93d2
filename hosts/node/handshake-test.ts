/**
 * `testIdentity` of the host contract: handshakes of a TLS listener with itself over loopback. The listener recognises
 * the client of the test by the client's port, and hides the connection from the gateway.
 */
import type { Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";

export class HandshakeTests {
	readonly #limitMs: number;
	readonly #clients = new Set<TLSSocket>();

	constructor(limitMs: number) {
		this.#limitMs = limitMs;
	}

	/** Calls `done` once, with "" or a message about the problem. */
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
		// The client leaves the connection open. The server closes it when it has finished the handshake too.
		client.resume();
		client.on("close", () => {
			if (this.#clients.delete(client)) done(problem);
		});
	}

	/** Closes a connection that belongs to a test, and returns true then. Call it after the server's handshake. */
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
