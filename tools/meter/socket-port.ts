/**
 * Serial port of an emulator, as a Unix socket that the emulator creates. The port tries to connect again until the
 * socket exists, and after the emulator has ended.
 */
import { connect, type Socket } from "node:net";
import type { LinePort } from "./line-port.js";
import { UsageError } from "./words.js";

const RETRY_MS = 100;

export class SocketPort implements LinePort {
	readonly path: string;
	#socket: Socket | undefined;
	#timer: NodeJS.Timeout | undefined;
	#hear: (bytes: Uint8Array) => void = () => {};
	#isClosed = false;

	constructor(path: string) {
		this.path = path;
		this.#connect();
	}

	write(bytes: Uint8Array): void {
		if (this.#socket?.readyState === "open") this.#socket.write(bytes);
	}

	onData(listener: (bytes: Uint8Array) => void): void {
		this.#hear = listener;
	}

	onError(): void {}

	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#socket?.destroy();
	}

	#connect(): void {
		const socket = connect(this.path);
		this.#socket = socket;
		socket.on("data", (bytes) => this.#hear(bytes));
		// The event "close" follows and starts the next attempt.
		socket.on("error", () => {});
		socket.on("close", () => {
			if (!this.#isClosed) this.#timer = setTimeout(() => this.#connect(), RETRY_MS);
		});
	}
}

/** Removes `--socket PATH` from the command line of any protocol, and returns the path. */
export function takeSocket(args: string[]): string | undefined {
	const index = args.indexOf("--socket");
	if (index < 0) return undefined;
	const [, path] = args.splice(index, 2);
	if (!path) throw new UsageError("--socket needs a path.");
	if (args.some((word) => word === "--port" || word.startsWith("--port=")))
		throw new UsageError("--port and --socket exclude each other.");
	return path;
}
