/** Serial of the host contract: the code that the chip's UART and the serial port on Linux share. */
import {
	type LineSettings,
	SERIAL_ERROR_GONE,
	type Serial,
	type SerialFormat,
	type SerialOptions,
	type Timers,
} from "../../modules/io/host.js";

export interface NativePort {
	/** Returns false if the port does not support the settings. */
	configure(baud: number, format: SerialFormat): boolean;
	read(into: Uint8Array, start: number, end: number): number;
	/** Writes bytes and returns how many more can be written now. */
	write(bytes: Uint8Array, start: number, end: number): number;
	close(): void;
}

export interface SerialDevice {
	readonly timers: Timers;
	trace(message: string): void;
}

export abstract class NativeSerial<Device extends SerialDevice> implements Serial {
	protected readonly options: SerialOptions;
	protected readonly device: Device;
	protected writable = 0;
	protected isClosed = false;
	#port: NativePort | undefined;

	constructor(options: SerialOptions, device: Device) {
		this.options = options;
		this.device = device;
		try {
			this.#port = this.open();
		} catch (error) {
			device.trace((error as Error).message);
			device.timers.set(() => this.failed(SERIAL_ERROR_GONE), 0);
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
		if (end - start > this.writable) throw new RangeError("more than may be written");
		if (end > start) this.writable = this.#port!.write(bytes, start, end);
		return this.writable;
	}

	configure({ baud, format }: LineSettings): void {
		if (this.#port === undefined || this.#port.configure(baud, format)) return;
		this.device.trace(`The serial port does not take ${baud} Bd.`);
	}

	close(): void {
		if (this.isClosed) return;
		this.isClosed = true;
		this.writable = 0;
		this.#port?.close();
		this.#port = undefined;
	}

	/** Opens the port. Throws an Error with a message for the user on failure. */
	protected abstract open(): NativePort;

	protected failed(code: number): void {
		if (!this.isClosed) this.options.onError?.(code);
	}
}
