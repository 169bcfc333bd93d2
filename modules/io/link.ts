/**
 * Runs a protocol machine on a serial port: the driver (io/driver.ts) provides the time; the link provides received
 * characters and performs the machine's outputs. All meter sessions run on a link.
 *
 * Outputs keep their order: a line change waits until all earlier bytes have left the port (`onDrained`); the machine
 * is not polled before that. Where the port has no hardware parity, the link handles 7E1 in software, so that a machine
 * always sees characters of 7 bits, and 0x80 and above for a damaged one. It does the same where the meter may also
 * send 8N1, as some meters with unsolicited telegrams (mode D) do.
 *
 * Limits: the machine gets RECEIVE_PIECE bytes at a time (large enough to be efficient, small enough to keep XS
 * responsive), and at most PIECES_LIMIT such pieces per tick, so that a sender without pauses does not block other
 * tasks.
 */
import { addParity, ParityFilter } from "../bytes/parity.js";
import type { Driver, ScheduledMachine, Task } from "./driver.js";
import {
	FORMAT_7E1,
	FORMAT_8N1,
	type LineSettings,
	SERIAL_ERROR_GONE,
	type Serial,
	type SerialFormat,
	type SerialOptions,
	type SerialPort,
} from "./host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "./machine.js";

const RECEIVE_PIECE = 64;
const PIECES_LIMIT = 8;

/** Direction of bytes passed to a tap. */
export const TAP_RECEIVED = 0;
export const TAP_TRANSMITTED = 1;

/** Observer of all bytes on the line, without parity (a damaged character is 0x80 or above). */
export interface LinkTap {
	bytes(direction: number, bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	line(baud: number, nowMs: number): void;
}

export interface LinkOptions {
	readonly port: SerialPort;
	readonly line: LineSettings;
	/** True when the peer may use 7E1 or 8N1; on a 7E1 line the link then detects the parity bit. Default false. */
	readonly anyFraming?: boolean;
	readonly machine: Machine;
	readonly tap?: LinkTap | undefined;
	/** Handles an event of the machine; may close the link. */
	onEvent(code: number): void;
	/** Handles the loss of the port; the link has closed itself. */
	onClosed(): void;
}

/** More bytes may wait: due at once. */
const BEHIND = 1;
/** Bytes were written, and `onDrained` has not been called yet. */
const DRAINING = 2;
const CLOSED = 4;

/** The link of a machine to a port. It serves as the port's options object, because closures would take 45 XS slots. */
export class Link implements ScheduledMachine, SerialOptions {
	readonly #task: Task;
	readonly #options: LinkOptions;
	readonly #serial: Serial;
	/** Undefined where the port handles parity, or before the first 7E1 character. */
	#parity: ParityFilter | undefined;
	readonly #received = new Uint8Array(RECEIVE_PIECE);
	/** Bytes not yet taken by the port, from `#sent` on. */
	#transmit: Uint8Array | undefined;
	#sent = 0;
	#writable = 0;
	/** Format the machine wants. */
	#format: SerialFormat;
	/** Line change that waits for the drain. */
	#next: LineSettings | undefined;
	/** BEHIND, DRAINING, CLOSED: one number, because each field takes an XS slot. */
	#flags = 0;

	/** Throws when the port can't be opened. The machine starts in the next tick. */
	constructor(driver: Driver, options: LinkOptions) {
		const { port, line, tap } = options;
		this.#options = options;
		this.#format = line.format;
		this.#serial = new port.io(this, port.pins);
		tap?.line(line.baud, driver.nowMs());
		this.#task = driver.register("link", this);
	}

	/** Used by the port, like the members below. */
	get baud(): number {
		return this.#options.line.baud;
	}

	get format(): SerialFormat {
		return this.isSoftware && this.#format === FORMAT_7E1 ? FORMAT_8N1 : this.#format;
	}

	onReadable(): void {
		this.#task.fromHost((nowMs) => this.receive(nowMs));
	}

	onWritable(count: number): void {
		this.#writable = count;
		this.#task.fromHost(changeNothing);
	}

