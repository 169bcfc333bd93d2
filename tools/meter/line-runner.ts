/**
 * Runs a meter's machine on a pseudo-terminal or serial port, in real time.
 *
 * With `pace` (pseudo-terminals) the wire is modelled in both directions: what the meter sends goes out character by
 * character, each at its moment counted from the start of the message, so that late timers don't add up; a request that
 * came in one piece has ended when its characters would have; and a reader whose speed is not the line's sees garbage,
 * as does the meter. Without it everything goes at once.
 *
 * A pseudo-terminal carries eight bits. Readers that frame 7E1 in software send the parity bit, others none: the
 * answer takes the form of the last sign-on, whose `/` is AF or 2F. While the machine has the line at 8N1, bytes pass as
 * they are.
 */
import { BITS_PER_CHARACTER, decodeCharacter, encodeCharacter, Garbler } from "../../hosts/node/wire-character.js";
import { FORMAT_7E1, FORMAT_8N1, type SerialFormat } from "../../modules/io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { OPENING_BAUD } from "./iec-meter.js";
import type { LinePort } from "./line-port.js";

export interface LineRunnerOptions {
	port: LinePort;
	machine: Machine;
	/** Model the wire's speed. Default false. */
	pace?: boolean;
	/** The head sends back what it receives. Default false. */
	echo?: boolean;
	/** Send the parity bit until a sign-on tells. Default false. */
	parityBits?: boolean;
	/** Hears the event codes of the machine. */
	onEvent?: (code: number) => void;
}

/** Timers are set no shorter than this; at high speeds a few characters go together. */
const BURST_MS = 8;
/** A timer later than this is not made up for. */
const LATENESS_LIMIT_MS = 50;
/** The reader's speed at the end of a request is looked at so much before, for the reader's clock may be ahead. */
const SPEED_CHECK_MS = 10;

const SIGN_ON_WITH_PARITY = 0xaf;
const SIGN_ON = 0x2f;

/** Bytes on their way to the reader, as they are on the wire, each at its moment. */
interface Message {
	readonly bytes: Uint8Array;
	readonly startMs: number;
	readonly baud: number;
	readonly isEcho: boolean;
	sent: number;
}

