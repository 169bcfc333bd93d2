/** SerialPort of the host contract (uart-xs.c). The port itself supports 7E1 (uart-core.h). */
import {
	type GPIOs,
	SERIAL_ERROR_CHARACTER,
	SERIAL_ERROR_OVERRUN,
	type SerialOptions,
	type SerialPort,
} from "../../modules/io/host.js";
import { NativeSerial, type SerialDevice } from "../native/serial.js";

/** Event bits (UART_… of uart-core.h). */
const READABLE = 1;
const WRITABLE = 2;
const DRAINED = 4;
const DAMAGED = 8;
const LOST = 16;

const NO_PIN = -1;
const INVERT_TRANSMIT = 1;
const INVERT_RECEIVE = 2;

class UART extends Native("xs_uart_destructor") {
	constructor(
		target: object,
		uart: number,
		transmit: number,
		receive: number,
		rts: number,
		cts: number,
		invert: number,
		ring: number,
	) {
		super();
		native("xs_uart").call(this, target, uart, transmit, receive, rts, cts, invert, ring);
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
	/** Returns true if the receive line of a UART has its idle level, or if the UART was never opened. */
	static isIdle(uart: number): boolean {
		return native("xs_uart_is_idle").call(this, uart);
	}
	/** Changes the pins of a UART, immediately if it was opened. */
	static choose(uart: number, transmit: number, receive: number): void {
		native("xs_uart_choose").call(this, uart, transmit, receive);
	}
	/** Changes the inversion of a UART, immediately if it is open. */
	static invert(uart: number, invert: number): void {
		native("xs_uart_invert").call(this, uart, invert);
	}
}

export interface SerialPins {
	/** Number of the UART: 0 to 2, but on the C3 and C6 only 0 or 1. */
	readonly uart: number;
	readonly transmit: number;
	readonly receive: number;
	/** Bytes of the ring buffer (uart-port.h). */
	readonly ring: number;
	readonly others?: readonly number[];
	readonly rts?: number | undefined;
	readonly cts?: number | undefined;
	/** True if the line is low when idle. */
	readonly invertTransmit?: boolean | undefined;
	readonly invertReceive?: boolean | undefined;
}

export interface SerialSettings extends SerialDevice {
	readonly pins: SerialPins;
	/** Lines that are inverted in addition to the row's: INVERT_…. */
	invert?: number;
	/** GPIOs in place of the row's; undefined: those of the row. */
	transmit?: number;
	receive?: number;
}

function inversionOf({ pins, invert = 0 }: SerialSettings): number {
	const { invertTransmit, invertReceive } = pins;
	return invert ^ ((invertTransmit ? INVERT_TRANSMIT : 0) | (invertReceive ? INVERT_RECEIVE : 0));
}

/** UART of the chip. One object serves as both the settings and `pins`, which saves slots. */
export class UARTPort<Settings extends SerialSettings = SerialSettings> implements SerialPort {
	readonly settings: Settings;

	constructor(settings: Settings) {
		this.settings = settings;
	}

	get io(): SerialPort["io"] {
		return UARTSerial;
	}

	get pins(): object {
		return this.settings;
	}

	get hardwareParity(): boolean {
		return true;
	}

	invert(receive: boolean, transmit: boolean): void {
		const { settings } = this;
		settings.invert = (receive ? INVERT_RECEIVE : 0) | (transmit ? INVERT_TRANSMIT : 0);
		UART.invert(settings.pins.uart, inversionOf(settings));
	}

	isIdle(): boolean {
		return UART.isIdle(this.settings.pins.uart);
	}

	get gpios(): GPIOs {
		return this.settings.pins;
	}

	/** Ignores what the row does not permit, which a backup of another board may contain. */
	choose(receive: number, transmit: number): void {
		const { settings } = this;
		const { pins } = settings;
		const one = (pin: number, own: number) => (pins.others?.includes(pin) ? pin : own);
		const [rx, tx] = [one(receive, pins.receive), one(transmit, pins.transmit)];
		settings.receive = rx === tx ? pins.receive : rx;
		settings.transmit = rx === tx ? pins.transmit : tx;
		UART.choose(pins.uart, settings.transmit, settings.receive);
	}
}

class UARTSerial extends NativeSerial<SerialSettings> {
	/** True if bytes were written since the last event of the native port. */
	#hasWritten = false;

	constructor(options: SerialOptions, pins: object) {
		super(options, pins as SerialSettings);
	}

	override write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		const writable = super.write(bytes, start, end);
		if (end > start) this.#hasWritten = true;
		return writable;
	}

	onUART(happened: number, readable: number, writable: number): void {
		if (this.isClosed) return;
		if (happened & WRITABLE) this.writable = writable;
		this.#hasWritten = false;
		if (happened & DAMAGED) this.failed(SERIAL_ERROR_CHARACTER);
		if (happened & LOST) this.failed(SERIAL_ERROR_OVERRUN);
		if (happened & READABLE && !this.isClosed) this.options.onReadable?.(readable);
		if (happened & WRITABLE && !this.isClosed) this.options.onWritable?.(this.writable);
		// If one of the callbacks above has written bytes, another DRAINED event follows.
		if (happened & DRAINED && !this.isClosed && !this.#hasWritten) this.options.onDrained?.();
	}

	protected open(): UART {
		const { uart, ring, rts = NO_PIN, cts = NO_PIN } = this.device.pins;
		const { transmit, receive } = { ...this.device.pins, ...this.device };
		return new UART(this, uart, transmit, receive, rts, cts, inversionOf(this.device), ring);
	}
}
