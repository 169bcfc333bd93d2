/**
 * One session in mode A, B or C, from wake-up to block, or in mode E up to the hand-over to HDLC (IEC 62056-21:2002,
 * 6.3, 6.4 and annexes B and E). The table shows the events in each state and the next state.
 *
 *     QUIET               silence, or waited too long: WAKE (battery) or IDENT
 *     WAKE                pause over: IDENT
 *     IDENT               identified: BEFORE_ACKNOWLEDGE (mode C), BLOCK (A, B) or ENDED (identification only)
 *     BEFORE_ACKNOWLEDGE  pause over: BLOCK, or ENDED by hand-over          unsolicited block: BLOCK
 *     BLOCK               good: ENDED          wrong: BEFORE_REPEAT, or ENDED after REPEATS
 *     BEFORE_REPEAT       pause over: BLOCK
 *     BEFORE_COMMAND      pause over: BLOCK (programming mode, where a subclass chooses the next command after each block)
 *     BEFORE_BREAK        silence, or waited too long: ENDED (in place of ENDED, in programming mode)
 *     any                 abort: ENDED; a timeout in IDENT and BLOCK too, after validating the bytes received
 *
 * Times in 6.3.1: an answer begins after 200 to 1500 ms, or after 20 ms at the earliest with the short reaction time. A
 * gap between characters has at most 1500 ms. The limits below add the delay of heads and adapters. There is no limit
 * for the whole session, because a readout at 300 Bd takes minutes; each character restarts the wait.
 */
import { FORMAT_7E1, FORMAT_8N1 } from "../io/host.js";
import { type Machine, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END, EVENT_POOR } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import {
	encodeAcknowledge,
	encodeBreak,
	encodeHandOver,
	encodeRepeatRequest,
	encodeSignOn,
	MESSAGE_LIMIT,
	WAKE_UP_LENGTH,
	WAKE_UP_PAUSE_MS,
} from "./acknowledge.js";
import { BlockReceiver, CHECK_ABSENT, CHECK_WRONG, PART_AGAIN, PART_FIRST } from "./block.js";
import { DataSetParser } from "./dataset.js";
import {
	IEC_CHECK_WRONG,
	IEC_CUT,
	IEC_ECHO_ONLY,
	IEC_METER_ERROR,
	IEC_MODE_E_ALONE,
	IEC_NO_BLOCK,
	IEC_NO_IDENT,
	IEC_SILENCE,
	IEC_SILENCE_ADDRESSED,
} from "./failures.js";
import { BASE_BAUD, baudNumber, getBaudRate, IdentScanner, MODE_C } from "./ident.js";

/** An identification was received. Other events: EVENT_POOR (a complete block that failed the checks) and EVENT_END. */
export const EVENT_IDENT = 1;
/** The session is not over, or it has failed with `failure`. */
export const OUTCOME_NONE = 0;
/** A complete block was received. `check` tells whether its BCC was right or absent. */
export const OUTCOME_BLOCK = 1;
/** The identification was received, and no more was requested. */
export const OUTCOME_IDENT = 2;
/** Mode E was agreed on. The gateway's side is at the agreed speed in 8N1, and HDLC follows. */
export const OUTCOME_HAND_OVER = 3;

export const HAND_OVER_NEVER = 0;
/** Mode E is used only with a meter that announces it (`\2`). */
export const HAND_OVER_ANNOUNCED = 1;
/** Mode E is tried with each meter that agrees on a speed, because some do not announce it. */
export const HAND_OVER_ALWAYS = 2;

export interface SpeedChoice {
	/**
	 * Returns the speed to propose, Bd, rounded down to a standard speed. It is at most the speed in the identification.
	 */
	speedFor(ident: IdentScanner): number;
}

export interface SessionOptions {
	readonly records: RecordWriter;
	/**
	 * Device address, ASCII, up to 32 bytes; empty: any meter. An address that begins with `/` replaces the sign-on up to
	 * the `!`.
	 */
	readonly address: Uint8Array;
	readonly battery: boolean;
	/** Choice of the speed; BASE_BAUD if undefined. */
	readonly speed?: SpeedChoice | undefined;
	/** True to stop after the identification (for aligning the head). */
	readonly identOnly: boolean;
	/** Silence before the sign-on, ms, because an earlier block may still be arriving. */
	readonly quietMs: number;
	readonly handOver?: number;
	/** True to enter programming mode instead of reading the data. */
	readonly isProgramming?: boolean;
}

const STATE_QUIET = 0;
const STATE_WAKE = 1;
const STATE_IDENT = 2;
const STATE_BEFORE_ACKNOWLEDGE = 3;
const STATE_BLOCK = 4;
const STATE_BEFORE_REPEAT = 5;
const STATE_BEFORE_COMMAND = 6;
const STATE_BEFORE_BREAK = 7;
const STATE_ENDED = 8;

