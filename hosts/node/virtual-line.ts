/**
 * A serial port of the virtual world, and its wire to a meter. The meter is any sans-io machine.
 *
 * A character takes 10 bits in 7E1 and 8N1 (IEC 62056-21, 5.2), and 11 bits in 8E1 and 8N2. It arrives unchanged only
 * if the receiver has the same speed and frame as the sender the whole time. Simulated meters send damaged characters
 * as bytes of 0x80 or above, because at 7E1 such a byte is sent with a wrong parity bit.
 */
import {
	FORMAT_7E1,
	type GPIOs,
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
import type { Machine } from "../../modules/io/machine.js";
import type { SeededRandom } from "./random.js";
import { MeterEnd, type MeterWire } from "./virtual-meter-end.js";
import type { VirtualTime } from "./virtual-time.js";
import { bitsOf, decodeCharacter, encodeCharacter, FaultInjector, isSameFrame } from "./wire-character.js";

export const SERIAL_SEND_LIMIT = 256;

export interface VirtualLineOptions {
	/** True if the port checks parity in hardware. Otherwise it always uses 8N1. Default: true. */
	hardwareParity?: boolean;
	/** True if the optical head echoes each character that it sends. */
	echo?: boolean;
	/** On average, one in this many characters has a flipped bit. 0, the default, means none. */
	noise?: number;
	/** True if the port can invert its lines. Default: false. */
	canInvert?: boolean;
	/** GPIOs of the port. Default: none. */
	gpios?: GPIOs;
}

export class VirtualLine implements SerialPort, MeterWire {
	readonly io = VirtualSerial;
	readonly pins: { readonly line: VirtualLine };
	readonly hardwareParity: boolean;
	echo: boolean;
	noise: number;
	/** True if the line to the gateway, or from it, is low when idle, as at a P1 port. */
	receivesInverted = false;
	sendsInverted = false;
	/** Lines that the port inverts. */
	inverts: readonly [receive: boolean, transmit: boolean] = [false, false];
	readonly invert?: NonNullable<SerialPort["invert"]>;
	readonly isIdle?: NonNullable<SerialPort["isIdle"]>;
	readonly gpios?: GPIOs;
	/** GPIOs that the gateway has chosen; -1: those of the board. */
	chosen: readonly [receive: number, transmit: number] = [-1, -1];
	readonly meterEvents: number[] = [];
	sentByGateway = 0;
	sentByMeter = 0;
	/** Time at which the last character ended, in either direction. */
	quietSinceMs = 0;
	readonly #time: VirtualTime;
	readonly #random: SeededRandom;
	#gateway: VirtualSerial | undefined;
	#meter: MeterEnd | undefined;
	#isPluggedIn = true;

	constructor(time: VirtualTime, random: SeededRandom, options: VirtualLineOptions = {}) {
		this.#time = time;
		this.#random = random;
		this.pins = Object.freeze({ line: this });
		this.hardwareParity = options.hardwareParity ?? true;
		this.echo = options.echo ?? false;
		this.noise = options.noise ?? 0;
		if (options.gpios !== undefined) this.gpios = options.gpios;
		if (!options.canInvert) return;
		this.invert = (receive, transmit) => (this.inverts = [receive, transmit]);
		this.isIdle = () => this.inverts[0] === this.receivesInverted;
	}

	choose(receive: number, transmit: number): void {
		this.chosen = [receive, transmit];
	}

	get time(): VirtualTime {
		return this.#time;
	}

	get meterLine(): LineSettings | undefined {
		return this.#meter?.line;
	}

	get isOpen(): boolean {
		return this.#gateway !== undefined;
	}

	connect(meter: Machine | undefined): void {
		this.#meter?.disconnect();
		this.#meter = meter === undefined ? undefined : new MeterEnd(this, meter);
	}

	/** Unplugs the port. The open Serial gets SERIAL_ERROR_GONE, and none can be opened until `plugIn`. */
	unplug(): void {
		this.#isPluggedIn = false;
		const gateway = this.#gateway;
		this.#gateway = undefined;
		gateway?.vanish();
	}

	plugIn(): void {
		this.#isPluggedIn = true;
	}

	open(serial: VirtualSerial): void {
		if (!this.#isPluggedIn) throw new Error("The serial port is not there.");
		if (this.#gateway !== undefined) throw new Error("The serial port is in use.");
		this.#gateway = serial;
	}

	release(serial: VirtualSerial): void {
		if (this.#gateway === serial) this.#gateway = undefined;
	}

	/** Carries a character to the meter. `isWhole` is true if no setting changed while the character was sent. */
	carryToMeter(wire: number, line: LineSettings, startMs: number, isWhole: boolean): void {
		this.sentByGateway++;
		this.quietSinceMs = this.#time.nowMs;
		const sent = this.#disturb(wire);
		const seen = isWhole && this.inverts[1] === this.sendsInverted ? line : { ...line, baud: 0 };
		this.#meter?.arrive(sent, seen, startMs);
		if (this.echo) this.#gateway?.arrive(sent, seen, startMs);
	}

	carryToGateway(wire: number, line: LineSettings, startMs: number): void {
		this.sentByMeter++;
		this.quietSinceMs = this.#time.nowMs;
		this.#gateway?.arrive(this.#disturb(wire), line, startMs, this.inverts[0] !== this.receivesInverted);
	}

	#disturb(wire: number): number {
		return this.#random.oneIn(this.noise) ? wire ^ (1 << this.#random.below(8)) : wire;
	}
}

export class VirtualSerial implements Serial {
	readonly #line: VirtualLine;
	readonly #options: SerialOptions;
	readonly #received = new Uint8Array(SERIAL_RECEIVE_LIMIT);
	readonly #faultInjector = new FaultInjector();
	readonly #sending: number[] = [];
	#receivedCount = 0;
	#baud: number;
	#format: SerialFormat;
	#configuredMs: number;
	#isClosed = false;
	#isGone = false;
	#isBusy = false;
	#owesRoom = false;

	constructor(options: SerialOptions, pins: object) {
		const { line } = pins as { line?: VirtualLine };
		if (line === undefined) throw new Error("give the port's pins as the second argument");
		line.open(this);
		this.#line = line;
		this.#options = options;
		this.#baud = options.baud;
		this.#format = options.format;
		this.#configuredMs = line.time.nowMs;
		this.#post(() => options.onWritable?.(this.#room));
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		if (this.#receivedCount === 0) return undefined;
		const count = Math.min(end - start, this.#receivedCount);
		into.set(this.#received.subarray(0, count), start);
		this.#received.copyWithin(0, count, this.#receivedCount);
		this.#receivedCount -= count;
		return count;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (this.#isClosed || end - start > this.#room)
			throw new RangeError(`${end - start} bytes, room for ${this.#room}`);
		if (this.#isGone) return this.#room;
		const isFramed = this.#line.hardwareParity && this.#format === FORMAT_7E1;
		for (let i = start; i < end; i++) this.#sending.push(isFramed ? encodeCharacter(bytes[i] & 0x7f) : bytes[i]);
		if (end > start) {
			this.#owesRoom = true;
			if (!this.#isBusy) this.#sendNext();
		}
		return this.#room;
	}

	configure(line: LineSettings): void {
		this.#baud = line.baud;
		this.#format = line.format;
		this.#configuredMs = this.#line.time.nowMs;
	}

	close(): void {
		this.#isClosed = true;
		this.#sending.length = 0;
		this.#line.release(this);
	}

	vanish(): void {
		this.#isGone = true;
		this.#sending.length = 0;
		this.#post(() => this.#options.onError?.(SERIAL_ERROR_GONE));
	}

	/**
	 * VirtualLine calls this when the last bit has arrived. The first bit was sent at `startMs`. `baud` is 0 if a change
	 * of the line interrupted the character. `isFlipped`: the line has the other level.
	 */
	arrive(wire: number, { baud, format }: LineSettings, startMs: number, isFlipped = false): void {
		if (!isFlipped && baud === this.#baud && isSameFrame(format, this.#format) && startMs >= this.#configuredMs) {
			this.#take(wire);
			return;
		}
		for (const seen of this.#faultInjector.garble(wire, baud === 0 ? 1 : this.#baud / baud)) this.#take(seen);
	}

	get #room(): number {
		return this.#isClosed ? 0 : SERIAL_SEND_LIMIT - this.#sending.length;
	}

	#take(wire: number): void {
		let byte = wire;
		if (this.#line.hardwareParity && this.#format === FORMAT_7E1) {
			byte = decodeCharacter(wire);
			if (byte >= 0x80) this.#post(() => this.#options.onError?.(SERIAL_ERROR_CHARACTER));
		}
		if (this.#receivedCount === SERIAL_RECEIVE_LIMIT) {
			this.#post(() => this.#options.onError?.(SERIAL_ERROR_OVERRUN));
			return;
		}
		this.#received[this.#receivedCount++] = byte;
		this.#post(() => {
			if (this.#receivedCount > 0) this.#options.onReadable?.(this.#receivedCount);
		});
	}

	#sendNext(): void {
		const time = this.#line.time;
		const startMs = time.nowMs;
		const line: LineSettings = { baud: this.#baud, format: this.#format };
		const wire = this.#sending[0];
		this.#isBusy = true;
		time.at(startMs + (bitsOf(line.format) * 1000) / line.baud, () => {
			this.#isBusy = false;
			if (this.#sending.length === 0) return; // The port was closed or unplugged.
			this.#sending.shift();
			this.#line.carryToMeter(wire, line, startMs, this.#configuredMs <= startMs);
			if (this.#sending.length > 0) this.#sendNext();
			if (this.#owesRoom && this.#sending.length <= SERIAL_SEND_LIMIT / 2) {
				this.#owesRoom = false;
				this.#post(() => this.#options.onWritable?.(this.#room));
			}
			if (this.#sending.length === 0) {
				this.#post(() => {
					if (!this.#isBusy) this.#options.onDrained?.();
				});
			}
		});
	}

	/** Runs each callback in a separate event, never inside a call and never after `close`. */
	#post(callback: () => void): void {
		this.#line.time.at(0, () => {
			if (!this.#isClosed) callback();
		});
	}
}
