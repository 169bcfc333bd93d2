/** SerialPort of the host contract (serial.c). */
import {
	FORMAT_8N1,
	FORMAT_8N2,
	type LineSettings,
	SERIAL_ERROR_GONE,
	type SerialOptions,
	type SerialPort,
} from "../../modules/io/host.js";
import { NativeSerial, type SerialDevice } from "../native/serial.js";

const READABLE = 1;
const WRITABLE = 2;
const DRAINED = 3;

class Terminal extends Native("xs_serial_destructor") {
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

export interface SerialSettings extends SerialDevice {
	readonly path: string;
}

/** Create one object for each port, because the constructor checks whether the port supports parity. */
export class LinuxPort implements SerialPort {
	readonly path: string;
	readonly timers: SerialSettings["timers"];
	readonly trace: SerialSettings["trace"];
	readonly hardwareParity: boolean;

	constructor({ path, timers, trace }: SerialSettings) {
		this.path = path;
		this.timers = timers;
		this.trace = trace;
		this.hardwareParity = Terminal.hasParity(path);
	}

	get io(): SerialPort["io"] {
		return LinuxSerial;
	}

	get pins(): object {
		return this;
	}
}

class LinuxSerial extends NativeSerial<LinuxPort> {
	constructor(options: SerialOptions, pins: object) {
		super(options, pins as LinuxPort);
	}

	override configure({ baud, format }: LineSettings): void {
		super.configure({ baud, format: this.device.hardwareParity || format === FORMAT_8N2 ? format : FORMAT_8N1 });
	}

	onSerial(kind: number, count: number): void {
		if (this.isClosed) return;
		if (kind === READABLE) this.options.onReadable?.(count);
		else if (kind === DRAINED) this.options.onDrained?.();
		else if (kind === WRITABLE) {
			this.writable = count;
			this.options.onWritable?.(count);
		} else {
			if (count === SERIAL_ERROR_GONE) {
				this.writable = 0;
				this.device.trace(`The serial port ${this.device.path} is gone.`);
			}
			this.failed(count);
		}
	}

	protected open(): Terminal {
		return new Terminal(this, this.device.path);
	}
}
