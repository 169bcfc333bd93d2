/** A console of the virtual world. It carries the bytes of each call as one piece, in both directions. */
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import { CONSOLE_ROOM, type Serial, type SerialOptions, type SerialPort } from "../../modules/io/host.js";

/** Limit of unread bytes at the gateway. */
const UNREAD_LIMIT = 1024;
const WRITE_MS = 10;

export class VirtualConsole implements SerialPort {
	readonly io = ConsoleEnd;
	readonly pins: object = { console: this };
	readonly hardwareParity = false;
	readonly time: VirtualTime;
	/** Called with each piece that the gateway writes. */
	onWritten: (piece: Uint8Array) => void = () => {};
	/** The gateway's end while it is open. */
	end: ConsoleEnd | undefined;

	constructor(time: VirtualTime) {
		this.time = time;
	}

	/** Sends bytes to the gateway. */
	send(bytes: Uint8Array): void {
		this.end?.arrive(bytes);
	}
}

export class ConsoleEnd implements Serial {
	readonly #options: SerialOptions;
	readonly #console: VirtualConsole;
	#received = Buffer.alloc(0);

	constructor(options: SerialOptions, pins: object) {
		this.#options = options;
		this.#console = (pins as { console: VirtualConsole }).console;
		if (this.#console.end !== undefined) throw new Error("the console is open");
		this.#console.end = this;
		this.#post(() => options.onWritable?.(CONSOLE_ROOM));
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		if (this.#received.length === 0 || end <= start) return undefined;
		const count = this.#received.copy(into, start, 0, Math.min(end - start, this.#received.length));
		this.#received = this.#received.subarray(count);
		return count;
	}

	/** Sends a piece; there is room for another one only when it has arrived, after WRITE_MS. */
	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (end - start > CONSOLE_ROOM) throw new RangeError("more than may be written");
		const piece = bytes.slice(start, end);
		this.#console.time.set(() => {
			this.#console.onWritten(piece);
			this.#post(() => this.#options.onWritable?.(CONSOLE_ROOM));
		}, WRITE_MS);
		return 0;
	}

	configure(): void {}

	close(): void {
		if (this.#console.end === this) this.#console.end = undefined;
	}

	/** Called by VirtualConsole with bytes for the gateway. */
	arrive(bytes: Uint8Array): void {
		this.#received = Buffer.concat([this.#received, bytes]).subarray(0, UNREAD_LIMIT);
		this.#post(() => this.#options.onReadable?.(this.#received.length));
	}

	#post(callback: () => void): void {
		this.#console.time.at(0, () => {
			if (this.#console.end === this) callback();
		});
	}
}