/** Reaction time in the standard with a margin, ms. */
const REACTION_MS = 205;
/** Short reaction time in the standard with a margin, ms. */
const FAST_REACTION_MS = 25;
/** Longest wait for an answer after the last bit was sent, ms: 1500 and a margin for adapters. */
const ANSWER_MS = 2500;
/**
 * Longest wait for the identification, ms; some meters take 3500. If the identification is late, the meter's other
 * answers get as much time. If there is none, this wait is also the silence before the next sign-on.
 */
const LATE_ANSWER_MS = 4500;
/** Longest gap between characters, ms: 1500 and a margin for adapters. */
const GAP_MS = 2000;
/** Silence after the `!` that ends a block without STX, ms. Such a block need not have an ETX. */
const UNFRAMED_END_MS = 500;
/**
 * Longest wait for silence, in multiples of `quietMs`. A lamp that shines into the head can make the line permanently
 * busy.
 */
const QUIET_PATIENCE = 20;
/**
 * Longest wait for silence before a break: the time of 3000 characters, in ms multiplied by Bd. A meter that is sending
 * would not receive the break.
 */
const BREAK_PATIENCE = 30_000_000;
/** Maximum number of repetitions that a session requests with NAK. */
const REPEATS = 2;
const BITS_PER_CHARACTER = 10;

export class MeterSession implements Machine {
	readonly ident = new IdentScanner();
	readonly parser: DataSetParser;
	/** OUTCOME_…; final when EVENT_END is output. */
	outcome = OUTCOME_NONE;
	failure: Failure | undefined;
	check = CHECK_ABSENT;
	/** Number of characters received since the sign-on or, later, since the acknowledgement. */
	received = 0;
	/** Number of damaged characters since the sign-on. */
	damaged = 0;
	baud = BASE_BAUD;
	/** Time at which the last sent character has left the port, monotonic ms. */
	sentByMs = 0;
	deadlineMs: number;
	readonly #options: SessionOptions;
	readonly #outputs = new OutputQueue();
	protected readonly message = new Uint8Array(Math.max(MESSAGE_LIMIT, WAKE_UP_LENGTH));
	protected readonly block: BlockReceiver;
	#commandLength = 0;
	#part = PART_FIRST;
	/** True in programming mode, which the meter leaves after a break, or by itself after a minute or two. */
	#needsBreak = false;
	#breakByMs = 0;
	#nowMs = 0;
	#state = STATE_QUIET;
	readonly #signOnByMs: number;
	#lineBaud = BASE_BAUD;
	#repeats = 0;
	/** ANSWER_MS, or LATE_ANSWER_MS after a late identification. */
	#answerMs = ANSWER_MS;

	/** At the start, the line must be at 300 Bd, 7E1. */
	constructor(options: SessionOptions, nowMs: number) {
		this.#options = options;
		this.parser = new DataSetParser(options.records);
		this.block = new BlockReceiver(this.parser, options.isProgramming);
		this.deadlineMs = nowMs + options.quietMs;
		this.#signOnByMs = nowMs + options.quietMs * QUIET_PATIENCE;
	}

	get mode(): number {
		return this.ident.mode;
	}

