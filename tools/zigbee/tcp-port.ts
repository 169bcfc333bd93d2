/**
 * A coprocessor behind a TCP port, as in gateways with Ethernet. It has one client at a time; a new one replaces the
 * old.
 */
import { createServer, type Socket } from "node:net";
import type { SimulatedCoprocessor } from "./coprocessor.js";

export interface TCPPort {
	readonly port: number;
	close(): Promise<void>;
}

/** `port` 0 means any free port. */
export function serveTCP(chip: SimulatedCoprocessor, port: number, host = "127.0.0.1"): Promise<TCPPort> {
	let socket: Socket | undefined;
	const server = createServer((newest) => {
		socket?.destroy();
		socket = newest;
		newest.setNoDelay(true);
		newest.on("data", (bytes) => chip.receive(bytes));
		// An error only disconnects the client.
		newest.on("error", () => newest.destroy());
		newest.on("close", () => {
			if (socket === newest) socket = undefined;
		});
	});
	chip.onBytes = (bytes) => socket?.write(bytes);
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, () => {
			const address = server.address() as { port: number };
			const close = () =>
				new Promise<void>((closed) => {
					socket?.destroy();
					server.close(() => closed());
				});
			resolve({ port: address.port, close });
		});
	});
}
