/**
 * Identifies unsolicited data. The recogniser listens at each usual speed in turn. It finds the kind of telegram
 * (telegram-scanner.ts) with its speed and framing, or noise. If a burst contains no telegram, the speed is usually
 * wrong. The states and events are:
 *
 *     state     event                               reaction
 *     WAITING   a character arrives                 BURST
 *               nothing arrives for SILENT_MS       ENDED
 *     BURST     a telegram is found                 ENDED
 *               silence                             (a)
 *               the burst is longer than allowed    (b)
 *     both      TIME_MS are over, or abort          ENDED
 *
 *     (a) after TEXT_BURSTS bursts of text: ENDED
 *         the burst is text: WAITING at the same speed
 *         the burst began before the change to this speed: WAITING at the same speed
 *         the burst is the first short one: WAITING at the same speed
 *         otherwise: (b)
 *     (b) after the last speed: ENDED with noise
 *         otherwise: WAITING at the next speed
 *
 * If the line does not have its idle level in the silence after a burst, it is inverted (a P1 port without an inverter),
 * and the recogniser continues with the other level.
 *
 * At the end, `next()` returns the session that was interrupted. It continues unless the result is a final failure.
 */
import { FORMAT_8E1, FORMAT_8N1, type LineSettings, type SerialPort } from "../io/host.js";
import { type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END, type Probing, type ReadSession } from "../readout/protocol.js";
import type { MeterSettings } from "./settings.js";
import { KIND_ASCII, KIND_NOISE, KIND_NONE, KIND_TIC, TelegramScanner } from "./telegram-scanner.js";
import { FRAMING_7E1, FRAMING_8E1, FRAMING_8N1, unsolicitedFailure } from "./unsolicited.js";

/**
 * Speeds, beginning with the most common one. 2400 Bd is tried twice, because M-Bus ports use 8N1 or, as EN 13757-2
 * requires, 8E1.
 */
const BAUDS = Object.freeze([9600, 2400, 115200, 2400, 4800, 19200, 1200, 300, 600, 38400, 57600]);
/** Index in BAUDS of the speed that is tried in 8E1. */
const EVEN_PARITY_SPEED = 3;
/** Longest silence while waiting, ms. Most meters send every 1 to 5 s, some every 10 s. */
export const SILENT_MS = 11_000;
/** Longest time for all speeds together, ms. It is less than the minute that a caller waits. */
const TIME_MS = 45_000;
/** Silence that ends a burst, ms. */
const GAP_MS = 250;
/**
 * Silence that ends a burst of text, ms. It is longer, because meters pause between lines of text (IEC 62056-21,
 * 6.4.5).
 */
const TEXT_GAP_MS = 1800;
/** Longest burst, ms; it suffices for a DLMS push at 2400 Bd. */
const BURST_MS = 2500;
/** Longest burst of text, ms; it suffices for 17 KB at 9600 Bd, or for 1 KB at 300 Bd. */
const TEXT_MS = 35_000;
/**
 * A burst with fewer characters is short. It may be interference, or a telegram that is sent much faster than the
 * line's speed.
 */
const SHORT_BURST = 8;
const SHORT_BURSTS = 2;
const TEXT_BURSTS = 3;

const STATE_WAITING = 0;
const STATE_BURST = 1;
const STATE_ENDED = 2;

export interface Lines {
	readonly port: SerialPort;
	readonly settings: MeterSettings;
}

/** Sets GPIOs and levels of the port's lines. `isFlipped`: the receive line gets the other level. */
export function setLines({ port, settings }: Lines, isFlipped = false): void {
	port.choose?.(settings.rxPin, settings.txPin);
	port.invert?.(settings.rxInverted !== isFlipped, settings.txInverted);
}

export class Recogniser implements ReadSession, Probing {
	readonly line: LineSettings = Object.freeze({ baud: BAUDS[0], format: FORMAT_8N1 });
	failure: Failure | undefined;
	received = 0;
	deadlineMs: number;
	readonly #outputs = new OutputQueue();
	readonly #endsMs: number;
	readonly #lines: Lines;
	#isFlipped = false;
	readonly #interrupted: ReadSession | undefined;
	#scanner = new TelegramScanner();
	#state = STATE_WAITING;
	#speed = 0;
	/** Time of the change to this speed, or end of the last burst at this speed, monotonic ms. */
	#sinceMs: number;
	#beganMs = 0;
	#count = 0;
	#isText = false;
	#shorts = 0;
	#texts = 0;

