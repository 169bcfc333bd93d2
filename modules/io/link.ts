/**
 * Runs a protocol machine on a serial port: the driver (io/driver.ts) brings it the time, this its characters, and
 * carries out what it says. The meter's conversations all run under it.
 *
 * Order is kept: a line change waits until everything transmitted before has left the port (`onDrained`), and nothing
 * after it is polled until then. On a port without hardware parity a 7E1 line is made in software here, so that a
 * machine sees characters of 7 bits, and 0x80 and above for a damaged one, whatever the port can do. The same is done
 * where the other end may as well send 8N1, as some meters do that send by themselves (mode D).
 *
 * Limits: RECEIVE_PIECE bytes are given to the machine at a time (large enough to be cheap, small enough to keep XS
 * responsive), PIECES_LIMIT of them in one turn of the host: whoever sends without end, faster than the machine works, keeps
 * nobody else waiting. One transmission holds at most TRANSMIT_LIMIT bytes.
 */
import { addParity, ParityFilter } from "../bytes/parity.js";
import type { Drive, Driven, Driver } from "./driver.js";
import {
	FORMAT_7E1,
	FORMAT_8N1,
	type LineSettings,
	SERIAL_ERROR_GONE,
	type Serial,
	type SerialFormat,
	type SerialPort,
} from "./host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT } from "./machine.js";

const RECEIVE_PIECE = 64;
const PIECES_LIMIT = 8;
const TRANSMIT_LIMIT = 128;

/** Direction of bytes shown to a tap. */
export const TAP_RECEIVED = 0;
export const TAP_TRANSMITTED = 1;

/** Sees every byte that passes, after parity was taken off (a damaged character is 0x80 or above). */
export interface LinkTap {
	bytes(direction: number, bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	line(baud: number, nowMs: number): void;
}

export interface LinkOptions {
	readonly port: SerialPort;
	/** The line as it is opened. */
	readonly line: LineSettings;
	/** The other end frames 7E1 or 8N1, as it likes: what of a 7E1 line is parity is found out here. Default false. */
	readonly anyFraming?: boolean;
	readonly machine: Machine;
	readonly tap?: LinkTap | undefined;
	/** An event of the machine. The link may be closed in it. */
	onEvent(code: number): void;
	/** The port is gone; the link has closed itself. */
	onGone(): void;
}

export class Link implements Driven {
	readonly #drive: Drive;
	readonly #options: LinkOptions;
	readonly #machine: Machine;
	readonly #serial: Serial;
	readonly #parity = new ParityFilter();
	/** Parity is not the port's work. */
	readonly #software: boolean;
	readonly #received = new Uint8Array(RECEIVE_PIECE);
	readonly #transmit = new Uint8Array(TRANSMIT_LIMIT);
	#transmitFrom = 0;
	#transmitTo = 0;
	#writable = 0;
	/** Bytes were written and `onDrained` has not come yet. */
	#draining = false;
	#format: SerialFormat;
	/** A line change that waits for the drain, or 0. */
	#nextBaud = 0;
	#nextFormat: SerialFormat = FORMAT_7E1;
	#closed = false;
	/** There may be more to read: it is due at once. */
	#isBehind = false;

	/** Throws when the port can't be opened. The machine runs from the next turn of the host on. */
	constructor(driver: Driver, options: LinkOptions) {
		this.#options = options;
		this.#machine = options.machine;
		this.#format = options.line.format;
		this.#software = options.anyFraming === true || !options.port.hardwareParity;
		this.#serial = new options.port.io({
			...options.port.pins,
			baud: options.line.baud,
			format: this.#software ? FORMAT_8N1 : this.#format,
			onReadable: () => this.#drive.run((nowMs) => this.receive(nowMs)),
			onWritable: (count) => {
				this.#writable = count;
				this.#drive.run(changeNothing);
			},
			onDrained: () => {
				this.#draining = false;
				this.#drive.run(changeNothing);
			},
			onError: (code) => {
				if (code === SERIAL_ERROR_GONE && !this.#closed) {
					this.close();
					driver.guard("link", () => options.onGone());
				}
			},
		});
		options.tap?.line(options.line.baud, driver.nowMs());
		this.#drive = driver.drive("link", this);
	}

	/** For the driver, as what follows: those of the machine. */
	get deadlineMs(): number {
		return this.#isBehind ? 0 : this.#machine.deadlineMs;
	}

	advance(nowMs: number): void {
		if (this.#isBehind) this.receive(nowMs);
		this.#machine.advance(nowMs);
	}

	/** Ends the work; the machine is not called again. */
	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#drive.stop();
		this.#serial.close();
	}

	/** Tells the machine something from outside (an end, a connection to make), so that its outputs go out. */
	tell(change: (nowMs: number) => void): void {
		if (!this.#closed) this.#drive.tell(change);
	}

	private receive(nowMs: number): void {
		const into = this.#received;
		this.#isBehind = false;
		for (let pieces = 0; !this.#closed; pieces++) {
			if (pieces === PIECES_LIMIT) {
				this.#isBehind = true;
				return;
			}
			const count = this.#serial.read(into);
			if (count === undefined) return;
			if (this.#format === FORMAT_7E1 && this.#software) this.#parity.filter(into, 0, count);
			this.#options.tap?.bytes(TAP_RECEIVED, into, 0, count, nowMs);
			this.#machine.receive(into, 0, count, nowMs);
			// What it answers to one piece goes out before the next is looked at.
			this.drain(nowMs);
		}
	}

	/** Carries out the machine's outputs as far as the port takes them. */
	drain(nowMs: number): void {
		while (!this.#closed && this.flush() && this.settleLine(nowMs)) {
			const output = this.#machine.poll();
			if (output.kind === OUTPUT_NONE) return;
			if (output.kind === OUTPUT_TRANSMIT) this.load(output.bytes, output.start, output.end, nowMs);
			else if (output.kind === OUTPUT_LINE) {
				this.#nextBaud = output.baud;
				this.#nextFormat = output.format;
			} else if (output.kind === OUTPUT_EVENT) this.#options.onEvent(output.code);
		}
	}

	/** Writes what is loaded; true when all of it is with the port. */
	private flush(): boolean {
		const count = Math.min(this.#writable, this.#transmitTo - this.#transmitFrom);
		if (count > 0) {
			this.#draining = true;
			this.#writable = this.#serial.write(this.#transmit, this.#transmitFrom, this.#transmitFrom + count);
			this.#transmitFrom += count;
		}
		return this.#transmitFrom === this.#transmitTo;
	}

	/** Makes a line change that is due; false while it must wait for bytes to leave. */
	private settleLine(nowMs: number): boolean {
		if (this.#nextBaud === 0) return true;
		if (this.#draining) return false;
		this.#format = this.#nextFormat;
		this.#serial.configure({ baud: this.#nextBaud, format: this.#software ? FORMAT_8N1 : this.#nextFormat });
		this.#options.tap?.line(this.#nextBaud, nowMs);
		this.#nextBaud = 0;
		return true;
	}

	private load(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (end - start > TRANSMIT_LIMIT) throw new RangeError("a transmission is longer than the link carries");
		this.#transmit.set(bytes.subarray(start, end));
		this.#transmitFrom = 0;
		this.#transmitTo = end - start;
		this.#options.tap?.bytes(TAP_TRANSMITTED, this.#transmit, 0, this.#transmitTo, nowMs);
		if (this.#format === FORMAT_7E1 && this.#software) addParity(this.#transmit, 0, this.#transmitTo);
	}
}

/** The port has changed, not the machine: what it has to say may go on. */
function changeNothing(): void {}
