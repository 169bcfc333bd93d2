/** HTTPS server with a signed firmware file for the simulator, which it sends slowly; its certificate is untrusted. */
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { serverIdentity } from "../api/server-identity.js";
import { makeFile, makeImage } from "../update/firmware-files.js";

const PIECE = 16_384;
const PAUSE_MS = 250;

export class FileServer {
	readonly #server: Server;

	private constructor(server: Server) {
		this.#server = server;
	}

	static async start(): Promise<FileServer> {
		const file = makeFile(makeImage(1_000_000), { chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID });
		const server = createServer(serverIdentity("files"), (_, response) => {
			response.writeHead(200, { "Content-Length": file.length });
			let at = 0;
			const next = () => {
				if (response.destroyed) return;
				response.write(file.subarray(at, at + PIECE));
				at += PIECE;
				if (at >= file.length) response.end();
				else setTimeout(next, PAUSE_MS);
			};
			next();
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		return new FileServer(server);
	}

	get url(): string {
		return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/{board}.ota`;
	}

	stop(): void {
		this.#server.closeAllConnections();
		this.#server.close();
	}
}