	onDrained(): void {
		this.#flags &= ~DRAINING;
		this.#task.fromHost(changeNothing);
	}

	onError(code: number): void {
		if (code !== SERIAL_ERROR_GONE) return;
		// `fromHost()` does nothing on a closed link.
		this.#task.fromHost(() => {
			this.close();
			this.#options.onClosed();
		});
	}

	/** Used by the driver, like the members below. */
	get deadlineMs(): number {
		return this.#flags & BEHIND ? 0 : this.#options.machine.deadlineMs;
	}

	advance(nowMs: number): void {
		if (this.#flags & BEHIND) this.receive(nowMs);
		this.#options.machine.advance(nowMs);
	}

	/** Closes the link; the machine is not called again. */
	close(): void {
		if (this.isClosed) return;
		this.#flags |= CLOSED;
		this.#task.stop();
		this.#serial.close();
	}

	/** Changes the machine from outside (such as an abort) and performs its outputs. */
	tell(change: (nowMs: number) => void): void {
		if (!this.isClosed) this.#task.update(change);
	}

	private get isClosed(): boolean {
		return (this.#flags & CLOSED) !== 0;
	}

	/** True when the link handles parity. */
	private get isSoftware(): boolean {
		const { anyFraming, port } = this.#options;
		return anyFraming === true || !port.hardwareParity;
	}

	private receive(nowMs: number): void {
		const into = this.#received;
		const { machine, tap } = this.#options;
		this.#flags &= ~BEHIND;
		for (let pieces = 0; !this.isClosed; pieces++) {
			if (pieces === PIECES_LIMIT) {
				this.#flags |= BEHIND;
				return;
			}
			const count = this.#serial.read(into);
			if (count === undefined) return;
			if (this.#format === FORMAT_7E1 && this.isSoftware) {
				this.#parity ??= new ParityFilter();
				this.#parity.filter(into, 0, count);
			}
			tap?.bytes(TAP_RECEIVED, into, 0, count, nowMs);
			machine.receive(into, 0, count, nowMs);
			// The answer to one piece is sent before the next one is read.
			this.drain(nowMs);
		}
	}

	/** Performs the machine's outputs as far as the port takes them. Called by the driver. */
	drain(nowMs: number): void {
		const { machine } = this.#options;
		while (!this.isClosed && this.flush() && this.settleLine(nowMs)) {
			const output = machine.poll();
			if (output.kind === OUTPUT_NONE) return;
			if (output.kind === OUTPUT_TRANSMIT) this.load(output, nowMs);
			else if (output.kind === OUTPUT_LINE) this.#next = { baud: output.baud, format: output.format };
			else if (output.kind === OUTPUT_EVENT) this.#options.onEvent(output.code);
		}
	}

	/** Writes the loaded bytes; returns true when the port has taken all of them. */
	private flush(): boolean {
		const bytes = this.#transmit;
		if (bytes === undefined) return true;
		const end = Math.min(this.#sent + this.#writable, bytes.length);
		if (end > this.#sent) {
			this.#flags |= DRAINING;
			this.#writable = this.#serial.write(bytes, this.#sent, end);
			this.#sent = end;
		}
		if (end < bytes.length) return false;
		this.#transmit = undefined;
		return true;
	}

	/** Performs a due line change; returns false while it must wait for bytes to leave. */
	private settleLine(nowMs: number): boolean {
		const line = this.#next;
		if (line === undefined) return true;
		if (this.#flags & DRAINING) return false;
		const { baud } = line;
		this.#format = line.format;
		this.#serial.configure({ baud, format: this.format });
		this.#options.tap?.line(baud, nowMs);
		this.#next = undefined;
		return true;
	}

	private load({ bytes, start, end }: Output, nowMs: number): void {
		const copy = bytes.slice(start, end);
		this.#transmit = copy;
		this.#sent = 0;
		this.#options.tap?.bytes(TAP_TRANSMITTED, copy, 0, copy.length, nowMs);
		if (this.#format === FORMAT_7E1 && this.isSoftware) addParity(copy, 0, copy.length);
	}
}

/** Marks a change of the port only: the drain that follows performs waiting outputs. */
function changeNothing(): void {}