	constructor(lines: Lines, nowMs: number, endsMs = Number.POSITIVE_INFINITY, interrupted?: ReadSession) {
		this.#lines = lines;
		this.#endsMs = Math.min(endsMs, nowMs + TIME_MS);
		this.#interrupted = interrupted;
		this.#sinceMs = nowMs;
		this.deadlineMs = Math.min(nowMs + SILENT_MS, this.#endsMs);
	}

	get damaged(): number {
		return 0;
	}

	get meterId(): Uint8Array {
		return new Uint8Array(0);
	}

	readout(): undefined {
		return undefined;
	}

	next(): ReadSession | undefined {
		return this.failure?.isFinal ? undefined : this.#interrupted;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.received += end - start;
		if (this.#state === STATE_WAITING) {
			this.#state = STATE_BURST;
			this.#beganMs = nowMs;
			this.#count = 0;
			this.#isText = false;
		}
		this.#count += end - start;
		for (let i = start; i < end; i++) {
			const kind = this.#scanner.scan(bytes[i]);
			if (kind !== KIND_NONE) {
				this.end(kind);
				return;
			}
		}
		if (this.#scanner.readsText) this.#isText = true;
		const gapMs = this.#isText ? TEXT_GAP_MS : GAP_MS;
		this.deadlineMs = Math.min(nowMs + gapMs, this.burstEndsMs, this.#endsMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		if (this.#state === STATE_WAITING || nowMs >= this.#endsMs) this.end(KIND_NONE);
		else if (nowMs >= this.burstEndsMs) this.nextSpeed(nowMs);
		else this.validate(nowMs);
	}

	poll(): Output {
		return this.#outputs.poll();
	}

	abort(_nowMs: number): void {
		if (this.#state !== STATE_ENDED) this.end(KIND_NONE);
	}

	private get burstEndsMs(): number {
		return this.#beganMs + (this.#isText ? TEXT_MS : BURST_MS);
	}

	private validate(nowMs: number): void {
		const isWhole = this.#beganMs >= this.#sinceMs + GAP_MS;
		if (!this.#isFlipped && this.#lines.port.isIdle?.() === false) {
			this.#isFlipped = true;
			setLines(this.#lines, true);
		}
		const isShort = this.#count < SHORT_BURST;
		if (isShort) this.#shorts++;
		if (this.#isText) this.#texts++;
		// Readable text is not noise, but no kind of telegram was found in it.
		if (this.#texts === TEXT_BURSTS) this.end(KIND_NONE);
		else if (this.#isText || !isWhole || (isShort && this.#shorts < SHORT_BURSTS)) this.wait(nowMs - GAP_MS, nowMs);
		else this.nextSpeed(nowMs);
	}

	private nextSpeed(nowMs: number): void {
		if (++this.#speed === BAUDS.length) {
			this.end(KIND_NOISE);
			return;
		}
		this.#outputs.line(BAUDS[this.#speed], this.#speed === EVEN_PARITY_SPEED ? FORMAT_8E1 : FORMAT_8N1);
		this.#scanner = new TelegramScanner();
		this.#shorts = 0;
		this.#texts = 0;
		this.wait(nowMs, nowMs);
	}

	private wait(sinceMs: number, nowMs: number): void {
		this.#state = STATE_WAITING;
		this.#sinceMs = sinceMs;
		this.deadlineMs = Math.min(nowMs + SILENT_MS, this.#endsMs);
	}

	private end(kind: number): void {
		this.#state = STATE_ENDED;
		if (this.#isFlipped) setLines(this.#lines);
		this.deadlineMs = Number.POSITIVE_INFINITY;
		const hasParity = (kind === KIND_ASCII || kind === KIND_TIC) && this.#scanner.hasParity;
		const framing = hasParity ? FRAMING_7E1 : this.#speed === EVEN_PARITY_SPEED ? FRAMING_8E1 : FRAMING_8N1;
		if (kind !== KIND_NONE) this.failure = unsolicitedFailure(kind, BAUDS[this.#speed], framing, this.#isFlipped);
		this.#outputs.event(EVENT_END);
	}
}
