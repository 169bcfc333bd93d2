/** SerialPort of the console (console.c). On UART 0 it always has 115200 Bd, 8N1; USB has no such settings. */
import type { Serial, SerialOptions, SerialPort } from "../../modules/io/host.js";

class Bindings {
	static open(target: object): void {
		native("xs_console_open").call(this, target);
	}
	static read(into: Uint8Array, start: number, end: number): number {
		return native("xs_console_read").call(this, into, start, end);
	}
	static write(bytes: Uint8Array, start: number, end: number): void {
		native("xs_console_write").call(this, bytes, start, end);
	}
	static close(): void {
		native("xs_console_close").call(this);
	}
}

const READABLE = 1;
const WRITABLE = 2;

/**
 * Room for writing that is reported to the listener. Its value does not matter, because a write waits until all bytes
 * are sent, or dropped because no computer reads them.
 */
const ROOM = 256;

class ConsoleSerial implements Serial {
	readonly #options: SerialOptions;

	constructor(options: SerialOptions) {
		this.#options = options;
		Bindings.open(this);
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		const count = Bindings.read(into, start, end);
		return count === 0 ? undefined : count;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (end - start > ROOM) throw new RangeError("more than may be written");
		Bindings.write(bytes, start, end);
		return ROOM;
	}

	configure(): void {
		// The console has a fixed speed.
	}

	close(): void {
		Bindings.close();
	}

	onUART(happened: number, readable: number): void {
		if (happened & WRITABLE) this.#options.onWritable?.(ROOM);
		if (happened & READABLE) this.#options.onReadable?.(readable);
	}
}

/** This object is frozen, so XS keeps it in flash. */
export const CONSOLE: SerialPort = Object.freeze({ io: ConsoleSerial, pins: Object.freeze({}), hardwareParity: false });
