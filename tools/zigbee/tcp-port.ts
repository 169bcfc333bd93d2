/**
 * Serves a coprocessor on a TCP port, as gateways with Ethernet do. It has one client at a time. A new client replaces
 * the previous one.
 */
import { createServer, type Socket } from "node:net";
import type { SimulatedCoprocessor } from "./coprocessor.js";

export interface TCPPort {
	readonly port: number;
	close(): Promise<void>;
}

/** Opens the port. 0 means any free port. */
export function serveTCP(chip: SimulatedCoprocessor, port: number, host = "127.0.0.1"): Promise<TCPPort> {
	let socket: Socket | undefined;
	const server = createServer((newest) => {
		socket?.destroy();
		socket = newest;
		newest.setNoDelay(true);
		newest.on("data", (bytes) => chip.receive(bytes));
		// An error disconnects the client, but has no other effect.
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