export class LineRunner {
	readonly #options: LineRunnerOptions;
	readonly #port: LinePort;
	readonly #machine: Machine;
	readonly #garbler = new Garbler();
	readonly #sending: Message[] = [];
	#hasParity: boolean;
	#baud = OPENING_BAUD;
	#format: SerialFormat = FORMAT_7E1;
	#sendEndMs = 0;
	#receiveEndMs = 0;
	/** Settles when all that came has ended. */
	#arrived = Promise.resolve();
	#sendTimer: NodeJS.Timeout | undefined;
	#machineTimer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(options: LineRunnerOptions) {
		this.#options = options;
		this.#port = options.port;
		this.#machine = options.machine;
		this.#hasParity = options.parityBits ?? false;
		this.#port.onData((bytes) => this.#arrive(bytes));
		this.#pump(performance.now());
		this.#advance();
	}

	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#sendTimer);
		clearTimeout(this.#machineTimer);
	}

	#arrive(bytes: Uint8Array): void {
		const nowMs = performance.now();
		if (!this.#options.pace) {
			if (this.#options.echo) this.#port.write(bytes);
			this.#receive(bytes, nowMs);
			return;
		}
		const startMs = Math.max(nowMs, this.#receiveEndMs);
		const endMs = startMs + bytes.length * characterMs(this.#baud);
		this.#receiveEndMs = endMs;
		if (this.#options.echo) this.#queue(bytes, startMs, true);
		const baudAtStart = this.#readerBaud();
		this.#arrived = this.#arrived.then(() => this.#understand(bytes, endMs, baudAtStart));
	}

	/** Waits for the end of a request; who sent at another speed, or changed it too early, isn't understood. */
	async #understand(bytes: Uint8Array, endMs: number, baudAtStart: Promise<number>): Promise<void> {
		const baud = this.#baud;
		const atStart = await baudAtStart;
		await waitUntil(endMs - SPEED_CHECK_MS);
		const atEnd = await this.#readerBaud();
		await waitUntil(endMs);
		if (this.#isClosed) return;
		const wrong = [atStart, atEnd].find((other) => other !== baud);
		this.#receive(wrong === undefined ? bytes : this.#garble(bytes, baud / wrong), endMs);
	}

	#receive(wire: Uint8Array, nowMs: number): void {
		const bytes = wire.map((byte) => {
			if (this.#format === FORMAT_8N1) return byte;
			if (byte === SIGN_ON_WITH_PARITY || byte === SIGN_ON) this.#hasParity = byte === SIGN_ON_WITH_PARITY;
			return this.#hasParity ? decodeCharacter(byte) : byte & 0x7f;
		});
		this.#machine.receive(bytes, 0, bytes.length, nowMs);
		this.#pump(nowMs);
		this.#advance();
	}

	/** Gives the machine its time: each deadline at its own moment, however late the timer is. */
	#advance(): void {
		const nowMs = performance.now();
		while (this.#machine.deadlineMs <= nowMs) {
			const dueMs = Math.max(this.#machine.deadlineMs, nowMs - LATENESS_LIMIT_MS);
			this.#machine.advance(dueMs);
			this.#pump(dueMs);
		}
		clearTimeout(this.#machineTimer);
		if (this.#isClosed || this.#machine.deadlineMs === Number.POSITIVE_INFINITY) return;
		this.#machineTimer = setTimeout(() => this.#advance(), Math.ceil(this.#machine.deadlineMs - nowMs));
	}

	#pump(nowMs: number): void {
		for (;;) {
			const output = this.#machine.poll();
			if (output.kind === OUTPUT_NONE) return;
			if (output.kind === OUTPUT_EVENT) this.#options.onEvent?.(output.code);
			if (output.kind === OUTPUT_LINE) {
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
		if (this.#format === FORMAT_8N1) return bytes;
		return bytes.map((byte) => (this.#hasParity ? encodeCharacter(byte) : byte & 0x7f));
	}

	#garble(bytes: Uint8Array, ratio: number): Uint8Array {
		return Uint8Array.from([...bytes].flatMap((byte) => this.#garbler.garble(byte, ratio)));
	}

	#queue(bytes: Uint8Array, fromMs: number, isEcho: boolean): void {
		const startMs = Math.max(fromMs, this.#sendEndMs);
		this.#sendEndMs = startMs + bytes.length * characterMs(this.#baud);
		this.#sending.push({ bytes, startMs, baud: this.#baud, isEcho, sent: 0 });
		if (this.#sending.length === 1) this.#scheduleSend();
	}

	#scheduleSend(): void {
		const message = this.#sending[0];
		if (message === undefined || this.#isClosed) return;
		const eachMs = characterMs(message.baud);
		const left = message.bytes.length - message.sent;
		const count = Math.min(left, Math.max(1, Math.round(BURST_MS / eachMs)));
		const dueMs = message.startMs + (message.sent + count) * eachMs;
		this.#sendTimer = setTimeout(() => void this.#sendDue(message), Math.max(0, dueMs - performance.now()));
	}

	async #sendDue(message: Message): Promise<void> {
		const readerBaud = await this.#readerBaud();
		if (this.#isClosed) return;
		const elapsedMs = performance.now() - message.startMs;
		// Half a millisecond: a timer may come that much too soon.
		const due = Math.min(message.bytes.length, Math.floor((elapsedMs + 0.5) / characterMs(message.baud)));
		if (due > message.sent) {
			const bytes = message.bytes.subarray(message.sent, due);
			message.sent = due;
			// An echo is there at the speed that it was sent at.
			if (message.isEcho) this.#port.write(bytes);
			else this.#send(bytes, message.baud, readerBaud);
		}
		if (message.sent === message.bytes.length) this.#sending.shift();
		this.#scheduleSend();
	}

	#send(wire: Uint8Array, baud: number, readerBaud: number): void {
		this.#port.write(readerBaud === baud ? wire : this.#garble(wire, readerBaud / baud));
	}

	/** The reader's speed; the line's own where it can't be known. */
	async #readerBaud(): Promise<number> {
		return (await this.#port.readerBaud?.().catch(() => undefined)) ?? this.#baud;
	}
}

function characterMs(baud: number): number {
	return (BITS_PER_CHARACTER * 1000) / baud;
}

async function waitUntil(timeMs: number): Promise<void> {
	const delayMs = timeMs - performance.now();
	if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(delayMs)));
}
