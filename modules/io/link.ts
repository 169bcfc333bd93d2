/**
 * Runs a protocol machine, such as a meter session, on a serial port.
 *
 * Outputs keep their order: a line change waits for `onDrained`, and the machine is not polled until then. Without
 * hardware parity, or where the meter may send 8N1 (mode D), software handles 7E1: the machine gets characters of 7
 * bits, and a byte of 0x80 or above for each damaged character.
 *
 * A tick reads at most PIECES_LIMIT pieces of RECEIVE_PIECE bytes, so that a steady sender can't block other tasks.
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
import { type LinkMachine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "./machine.js";

const RECEIVE_PIECE = 64;
const PIECES_LIMIT = 8;

/** Directions of bytes. */
export const RECEIVED = 0;
export const TRANSMITTED = 1;

/** Log of the line, without parity bits and secrets. A byte of 0x80 or above is a damaged character. */
export interface LinkLog {
	bytes(direction: number, bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	line(baud: number, nowMs: number): void;
}

/** Owner of a link. It is an object, because closures would take XS slots. */
export interface LinkListener {
	readonly log?: LinkLog | undefined;
	/** Called for bytes in this direction, before the machine receives them, and when it has sent some. */
	linkTraffic?(direction: number, bytes: Uint8Array, start: number, end: number): void;
	/** The line has this speed now, Bd. */
	linkSpeed?(baud: number): void;
	/** Called for each event of the machine; it may close the link. */
	linkEvent?(code: number): void;
	/** The link has closed itself, because its port failed. */
	linkClosed(): void;
}

export interface LinkOptions {
	readonly port: SerialPort;
	readonly machine: LinkMachine;
	readonly listener: LinkListener;
}

/** The port may have more received bytes. */
const BEHIND = 1;
const DRAINING = 2;
const CLOSED = 4;

/** The object is also the options of the port, because closures would take 45 XS slots. */
export class Link implements ScheduledMachine, SerialOptions {
	readonly #task: Task;
	readonly #options: LinkOptions;
	readonly #serial: Serial;
	/** Undefined if the hardware handles parity, or as long as the line is not 7E1. */
	#parity: ParityFilter | undefined;
	readonly #received = new Uint8Array(RECEIVE_PIECE);
	/** Bytes to send. The first `#sent` of them were passed to the port. */
	#transmit: Uint8Array | undefined;
	#sent = 0;
	#writable = 0;
	#format: SerialFormat;
	#next: LineSettings | undefined;
	/** BEHIND, DRAINING and CLOSED in one number, which saves XS slots. */
	#flags = 0;

	/** Throws if the port can't be opened. The machine starts in the next tick. */
	constructor(driver: Driver, options: LinkOptions) {
		const { port, machine } = options;
		const { baud, format } = machine.line;
		this.#options = options;
		this.#format = format;
		this.#serial = new port.io(this, port.pins);
		this.reportSpeed(baud, driver.nowMs());
		this.#task = driver.register("link", this);
	}

	/** Initial speed, which the port reads from its options. */
	get baud(): number {
		return this.#options.machine.line.baud;
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
		this.#task.fromHost(() => {
			this.close();
			this.#options.listener.linkClosed();
		});
	}

	get deadlineMs(): number {
		return this.#flags & BEHIND ? 0 : this.#options.machine.deadlineMs;
	}

	/**
	 * First passes waiting bytes to the machine. An erase of flash may have blocked the script until after the deadline,
	 * while bytes arrived.
	 */
	advance(nowMs: number): void {
		const { machine } = this.#options;
		this.receive(nowMs);
		if (!this.isClosed && nowMs >= machine.deadlineMs) machine.advance(nowMs);
	}

	close(): void {
		if (this.isClosed) return;
		this.#flags |= CLOSED;
		this.#task.stop();
		this.#serial.close();
	}

	/** Calls `change`, which changes the machine, then performs the machine's outputs. */
	update(change: (nowMs: number) => void): void {
		if (!this.isClosed) this.#task.update(change);
	}

	private get isClosed(): boolean {
		return (this.#flags & CLOSED) !== 0;
	}

	private get isSoftware(): boolean {
		const { machine, port } = this.#options;
		return machine.anyFraming === true || !port.hardwareParity;
	}

	private receive(nowMs: number): void {
		const into = this.#received;
		const { machine } = this.#options;
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
			this.reportBytes(RECEIVED, into, count, nowMs);
			machine.receive(into, 0, count, nowMs);
			// Outputs are handled before the next piece is read.
			this.drain(nowMs);
		}
	}

	drain(nowMs: number): void {
		const { machine } = this.#options;
		while (!this.isClosed && this.flush() && this.settleLine(nowMs)) {
			const output = machine.poll();
			if (output.kind === OUTPUT_NONE) return;
			if (output.kind === OUTPUT_TRANSMIT) this.load(output, nowMs);
			else if (output.kind === OUTPUT_LINE) this.#next = { baud: output.baud, format: output.format };
			else if (output.kind === OUTPUT_EVENT) this.#options.listener.linkEvent?.(output.code);
		}
	}

	/** Returns true if the port has accepted all bytes. */
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

	/** Changes the line if the machine has asked for a change. Returns false while earlier bytes must be sent first. */
	private settleLine(nowMs: number): boolean {
		const line = this.#next;
		if (line === undefined) return true;
		if (this.#flags & DRAINING) return false;
		const { baud } = line;
		this.#format = line.format;
		this.#serial.configure({ baud, format: this.format });
		this.reportSpeed(baud, nowMs);
		this.#next = undefined;
		return true;
	}

	private load({ bytes, start, end }: Output, nowMs: number): void {
		const copy = bytes.slice(start, end);
		this.#transmit = copy;
		this.#sent = 0;
		this.reportBytes(TRANSMITTED, copy, copy.length, nowMs);
		if (this.#format === FORMAT_7E1 && this.isSoftware) addParity(copy, 0, copy.length);
	}

	private reportBytes(direction: number, bytes: Uint8Array, count: number, nowMs: number): void {
		const { machine, listener } = this.#options;
		const { log } = listener;
		log?.bytes(direction, machine.shown?.(direction, bytes, 0, count) ?? bytes, 0, count, nowMs);
		listener.linkTraffic?.(direction, bytes, 0, count);
	}

	private reportSpeed(baud: number, nowMs: number): void {
		const { listener } = this.#options;
		listener.log?.line(baud, nowMs);
		listener.linkSpeed?.(baud);
	}
}

/** Passed when only the port has changed. The drain that follows performs the waiting outputs. */
function changeNothing(): void {}
