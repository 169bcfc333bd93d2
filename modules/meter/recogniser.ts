/**
 * Listens to what arrives without a question, at one usual speed after the other, and tells what it is: a telegram of a
 * kind (telegram-scanner.ts) with its speed and framing, or noise. A sans-io machine under a Link (io/machine.ts), which
 * takes all characters as eight bits; that the line stands at a wrong speed it sees by bursts in which there is no telegram.
 *
 *   WAITING   a character: BURST          SILENT_MS over: ENDED, nothing more comes
 *   BURST     telegram: ENDED, found      silence: judged      lasts too long: next speed (WAITING)
 *   judged    begun before the line stood at this speed, or the first of a few characters only, or text: WAITING;
 *             text again: ENDED; else there was no telegram in it: next speed (WAITING), or ENDED as noise after the last
 *   any       TIME_MS over, or abort: ENDED
 *
 * Meters send every one to ten seconds. Text, which shows by itself that the speed is right, is given the time of a whole
 * telegram. As a Conversation it has another one follow that was waiting meanwhile.
 */
import { FORMAT_8N1, type LineSettings } from "../io/host.js";
import { type Machine, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END, type Probing, type ReadSession } from "../readout/protocol.js";
import { UNSOLICITED_TIC } from "./failures.js";
import { KIND_ASCII, KIND_NOISE, KIND_NONE, KIND_TIC, TelegramScanner } from "./telegram-scanner.js";
import { unsolicitedFailure } from "./unsolicited.js";

/** In the order of how often meters use them. */
const BAUDS = Object.freeze([9600, 2400, 115200, 4800, 19200, 1200, 300, 600, 38400, 57600]);
/** A line on which nothing comes for so long: most meters send every 1 to 5 s, some every 10. */
export const SILENT_MS = 11_000;
/** In all. A caller waits a minute, some of which is over. */
const TIME_MS = 45_000;
/** A burst is over; text may pause between its lines for longer (IEC 62056-21, 6.4.5). */
const GAP_MS = 250;
const TEXT_GAP_MS = 1800;
/** The longest burst without text: all of a DLMS push at 2400 Bd. Text: 17 KB at 9600 Bd, or 1 KB at 300. */
const BURST_MS = 2500;
const TEXT_MS = 35_000;
/** Fewer characters than this may be a spark as well as a telegram that is much faster than the line. */
const FEW = 8;
const SPARKS = 2;
/** Bursts of text at one speed that had no telegram in them. */
const TEXTS = 3;

const STATE_WAITING = 0;
const STATE_BURST = 1;
const STATE_ENDED = 2;

export class Recogniser implements Machine, ReadSession, Probing {
	readonly line: LineSettings = Object.freeze({ baud: BAUDS[0], format: FORMAT_8N1 });
	/** What was found; undefined: nothing came, or not enough to tell. Final with EVENT_END. */
	failure: Failure | undefined;
	received = 0;
	deadlineMs: number;
	readonly #outputs = new OutputQueue();
	readonly #endsMs: number;
	readonly #follows: ReadSession | undefined;
	#scanner = new TelegramScanner();
	#state = STATE_WAITING;
	#speed = 0;
	/** When the line came to stand at this speed, or when the burst that was going on then was over. */
	#sinceMs: number;
	/** When this burst began, and its bytes. */
	#beganMs = 0;
	#count = 0;
	#isText = false;
	/** Bursts of a few characters at this speed, and bursts of text. */
	#sparks = 0;
	#texts = 0;

	/** `endsMs`: when the owner needs to know. `follows`: the conversation that goes on where nothing was found. */
	constructor(nowMs: number, endsMs = Number.POSITIVE_INFINITY, follows?: ReadSession) {
		this.#endsMs = Math.min(endsMs, nowMs + TIME_MS);
		this.#follows = follows;
		this.#sinceMs = nowMs;
		this.deadlineMs = Math.min(nowMs + SILENT_MS, this.#endsMs);
	}

	/** A line of eight bits shows no damage to a character. */
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
		else this.judge(nowMs);
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

	/** A burst is over in which there was no telegram. */
	private judge(nowMs: number): void {
		const isWhole = this.#beganMs >= this.#sinceMs + GAP_MS;
		const isSpark = this.#count < FEW;
		if (isSpark) this.#sparks++;
		if (this.#isText) this.#texts++;
		// The speed is right, and nothing that is known: no noise.
		if (this.#texts === TEXTS) this.end(KIND_NONE);
		else if (this.#isText || !isWhole || (isSpark && this.#sparks < SPARKS)) this.wait(nowMs - GAP_MS, nowMs);
		else this.nextSpeed(nowMs);
	}

	private nextSpeed(nowMs: number): void {
		if (++this.#speed === BAUDS.length) {
			this.end(KIND_NOISE);
			return;
		}
		this.#outputs.line(BAUDS[this.#speed], FORMAT_8N1);
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
		const hasParity = kind === KIND_ASCII && this.#scanner.hasParity;
		if (kind === KIND_TIC) this.failure = UNSOLICITED_TIC;
		else if (kind !== KIND_NONE) this.failure = unsolicitedFailure(kind, BAUDS[this.#speed], hasParity);
		this.#outputs.event(EVENT_END);
	}
}
