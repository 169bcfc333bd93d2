/**
 * Identifies unsolicited data at each usual speed in turn: a kind of telegram (telegram-scanner.ts) with its speed and
 * framing, or noise. A sans-io machine of a Link (io/machine.ts) that receives eight bits per character. A burst
 * without a telegram means that the speed is wrong.
 *
 *     WAITING   a character: BURST          SILENT_MS over: ENDED, nothing more arrives
 *     BURST     telegram: ENDED, found      silence: validated      too long: next speed (WAITING)
 *     validated begun before the change to this speed, or the first burst of a few characters, or text: WAITING;
 *               TEXTS bursts of text: ENDED; otherwise next speed (WAITING), or ENDED as noise after the last speed
 *     any       TIME_MS over, or abort: ENDED
 *
 * Readable text proves that the speed is right, so it gets the time of a whole telegram. At the end `next()` returns
 * the session that was waiting.
 */
import { FORMAT_8E1, FORMAT_8N1, type LineSettings } from "../io/host.js";
import { type Machine, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END, type Probing, type ReadSession } from "../readout/protocol.js";
import { KIND_ASCII, KIND_NOISE, KIND_NONE, KIND_TIC, TelegramScanner } from "./telegram-scanner.js";
import { FRAMING_7E1, FRAMING_8E1, FRAMING_8N1, unsolicitedFailure } from "./unsolicited.js";

/** Speeds, most common first; M-Bus ports use 8N1 or, by EN 13757-2, 8E1. */
const BAUDS = Object.freeze([9600, 2400, 115200, 2400, 4800, 19200, 1200, 300, 600, 38400, 57600]);
/** Index in BAUDS of the speed that is used with 8E1. */
const EVEN = 3;
/** Silence of an idle line; most meters send every 1 to 5 s, some every 10 s. */
export const SILENT_MS = 11_000;
/** Total time limit, within the minute that a caller waits. */
const TIME_MS = 45_000;
/** Silence that ends a burst; text pauses longer between lines (IEC 62056-21, 6.4.5). */
const GAP_MS = 250;
const TEXT_GAP_MS = 1800;
/** Longest burst: a DLMS push at 2400 Bd; for text, 17 KB at 9600 Bd or 1 KB at 300 Bd. */
const BURST_MS = 2500;
const TEXT_MS = 35_000;
/** A shorter burst may be interference, or a telegram much faster than the line. */
const FEW = 8;
const SPARKS = 2;
/** Number of text bursts without a telegram, at one speed, after which the search ends. */
const TEXTS = 3;

const STATE_WAITING = 0;
const STATE_BURST = 1;
const STATE_ENDED = 2;

export class Recogniser implements Machine, ReadSession, Probing {
	readonly line: LineSettings = Object.freeze({ baud: BAUDS[0], format: FORMAT_8N1 });
	/** Kind of data found; undefined if undecided. Final when EVENT_END is reported. */
	failure: Failure | undefined;
	received = 0;
	deadlineMs: number;
	readonly #outputs = new OutputQueue();
	readonly #endsMs: number;
	readonly #follows: ReadSession | undefined;
	#scanner = new TelegramScanner();
	#state = STATE_WAITING;
	#speed = 0;
	/** Time of the change to this speed, or end of a burst that was in progress then, ms. */
	#sinceMs: number;
	/** Start of this burst, ms, and its length in characters. */
	#beganMs = 0;
	#count = 0;
	#isText = false;
	#sparks = 0;
	#texts = 0;

	/** `endsMs` is the latest end. The session `follows` continues if nothing is found. */
	constructor(nowMs: number, endsMs = Number.POSITIVE_INFINITY, follows?: ReadSession) {
		this.#endsMs = Math.min(endsMs, nowMs + TIME_MS);
		this.#follows = follows;
		this.#sinceMs = nowMs;
		this.deadlineMs = Math.min(nowMs + SILENT_MS, this.#endsMs);
	}

	/** Always 0, because reception in eight bits detects no damage. */
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
		return this.failure?.isFinal ? undefined : this.#follows;
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
			const kind = this.#scanner.take(bytes[i]);
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
		const isSpark = this.#count < FEW;
		if (isSpark) this.#sparks++;
		if (this.#isText) this.#texts++;
		// The speed is right but the kind of data unknown, which is not noise.
		if (this.#texts === TEXTS) this.end(KIND_NONE);
		else if (this.#isText || !isWhole || (isSpark && this.#sparks < SPARKS)) this.wait(nowMs - GAP_MS, nowMs);
		else this.nextSpeed(nowMs);
	}

	private nextSpeed(nowMs: number): void {
		if (++this.#speed === BAUDS.length) {
			this.end(KIND_NOISE);
			return;
		}
		this.#outputs.line(BAUDS[this.#speed], this.#speed === EVEN ? FORMAT_8E1 : FORMAT_8N1);
		this.#scanner = new TelegramScanner();
		this.#sparks = 0;
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
		this.deadlineMs = Number.POSITIVE_INFINITY;
		const hasParity = (kind === KIND_ASCII || kind === KIND_TIC) && this.#scanner.hasParity;
		const framing = hasParity ? FRAMING_7E1 : this.#speed === EVEN ? FRAMING_8E1 : FRAMING_8N1;
		if (kind !== KIND_NONE) this.failure = unsolicitedFailure(kind, BAUDS[this.#speed], framing);
		this.#outputs.event(EVENT_END);
	}
}
