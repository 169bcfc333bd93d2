/**
 * A serial port or pseudo-terminal of the PC. The program `stty` configures the line, because the package `serialport`
 * cannot change the format of an open port, discards data at each change of speed, and drops damaged characters (it
 * sets termios IGNPAR; this code sets PARMRK). Limits: SERIAL_RECEIVE_LIMIT unread bytes and SEND_LIMIT unsent bytes.
 * If more bytes are received, the newest are lost.
 */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { SerialPort as Driver } from "serialport";
import {
	FORMAT_7E1,
	FORMAT_8E1,
	FORMAT_8N1,
	FORMAT_8N2,
	type LineSettings,
	SERIAL_ERROR_CHARACTER,
	SERIAL_ERROR_GONE,
	SERIAL_ERROR_OVERRUN,
	SERIAL_RECEIVE_LIMIT,
	type Serial,
	type SerialFormat,
	type SerialOptions,
	type SerialPort,
} from "../../modules/io/host.js";
import { ByteQueue } from "./byte-queue.js";
import { MarkDecoder } from "./mark-decoder.js";
import { bitsOf } from "./wire-character.js";

type OpenPort = Awaited<ReturnType<typeof Driver.binding.open>>;

/**
 * Arguments of stty for each format. With 7E1, a damaged character is marked (MarkDecoder). With 8E1, it is passed on
 * as received, because each telegram has its own check.
 */
const STTY: Readonly<Record<SerialFormat, readonly string[]>> = {
	[FORMAT_7E1]: ["cs7", "-cstopb", "parenb", "-parodd", "inpck", "parmrk", "-ignpar"],
	[FORMAT_8N1]: ["cs8", "-cstopb", "-parenb", "-inpck", "-parmrk"],
	[FORMAT_8E1]: ["cs8", "-cstopb", "parenb", "-parodd", "-inpck", "-parmrk"],
	[FORMAT_8N2]: ["cs8", "cstopb", "-parenb", "-inpck", "-parmrk"],
};
const STTY_LIMIT_MS = 1000;

const SEND_LIMIT = 1024;
const READ_PIECE_BYTES = 512;

interface Device {
	readonly path: string;
	readonly hardwareParity: boolean;
	readonly isPaced: boolean;
	readonly trace: (message: string) => void;
	/** Resolves when the previously opened port is closed, because only one may be open. */
	idle: Promise<void>;
}

/**
 * Creates the port. `trace` is called when the port cannot be opened or is lost. `isPaced` is false for a
 * pseudo-terminal, which transfers characters in no time.
 */
export function createSerialPort(path: string, trace: (message: string) => void, isPaced = true): SerialPort {
	// Parity in hardware is tested by trying it, because pseudo-terminals and some adapters refuse 7 bits with parity.
	const hardwareParity = stty(path, ["cs7", "parenb", "-parodd"]) === undefined;
	const device: Device = { path, hardwareParity, isPaced, trace, idle: Promise.resolve() };
	return { io: NodeSerial, pins: device, hardwareParity };
}

function stty(path: string, settings: string[]): string | undefined {
	const result = spawnSync("stty", ["-F", path, ...settings], { encoding: "utf8", timeout: STTY_LIMIT_MS });
	if (result.error) return result.error.message;
	return result.status === 0 ? undefined : result.stderr.trim();
}

class NodeSerial implements Serial {
	readonly #options: SerialOptions;
	readonly #device: Device;
	readonly #received = new ByteQueue();
	readonly #marks = new MarkDecoder();
	readonly #sending: Buffer[] = [];
	#line: LineSettings;
	#port: OpenPort | undefined;
	#closing: Promise<void> | undefined;
	#sent: Promise<void> = Promise.resolve();
	#closed = false;
	#pumping = false;
	#writable = 0;
	#unsent = 0;
	#quietAtMs = 0;
	#lost = 0;

	constructor(options: SerialOptions, pins: object) {
		this.#options = options;
		this.#device = pins as Device;
		this.#line = { baud: options.baud, format: options.format };
		this.#device.idle = this.#device.idle.then(() => this.#run());
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#received.read(into, start, end);
	}