	get isIdle(): boolean {
		return this.#state === STATE_QUIET;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#nowMs = nowMs;
		this.received += end - start;
		if (this.#state === STATE_BEFORE_BREAK) this.deadlineMs = Math.min(nowMs + this.reactionMs, this.#breakByMs);
		for (let i = start; i < end; i++) if (bytes[i] >= 0x80) this.damaged++;
		if (this.#state === STATE_QUIET) {
			this.deadlineMs = Math.min(nowMs + this.#options.quietMs, Math.max(nowMs, this.#signOnByMs));
		}
		if (this.#state === STATE_IDENT) this.receiveIdent(bytes, start, end, nowMs);
		else this.receiveAfterIdent(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.#nowMs = nowMs;
		if (this.#state === STATE_QUIET) this.begin(nowMs);
		else if (this.#state === STATE_WAKE) this.signOn(nowMs);
		else if (this.#state === STATE_IDENT) this.fail(this.identFailure());
		else if (this.#state === STATE_BEFORE_ACKNOWLEDGE) this.acknowledge(nowMs);
		else if (this.#state === STATE_BLOCK) this.silence(nowMs);
		else if (this.#state === STATE_BEFORE_REPEAT) this.repeat(nowMs);
		else if (this.#state === STATE_BEFORE_COMMAND) this.command(nowMs);
		else if (this.#state === STATE_BEFORE_BREAK) this.finish();
	}

	poll(): Output {
		return this.#outputs.poll();
	}

	/**
	 * Ends the session with the failure IEC_CUT, and keeps the incomplete block. A break is delayed, because a meter that
	 * is about to answer would not receive it.
	 */
	abort(nowMs: number): void {
		if (this.#state >= STATE_BEFORE_BREAK) return;
		this.#nowMs = nowMs + GAP_MS;
		this.block.end();
		this.fail(IEC_CUT);
	}

	private begin(nowMs: number): void {
		if (!this.#options.battery) {
			this.signOn(nowMs);
			return;
		}
		this.#state = STATE_WAKE;
		this.transmit(WAKE_UP_LENGTH, nowMs);
		this.deadlineMs = this.sentByMs + WAKE_UP_PAUSE_MS;
	}

	private signOn(nowMs: number): void {
		this.#state = STATE_IDENT;
		this.ident.reset();
		this.received = 0;
		this.damaged = 0;
		this.transmit(encodeSignOn(this.message, this.#options.address), nowMs);
		this.deadlineMs = this.sentByMs + LATE_ANSWER_MS;
	}

	private receiveIdent(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		for (let i = start; i < end; i++) {
			if (!this.ident.scan(bytes[i])) continue;
			this.#outputs.event(EVENT_IDENT);
			this.onIdentified(nowMs);
			this.receiveAfterIdent(bytes, i + 1, end, nowMs);
			return;
		}
		// Only a line that has begun extends the deadline, because noise must not prolong the session.
		if (this.ident.inside) this.deadlineMs = Math.max(this.deadlineMs, nowMs + GAP_MS);
	}

	private receiveAfterIdent(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state === STATE_BEFORE_ACKNOWLEDGE) this.receiveUnsolicited(bytes, start, end, nowMs);
		// The answer may follow the echo without a gap.
		else for (let at = start; at < end && this.#state === STATE_BLOCK; ) at = this.receiveBlock(bytes, at, end, nowMs);
	}

	private onIdentified(nowMs: number): void {
		const [first, second, third] = this.ident.bytes;
		// Kamstrup: KAM.
		this.block.acceptsSum = first === 0x4b && second === 0x41 && third === 0x4d;
		if (nowMs > this.sentByMs + ANSWER_MS) this.#answerMs = LATE_ANSWER_MS;
		if (this.#options.identOnly) {
			// Without a break, the meter would now send its whole block at 300 Bd and miss the next sign-on.
			this.transmit(encodeBreak(this.message), nowMs);
			this.end(OUTCOME_IDENT);
		} else if (this.mode === MODE_C) {
			this.#state = STATE_BEFORE_ACKNOWLEDGE;
			this.block.begin();
			this.deadlineMs = nowMs + this.reactionMs;
		} else {
			this.changeLine(this.ident.baud);
			this.expectBlock(nowMs);
		}
	}

	/**
	 * Some meters send their block unsolicited. An STX or a complete value proves this; before that, received bytes count
	 * as noise and change nothing.
	 */
	private receiveUnsolicited(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.block.receive(bytes, start, end);
		if (!this.block.started) return;
		if (this.block.framed || this.parser.values > 0) {
			this.#state = STATE_BLOCK;
			this.afterBlockBytes(nowMs);
		} else this.deadlineMs = nowMs + this.reactionMs;
	}

	private acknowledge(nowMs: number): void {
		const { speed, handOver = HAND_OVER_NEVER, isProgramming = false } = this.#options;
		const ceiling = speed?.speedFor(this.ident) ?? BASE_BAUD;
		const number = baudNumber(Math.min(this.ident.baud, ceiling));
		if (handOver === HAND_OVER_ALWAYS || (handOver === HAND_OVER_ANNOUNCED && this.ident.announcesModeE)) {
			this.handOver(number, nowMs);
			return;
		}
		this.#needsBreak = isProgramming;
		// The meter may have to search for the requested data, so it gets more time.
		if (isProgramming) this.#answerMs = LATE_ANSWER_MS;
		this.received = 0;
		this.transmit(encodeAcknowledge(this.message, number, isProgramming), nowMs);
		this.changeLine(getBaudRate(number));
		this.expectBlock(nowMs);
	}

	private handOver(number: number, nowMs: number): void {
		this.transmit(encodeHandOver(this.message, number), nowMs);
		this.#state = STATE_ENDED;
		this.outcome = OUTCOME_HAND_OVER;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.baud = getBaudRate(number);
		this.#outputs.line(this.baud, FORMAT_8N1);
		this.#outputs.event(EVENT_END);
	}

	/** If `needsSTX`, bytes before an STX are skipped as the end of the previous block. */
	protected expectBlock(nowMs: number, needsSTX = false, part = PART_FIRST): void {
		this.#state = STATE_BLOCK;
		this.block.begin(needsSTX, part);
		this.deadlineMs = Math.max(nowMs, this.sentByMs) + this.#answerMs;
	}

	protected receiveBlock(bytes: Uint8Array, start: number, end: number, nowMs: number): number {
		const to = this.block.receive(bytes, start, end);
		this.afterBlockBytes(nowMs);
		return to;
	}

	private afterBlockBytes(nowMs: number): void {
		if (this.block.done) this.validate(nowMs);
		else if (this.block.started) {
			const unframedEnd = this.block.complete && !this.block.framed;
			this.deadlineMs = nowMs + (unframedEnd ? UNFRAMED_END_MS : GAP_MS);
		}
	}

	private silence(nowMs: number): void {
		if (!this.block.started) {
			// The meter can't repeat the block, so the wrong block is final.
			this.fail(this.#repeats > 0 ? IEC_CHECK_WRONG : this.noBlock);
			return;
		}
		const complete = this.block.complete;
		this.block.end();
		if (complete) this.validate(nowMs);
		else this.fail(this.#repeats > 0 ? IEC_CHECK_WRONG : IEC_CUT);
	}

	protected get noBlock(): Failure {
		return this.ident.announcesModeE ? IEC_MODE_E_ALONE : IEC_NO_BLOCK;
	}

	private validate(nowMs: number): void {
		this.check = this.block.check;
		const { damaged, broken, sets } = this.parser;
		// If the BCC is right, the grammar error is the meter's own, and the block is accepted. A repeated block without a
		// BCC is not accepted, because the first one had a BCC.
		const isUnsure = this.check === CHECK_ABSENT && (broken > 0 || this.#repeats > 0);
		const bad = this.check === CHECK_WRONG || damaged > 0 || isUnsure;
		if (!bad) {
			this.answered(nowMs);
			return;
		}
		if (sets > 0) {
			this.parser.endBlock(false);
			this.#outputs.event(EVENT_POOR);
		}
		if (this.check !== CHECK_ABSENT && this.#repeats < REPEATS) {
			this.#state = STATE_BEFORE_REPEAT;
			this.deadlineMs = nowMs + this.reactionMs;
		} else this.fail(IEC_CHECK_WRONG);
	}

	protected answered(_nowMs: number): void {
		const { parser } = this;
		parser.endBlock(true);
		if (parser.sets === 0 && parser.values > 0) this.fail(IEC_METER_ERROR);
		else this.end(OUTCOME_BLOCK);
	}

	/** Sends a command. `length`: number of bytes of `message` to send; `part`: expected part of the answer, PART_…. */
	protected ask(length: number, part: number, nowMs: number): void {
		this.#commandLength = length;
		this.#part = part;
		this.#repeats = 0;
		this.#state = STATE_BEFORE_COMMAND;
		this.deadlineMs = nowMs + this.reactionMs;
	}

	private command(nowMs: number): void {
		this.transmit(this.#commandLength, nowMs);
		this.expectBlock(nowMs, true, this.#part);
	}

	private repeat(nowMs: number): void {
		this.#repeats++;
		this.transmit(encodeRepeatRequest(this.message), nowMs);
		this.expectBlock(nowMs, this.block.framed, this.#part === PART_FIRST ? PART_FIRST : PART_AGAIN);
	}

	protected fail(failure: Failure): void {
		this.failure = failure;
		this.end(OUTCOME_NONE);
	}

	protected end(outcome: number): void {
		this.outcome = outcome;
		if (!this.#needsBreak) {
			this.finish();
			return;
		}
		this.#state = STATE_BEFORE_BREAK;
		this.#breakByMs = this.#nowMs + BREAK_PATIENCE / this.#lineBaud;
		this.deadlineMs = this.#nowMs + this.reactionMs;
	}

	private finish(): void {
		if (this.#needsBreak || this.block.programming) this.transmit(encodeBreak(this.message), 0);
		this.#state = STATE_ENDED;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		// After this line change, the event is output only when all bytes were sent.
		this.#outputs.line(BASE_BAUD, FORMAT_7E1);
		this.#outputs.event(EVENT_END);
	}

	private identFailure(): Failure {
		const { address } = this.#options;
		if (this.received === 0) return address.length > 0 ? IEC_SILENCE_ADDRESSED : IEC_SILENCE;
		const echo = encodeSignOn(this.message, address);
		return this.ident.echoes > 0 && this.received <= echo ? IEC_ECHO_ONLY : IEC_NO_IDENT;
	}

	private get reactionMs(): number {
		return this.ident.fastReaction ? FAST_REACTION_MS : REACTION_MS;
	}

	private changeLine(baud: number): void {
		this.baud = baud;
		this.#lineBaud = baud;
		this.#outputs.line(baud, FORMAT_7E1);
	}

	private transmit(length: number, nowMs: number): void {
		this.#outputs.transmit(this.message, 0, length);
		this.sentByMs = Math.max(nowMs, this.sentByMs) + (length * BITS_PER_CHARACTER * 1000) / this.#lineBaud;
	}
}
