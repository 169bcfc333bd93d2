/** A serial port of Linux (serial.c) as the SerialPort of the host contract. */
import {
	FORMAT_8N1,
	type LineSettings,
	SERIAL_ERROR_GONE,
	type Serial,
	type SerialOptions,
	type SerialPort,
	type Timers,
} from "../../modules/io/host.js";

const READABLE = 1;
const WRITABLE = 2;
const DRAINED = 3;

/** The native object. It has no fields: XS would not initialise them. */
class NativePort extends Native("xs_serial_destructor") {
	constructor(target: object, path: string) {
		super();
		native("xs_serial").call(this, target, path);
	}
	configure(baud: number, format: number): boolean {
		return native("xs_serial_configure").call(this, baud, format);
	}
	read(into: Uint8Array, start: number, end: number): number {
		return native("xs_serial_read").call(this, into, start, end);
	}
	write(bytes: Uint8Array, start: number, end: number): number {
		return native("xs_serial_write").call(this, bytes, start, end);
	}
	close(): void {
		native("xs_serial_close").call(this);
	}
	static hasParity(path: string): boolean {
		return native("xs_serial_has_parity").call(this, path);
	}
}

export interface SerialSettings {
	readonly path: string;
	readonly timers: Timers;
	/** Hears, in a sentence for the user, why the port can't be opened or that it is gone. */
	trace(message: string): void;
}

/** Made once: whether it has parity is found out then. */
export class LinuxPort implements SerialPort {
	readonly path: string;
	readonly timers: Timers;
	readonly trace: SerialSettings["trace"];
	readonly hardwareParity: boolean;

	constructor({ path, timers, trace }: SerialSettings) {
		this.path = path;
		this.timers = timers;
		this.trace = trace;
		this.hardwareParity = NativePort.hasParity(path);
	}

	get io(): SerialPort["io"] {
		return LinuxSerial;
	}

	get pins(): object {
		return { device: this };
	}
}

class LinuxSerial implements Serial {
	readonly #options: SerialOptions;
	readonly #device: LinuxPort;
	#port: NativePort | undefined;
	/** Count last announced to the caller. */
	#writable = 0;
	#closed = false;

	constructor(options: SerialOptions) {
		this.#options = options;
		this.#device = (options as SerialOptions & { device: LinuxPort }).device;
		try {
			this.#port = new NativePort(this, this.#device.path);
		} catch (error) {
			this.#device.trace((error as Error).message);
			this.#device.timers.set(() => this.gone(), 0);
			return;
		}
		this.configure(options);
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		if (this.#port === undefined || end <= start) return undefined;
		const count = this.#port.read(into, start, end);
		return count === 0 ? undefined : count;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (end - start > this.#writable) throw new RangeError("more than may be written");
		if (end > start) this.#writable = this.#port!.write(bytes, start, end);
		return this.#writable;
	}

	configure(line: LineSettings): void {
		const format = this.#device.hardwareParity ? line.format : FORMAT_8N1;
		if (this.#port === undefined || this.#port.configure(line.baud, format)) return;
		this.#device.trace(`The serial port does not take ${line.baud} Bd.`);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#writable = 0;
		this.#port?.close();
		this.#port = undefined;
	}

	/** Called by the native port. */
	onSerial(kind: number, count: number): void {
		if (this.#closed) return;
		if (kind === READABLE) this.#options.onReadable?.(count);
		else if (kind === DRAINED) this.#options.onDrained?.();
		else if (kind === WRITABLE) {
			this.#writable = count;
			this.#options.onWritable?.(count);
		} else {
			if (count === SERIAL_ERROR_GONE) {
				this.#writable = 0;
				this.#device.trace(`The serial port ${this.#device.path} is gone.`);
			}
			this.#options.onError?.(count);
		}
	}

	private gone(): void {
		if (!this.#closed) this.#options.onError?.(SERIAL_ERROR_GONE);
	}
}
