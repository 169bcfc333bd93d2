/** A UART of the chip (uart-face.c) as the SerialPort of the host contract. Frames 7E1 itself. */
import {
	type LineSettings,
	SERIAL_ERROR_CHARACTER,
	SERIAL_ERROR_GONE,
	SERIAL_ERROR_OVERRUN,
	type Serial,
	type SerialOptions,
	type SerialPort,
	type Timers,
} from "../../modules/io/host.js";

/** What has happened, as bits of one number (UART_… of uart-core.h). */
const READABLE = 1;
const WRITABLE = 2;
const DRAINED = 4;
const DAMAGED = 8;
const LOST = 16;

const NO_PIN = -1;
const INVERT_TRANSMIT = 1;
const INVERT_RECEIVE = 2;

/** The native object. It has no fields: XS would not initialise them. */
class NativePort extends Native("xs_uart_destructor") {
	constructor(
		target: object,
		uart: number,
		transmit: number,
		receive: number,
		rts: number,
		cts: number,
		invert: number,
	) {
		super();
		native("xs_uart").call(this, target, uart, transmit, receive, rts, cts, invert);
	}
	configure(baud: number, format: number): boolean {
		return native("xs_uart_configure").call(this, baud, format);
	}
	read(into: Uint8Array, start: number, end: number): number {
		return native("xs_uart_read").call(this, into, start, end);
	}
	write(bytes: Uint8Array, start: number, end: number): number {
		return native("xs_uart_write").call(this, bytes, start, end);
	}
	close(): void {
		native("xs_uart_close").call(this);
	}
}

export interface SerialPins {
	/** Number of the UART: 0 to 2, on the C3 and C6 0 or 1. */
	readonly uart: number;
	/** GPIO numbers. RTS and CTS go together, or are both left out. */
	readonly transmit: number;
	readonly receive: number;
	readonly rts?: number | undefined;
	readonly cts?: number | undefined;
	/** The line rests at the low level. */
	readonly invertTransmit?: boolean | undefined;
	readonly invertReceive?: boolean | undefined;
}

export interface SerialSettings {
	readonly pins: SerialPins;
	readonly timers: Timers;
	/** Hears, in a sentence for the user, why the port can't be opened. */
	trace(message: string): void;
}

/** A class, since an object of its own for pins and members takes slots. */
export class UARTPort<Settings extends SerialSettings = SerialSettings> implements SerialPort {
	readonly settings: Settings;

	constructor(settings: Settings) {
		this.settings = settings;
	}

	get io(): SerialPort["io"] {
		return UARTSerial;
	}

	get pins(): object {
		return { settings: this.settings };
	}

	get hardwareParity(): boolean {
		return true;
	}
}

class UARTSerial implements Serial {
	readonly #options: SerialOptions;
	readonly #settings: SerialSettings;
	#port: NativePort | undefined;
	/** Count last announced to the caller. */
	#writable = 0;
	#written = false;
	#closed = false;

	constructor(options: SerialOptions) {
		this.#options = options;
		this.#settings = (options as SerialOptions & { settings: SerialSettings }).settings;
		try {
			this.#port = this.open();
		} catch (error) {
			this.#settings.trace((error as Error).message);
			this.#settings.timers.set(() => this.gone(), 0);
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
		if (end > start) {
			this.#writable = this.#port!.write(bytes, start, end);
			this.#written = true;
		}
		return this.#writable;
	}

	configure(line: LineSettings): void {
		if (this.#port === undefined || this.#port.configure(line.baud, line.format)) return;
		this.#settings.trace(`The serial port does not take ${line.baud} Bd.`);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#writable = 0;
		this.#port?.close();
		this.#port = undefined;
	}

	/** Called by the native port: what has happened, how many bytes wait, and how many may be written. */
	onUART(happened: number, readable: number, writable: number): void {
		if (this.#closed) return;
		if (happened & WRITABLE) this.#writable = writable;
		this.#written = false;
		if (happened & DAMAGED) this.failed(SERIAL_ERROR_CHARACTER);
		if (happened & LOST) this.failed(SERIAL_ERROR_OVERRUN);
		if (happened & READABLE && !this.#closed) this.#options.onReadable?.(readable);
		if (happened & WRITABLE && !this.#closed) this.#options.onWritable?.(this.#writable);
		// What was written in a callback above has not left: that will be told.
		if (happened & DRAINED && !this.#closed && !this.#written) this.#options.onDrained?.();
	}

	private open(): NativePort {
		const { uart, transmit, receive, rts = NO_PIN, cts = NO_PIN, invertTransmit, invertReceive } = this.#settings.pins;
		const invert = (invertTransmit ? INVERT_TRANSMIT : 0) | (invertReceive ? INVERT_RECEIVE : 0);
		return new NativePort(this, uart, transmit, receive, rts, cts, invert);
	}

	private failed(code: number): void {
		if (!this.#closed) this.#options.onError?.(code);
	}

	private gone(): void {
		this.failed(SERIAL_ERROR_GONE);
	}
}
