/**
 * Runs a meter's machine on a pseudo-terminal or serial port, in real time.
 *
 * With `pace` (for pseudo-terminals), the speed of a wire is simulated in both directions. Each character is sent at
 * its own time, counted from the start of the message, so that delays of timers do not add up. A request received in
 * one piece ends when its last character would have arrived. If the speeds differ, both sides receive garbage.
 *
 * The meter's time stops while this process does not run (LineClock). A pseudo-terminal does not tell when the reader
 * wrote a request, or at what speed. A request is garbled if the reader has a wrong speed when it arrives, unless the
 * reader may have changed its speed after it wrote the request.
 *
 * A pseudo-terminal carries eight bits. Readers that make 7E1 characters in software send the parity bit; other readers
 * do not. The answer has the parity bit if the last sign-on had it: the `/` of that sign-on was AF then, otherwise 2F.
 * While the machine uses the line at 8N1, bytes pass unchanged.
 */
import {
	BITS_PER_CHARACTER,
	decodeCharacter,
	encodeCharacter,
	FaultInjector,
	type LitMachine,
} from "../../hosts/node/wire-character.js";
import { FORMAT_7E1, type SerialFormat } from "../../modules/io/host.js";
import { OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { OPENING_BAUD } from "./iec-meter.js";
import { LineClock } from "./line-clock.js";
import type { LinePort } from "./line-port.js";

export interface LineRunnerOptions {
	port: LinePort;
	machine: LitMachine;
	/** True if the wire's speed is simulated. */
	pace?: boolean;
	/** True if the optical head echoes. */
	echo?: boolean;
	/** True if the parity bit is sent before the first sign-on. The sign-on then decides. */
	parityBits?: boolean;
	onEvent?: (code: number) => void;
}

/** Shortest interval of the timer. At high speeds a few characters are sent together. */
const BURST_MS = 8;
/** Longest wait until a reader has changed its speed. A reader that makes the usual pause needs less than 1.5 s. */
const FOLLOW_LIMIT_MS = 1000;
const FOLLOW_LOOK_MS = 10;
/** The reader's speed is checked this long before the end of a request, because the reader's clock may be fast. */
const SPEED_CHECK_MS = 10;

const SIGN_ON_WITH_PARITY = 0xaf;
const SIGN_ON = 0x2f;

interface Message {
	readonly bytes: Uint8Array;
	readonly startMs: number;
	readonly baud: number;
	readonly isEcho: boolean;
	/** Time until which the message waits for the reader to change its speed. Undefined until the message is due. */
	followsUntilMs: number | undefined;
	sent: number;
}

/**
 * Received characters. `startMs` and `endMs` are in the line's time. `earliestMs` is the earliest end, by
 * performance.now().
 */
interface Arrival {
	readonly bytes: Uint8Array;
	readonly startMs: number;
	readonly endMs: number;
	readonly earliestMs: number;
	readonly isFirst: boolean;
}

/** The reader's speed, and the time by performance.now() at which it was checked. */
interface Speed {
	readonly baud: number;
	readonly atMs: number;
}

export class LineRunner {
	readonly #options: LineRunnerOptions;
	readonly #port: LinePort;
	readonly #machine: LitMachine;
	readonly #clock = new LineClock();
	readonly #faultInjector = new FaultInjector();
	readonly #sending: Message[] = [];
	#hasParity: boolean;
	#baud = OPENING_BAUD;
	#format: SerialFormat = FORMAT_7E1;
	#sendEndMs = 0;
	#receiveEndMs = 0;
	#arrived = Promise.resolve();
	#litMs = 0;
	#arriving = 0;
	#knownBaud = OPENING_BAUD;
	#isNewSpeed = false;
	#sendTimer: NodeJS.Timeout | undefined;
	#machineTimer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(options: LineRunnerOptions) {
		this.#options = options;
		this.#port = options.port;
		this.#machine = options.machine;
		this.#hasParity = options.parityBits ?? false;
		this.#port.onData((bytes) => this.#arrive(bytes));
		this.#performOutputs(this.#clock.nowMs);
		this.#advance();
	}

	close(): void {
		this.#isClosed = true;
		this.#clock.watch(false);
		clearTimeout(this.#sendTimer);
		clearTimeout(this.#machineTimer);
	}

	#arrive(bytes: Uint8Array): void {
		const { nowMs, seenMs, isWatching } = this.#clock;
		if (this.#machine.light !== undefined) void this.#receiveLight(bytes.length, nowMs);
		if (!this.#options.pace) {
			if (this.#options.echo) this.#port.write(bytes);
			this.#receive(bytes, nowMs, nowMs);
			return;
		}
		const startMs = Math.max(nowMs, this.#receiveEndMs);
		const wireMs = bytes.length * characterMs(this.#baud);
		this.#receiveEndMs = startMs + wireMs;
		if (this.#options.echo) this.#queue(bytes, startMs, true);
		const earliestMs = seenMs + wireMs;
		const arrival = { bytes, startMs, endMs: this.#receiveEndMs, earliestMs, isFirst: !isWatching };
		this.#arriving++;
		this.#clock.watch(true);
		const knownBaud = this.#knownBaud;
		const atStart = this.#readerSpeed();
		this.#arrived = this.#arrived.then(() => this.#receiveRequest(arrival, knownBaud, atStart));
	}

	/**
	 * Receives characters as light, whatever their speed. The characters of a flash may arrive together or in pieces.
	 * Therefore the light of a piece begins where the light of the previous piece ended.
	 */
	async #receiveLight(count: number, nowMs: number): Promise<void> {
		const { baud } = await this.#readerSpeed();
		const fromMs = Math.max(nowMs, this.#litMs);
		this.#litMs = fromMs + count * characterMs(baud);
		this.#machine.light?.(fromMs, this.#litMs);
	}

	/** Receives a request. It is not understood if its speed is wrong or was changed too early. */
	async #receiveRequest(arrival: Arrival, knownBaud: number, atStart: Promise<Speed>): Promise<void> {
		const { bytes, startMs, endMs, earliestMs, isFirst } = arrival;
		const baud = this.#baud;
		const speeds = [await atStart];
		const checkMs = earliestMs - SPEED_CHECK_MS - performance.now();
		if (checkMs > 0) await new Promise((resolve) => setTimeout(resolve, checkMs));
		speeds.push(await this.#readerSpeed());
		await this.#clock.until(endMs);
		this.#arriving--;
		if (this.#isClosed) return;
		const wrong = speeds.find(
			(speed) => speed.baud !== baud && (speed.atMs <= earliestMs || isFirst || speed.baud === knownBaud),
		);
		this.#receive(wrong === undefined ? bytes : this.#garble(bytes, baud / wrong.baud), startMs, endMs);
	}

	/**
	 * Passes each character on with its own time, because the first one of an acknowledgement extends the time for the
	 * rest.
	 */
	#receive(wire: Uint8Array, startMs: number, endMs: number): void {
		const bytes = wire.map((byte) => {
			if (this.#format !== FORMAT_7E1) return byte;
			if (byte === SIGN_ON_WITH_PARITY || byte === SIGN_ON) this.#hasParity = byte === SIGN_ON_WITH_PARITY;
			return this.#hasParity ? decodeCharacter(byte) : byte & 0x7f;
		});
		for (let i = 0; i < bytes.length; i++) {
			const nowMs = startMs + ((endMs - startMs) * (i + 1)) / bytes.length;
			this.#machine.receive(bytes, i, i + 1, nowMs);
			this.#performOutputs(nowMs);
		}
		this.#advance();
	}

	/** Advances the machine. It gets the exact time of each deadline, however late the timer is. */
	#advance(): void {
		clearTimeout(this.#machineTimer);
		if (this.#isClosed) return;
		const { nowMs } = this.#clock;
		// Bytes that are still on the wire are received first, even if a deadline has passed in the meantime.
		while (this.#arriving === 0 && this.#machine.deadlineMs <= nowMs) {
			const dueMs = this.#machine.deadlineMs;
			this.#machine.advance(dueMs);
			this.#performOutputs(dueMs);
		}
		this.#watch();
		if (this.#arriving > 0 || this.#machine.deadlineMs === Number.POSITIVE_INFINITY) return;
		this.#machineTimer = setTimeout(() => this.#advance(), Math.ceil(this.#machine.deadlineMs - nowMs));
	}

	#watch(): void {
		const isWaiting = this.#arriving > 0 || this.#sending.length > 0;
		this.#clock.watch(isWaiting || this.#machine.deadlineMs !== Number.POSITIVE_INFINITY);
	}

	#performOutputs(nowMs: number): void {
		for (;;) {
			const output = this.#machine.poll();
			if (output.kind === OUTPUT_NONE) return;
			if (output.kind === OUTPUT_EVENT) this.#options.onEvent?.(output.code);
			if (output.kind === OUTPUT_LINE) {
				this.#isNewSpeed = output.baud !== this.#baud;
				this.#baud = output.baud;
				this.#format = output.format;
				this.#port.changeBaud?.(output.baud);
			}
			if (output.kind !== OUTPUT_TRANSMIT) continue;
			const wire = this.#encode(output.bytes.slice(output.start, output.end));
			if (this.#options.pace) this.#queue(wire, nowMs, false);
			else this.#port.write(wire);
		}
	}

	#encode(bytes: Uint8Array): Uint8Array {
		if (this.#format !== FORMAT_7E1) return bytes;
		return bytes.map((byte) => (this.#hasParity ? encodeCharacter(byte) : byte & 0x7f));
	}

	#garble(bytes: Uint8Array, ratio: number): Uint8Array {
		return Uint8Array.from([...bytes].flatMap((byte) => this.#faultInjector.garble(byte, ratio)));
	}

	#queue(bytes: Uint8Array, fromMs: number, isEcho: boolean): void {
		const startMs = Math.max(fromMs, this.#sendEndMs);
		this.#sendEndMs = startMs + bytes.length * characterMs(this.#baud);
		const follows = this.#isNewSpeed && !isEcho;
		if (follows) this.#isNewSpeed = false;
		const followsUntilMs = follows ? undefined : 0;
		this.#sending.push({ bytes, startMs, baud: this.#baud, isEcho, followsUntilMs, sent: 0 });
		this.#watch();
		if (this.#sending.length === 1) this.#scheduleSend();
	}

	#scheduleSend(): void {
		const message = this.#sending[0];
		if (message === undefined || this.#isClosed) return;
		const eachMs = characterMs(message.baud);
		const left = message.bytes.length - message.sent;
		const count = Math.min(left, Math.max(1, Math.round(BURST_MS / eachMs)));
		const dueMs = message.startMs + (message.sent + count) * eachMs;
		this.#sendTimer = setTimeout(() => void this.#sendDue(message), Math.max(0, dueMs - this.#clock.nowMs));
	}

	async #sendDue(message: Message): Promise<void> {
		const { baud: readerBaud, atMs } = await this.#readerSpeed();
		if (this.#isClosed) return;
		if (this.#isFollowed(message, readerBaud, atMs)) {
			const elapsedMs = this.#clock.nowMs - message.startMs;
			// A timer may be half a millisecond early.
			const due = Math.min(message.bytes.length, Math.floor((elapsedMs + 0.5) / characterMs(message.baud)));
			if (due > message.sent) {
				const bytes = message.bytes.subarray(message.sent, due);
				message.sent = due;
				// An echo comes back at the speed at which the reader sent it, so it is not garbled.
				if (message.isEcho) this.#port.write(bytes);
				else this.#send(bytes, message.baud, readerBaud);
			}
			if (message.sent === message.bytes.length) this.#sending.shift();
			this.#scheduleSend();
		} else this.#sendTimer = setTimeout(() => void this.#sendDue(message), FOLLOW_LOOK_MS);
		this.#watch();
	}

	/**
	 * Returns true if the reader has changed to the speed of the message, or if its time for the change is over. Until
	 * then the line's time is stopped.
	 */
	#isFollowed(message: Message, readerBaud: number, nowMs: number): boolean {
		message.followsUntilMs ??= nowMs + FOLLOW_LIMIT_MS;
		if (readerBaud === message.baud) message.followsUntilMs = 0;
		const isFollowed = nowMs >= message.followsUntilMs;
		this.#clock.hold(!isFollowed);
		return isFollowed;
	}

	#send(wire: Uint8Array, baud: number, readerBaud: number): void {
		this.#port.write(readerBaud === baud ? wire : this.#garble(wire, readerBaud / baud));
	}

	async #readerSpeed(): Promise<Speed> {
		const baud = (await this.#port.readerBaud?.().catch(() => undefined)) ?? this.#baud;
		this.#knownBaud = baud;
		return { baud, atMs: performance.now() };
	}
}

function characterMs(baud: number): number {
	return (BITS_PER_CHARACTER * 1000) / baud;
}