	/** Before the first call of `onWritable` there is no room for writing. */
	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		const count = end - start;
		if (count > this.#writable) throw new RangeError(`${count} bytes are more than the ${this.#writable} announced`);
		if (count <= 0) return this.#writable;
		this.#sending.push(Buffer.from(bytes.subarray(start, end)));
		this.#unsent += count;
		const durationMs = this.#device.isPaced ? (count * bitsOf(this.#line.format) * 1000) / this.#line.baud : 0;
		this.#quietAtMs = Math.max(this.#quietAtMs, performance.now()) + durationMs;
		if (!this.#pumping) this.#sent = this.#send(this.#port!);
		this.#writable = SEND_LIMIT - this.#unsent;
		return this.#writable;
	}

	configure(line: LineSettings): void {
		this.#line = { baud: line.baud, format: line.format };
		if (this.#port && !this.#closing) this.#setLine();
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#writable = 0;
		this.#received.clear();
		this.#shut();
		if (this.#lost > 0) this.#device.trace(`${this.#device.path}: ${this.#lost} bytes were lost unread`);
	}

	/** Opens and serves the port until it is closed. Never rejects. */
	async #run(): Promise<void> {
		if (this.#closed) return;
		try {
			const { path } = this.#device;
			this.#port = await Driver.binding.open({ path, baudRate: this.#line.baud, hupcl: false });
		} catch (error) {
			this.#gone(`The serial port ${this.#device.path} can't be opened: ${reasonOf(error)}`);
			return;
		}
		if (this.#closed) this.#shut();
		else {
			this.#setLine();
			this.#announce();
			await this.#receive(this.#port);
		}
		await this.#closing;
		// The write is awaited, because it still uses the device after the port was closed.
		await this.#sent;
	}

	async #receive(port: OpenPort): Promise<void> {
		const piece = Buffer.alloc(READ_PIECE_BYTES);
		while (!this.#closed) {
			let count: number;
			try {
				count = (await port.read(piece, 0, piece.length)).bytesRead;
			} catch (error) {
				this.#gone(`The serial port ${this.#device.path} is gone: ${reasonOf(error)}`);
				return;
			}
			if (!this.#closed) this.#take(new Uint8Array(piece.subarray(0, count)));
		}
	}

	#take(bytes: Uint8Array): void {
		let damaged = 0;
		if (this.#device.hardwareParity && this.#line.format === FORMAT_7E1) {
			const decoded = this.#marks.decode(bytes);
			bytes = bytes.subarray(0, decoded.length);
			damaged = decoded.damaged;
		}
		const kept = bytes.subarray(0, SERIAL_RECEIVE_LIMIT - this.#received.length);
		this.#received.push(kept);
		const lost = bytes.length - kept.length;
		this.#lost += lost;
		if (damaged > 0) this.#options.onError?.(SERIAL_ERROR_CHARACTER);
		if (lost > 0 && !this.#closed) this.#options.onError?.(SERIAL_ERROR_OVERRUN);
		if (kept.length > 0 && !this.#closed) this.#options.onReadable?.(this.#received.length);
	}

	async #send(port: OpenPort): Promise<void> {
		this.#pumping = true;
		try {
			while (this.#sending.length > 0) {
				for (let piece = this.#sending.shift(); piece; piece = this.#sending.shift()) {
					await port.write(piece);
					this.#unsent -= piece.length;
					if (this.#closed) return;
					this.#announce();
				}
				await port.drain();
				// The calculated end of the output is awaited, because the driver does not know the buffer of a USB converter,
				// and a pseudo-terminal has no speed.
				while (!this.#closed && this.#sending.length === 0 && performance.now() < this.#quietAtMs) {
					await sleep(this.#quietAtMs - performance.now());
				}
			}
		} catch (error) {
			this.#gone(`The serial port ${this.#device.path} is gone: ${reasonOf(error)}`);
			return;
		}
		this.#pumping = false;
		if (!this.#closed) this.#options.onDrained?.();
	}

	#announce(): void {
		this.#writable = SEND_LIMIT - this.#unsent;
		this.#options.onWritable?.(this.#writable);
	}

	#setLine(): void {
		const { baud, format } = this.#line;
		const settings = [String(baud), ...(this.#device.hardwareParity ? STTY[format] : [])];
		// stty gets the path, because passing our descriptor to a child process would make the descriptor blocking.
		const failure = stty(this.#device.path, settings);
		if (failure !== undefined) this.#device.trace(`The serial port does not take ${settings.join(" ")}: ${failure}`);
	}

	#gone(message: string): void {
		if (this.#closed || this.#closing) return;
		this.#writable = 0;
		this.#shut();
		this.#device.trace(message);
		this.#options.onError?.(SERIAL_ERROR_GONE);
	}

	#shut(): void {
		// The descriptor of an unplugged device may already be closed.
		if (this.#port) this.#closing ??= this.#port.close().catch(() => {});
	}
}

/** Returns REASON from the driver's message "Error: REASON, cannot open PATH", or a clearer text. */
export function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	if (/lock/i.test(text)) return "another program uses it";
	const reason = text.replace(/^Error:? /, "").replace(/, cannot open .*$/, "");
	return /permission/i.test(reason) ? `${reason} (is the user in the group dialout?)` : reason;
}
