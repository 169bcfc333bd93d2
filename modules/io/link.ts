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
 * nobody else waiting.
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
	onClosed(): void;
}

/** There may be more to read: it is due at once. */
const BEHIND = 1;
/** Bytes were written and `onDrained` has not come yet. */
const DRAINING = 2;
const CLOSED = 4;

/** The port calls it back itself: closures in its place would take 45 slots. */
export class Link implements ScheduledMachine, SerialOptions {
	readonly #task: Task;
	readonly #options: LinkOptions;
	readonly #serial: Serial;
	/** Undefined where parity is the port's work, or there has been none yet. */
	#parity: ParityFilter | undefined;
	readonly #received = new Uint8Array(RECEIVE_PIECE);
	/** What the port has not taken yet, from `#sent` on. */
	#transmit: Uint8Array | undefined;
	#sent = 0;
	#writable = 0;
	/** As the machine wants it. */
	#format: SerialFormat;
	/** A line change that waits for the drain. */
	#next: LineSettings | undefined;
	/** BEHIND, DRAINING, CLOSED: one number, since each field takes a slot. */
	#flags = 0;

	/** Throws when the port can't be opened. The machine runs from the next turn of the host on. */
	constructor(driver: Driver, options: LinkOptions) {
		const { port, line, tap } = options;
		this.#options = options;
		this.#format = line.format;
		this.#serial = new port.io(this, port.pins);
		tap?.line(line.baud, driver.nowMs());
		this.#task = driver.register("link", this);
	}

	/** For the port, as what follows. */
	get baud(): number {
		return this.#options.line.baud;
	}

	get format(): SerialFormat {
		return this.isSoftware ? FORMAT_8N1 : this.#format;
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
		// Not when it is closed.
		this.#task.fromHost(() => {
			this.close();
			this.#options.onClosed();
		});
	}

	/** For the driver, as what follows: those of the machine. */
	get deadlineMs(): number {
		return this.#flags & BEHIND ? 0 : this.#options.machine.deadlineMs;
	}

	advance(nowMs: number): void {
		if (this.#flags & BEHIND) this.receive(nowMs);
		this.#options.machine.advance(nowMs);
	}

	/** Ends the work; the machine is not called again. */
	close(): void {
		if (this.isClosed) return;
		this.#flags |= CLOSED;
		this.#task.stop();
		this.#serial.close();
	}

	/** Tells the machine something from outside (an end, a connection to make), so that its outputs go out. */
	tell(change: (nowMs: number) => void): void {
		if (!this.isClosed) this.#task.update(change);
	}

	private get isClosed(): boolean {
		return (this.#flags & CLOSED) !== 0;
	}

	/** Parity is not the port's work. */
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
			// What it answers to one piece goes out before the next is looked at.
			this.drain(nowMs);
		}
	}

	/** Carries out the machine's outputs as far as the port takes them. */
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

	/** Writes what is loaded; true when all of it is with the port. */
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

	/** Makes a line change that is due; false while it must wait for bytes to leave. */
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

/** The port has changed, not the machine: what it has to say may go on. */
function changeNothing(): void {}
