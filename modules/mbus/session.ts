/**
 * One session with the slaves of an M-Bus (EN 13757-2, 5.7), from wake-up to the last telegram. A sans-io machine
 * (io/machine.ts), run by a Link in 8E1.
 *
 *     QUIET     silence, or patience over: WAKING (with a wake-up) or RESETTING
 *     WAKING    pause over: RESETTING
 *     RESETTING acknowledged, or no answer: ASKING
 *     ASKING    frame, the same as the one before: written; ASKING for the next frame, RESETTING of the next slave, or ENDED
 *               another frame: ASKING for the same one, at most READS times
 *               no answer: ASKING, the request is repeated; ENDED after TRIES
 *     any       abort: ENDED
 *
 * Frames are protected by a sum of eight bits only, which lets one of 256 damaged ones through. So each frame is asked
 * for twice, with the same frame count bit, at which a slave repeats it (5.7.2). Many slaves send their present values
 * instead. Records that differ in READS receptions are left out, and the readout then counts as truncated.
 *
 * The wake-up is that of optical ports: 2.2 s of 55, in 8N1.
 */
import { FORMAT_8E1, FORMAT_8N1 } from "../io/host.js";
import { type Machine, NO_BYTES, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { ANSWER_ACK, ANSWER_FRAME, ANSWER_NONE, FRAME_LIMIT, SlaveAnswers } from "./answers.js";
import { MBUS_BROKEN, MBUS_LOST, MBUS_SILENCE, MBUS_UNREADABLE } from "./failures.js";
import { isReadable, isSameFrame, isSameMeter, SlaveTelegram } from "./telegram.js";

const SND_NKE = 0x40;
const REQ_UD2 = 0x5b;
const FRAME_COUNT_BIT = 0x20;
const SHORT_START = 0x10;
const END = 0x16;
const SHORT_LENGTH = 5;

/** Number of times that a request is sent without a frame in answer. */
const TRIES = 3;
/** Maximum number of receptions of a frame. */
const READS = 4;
/** Maximum number of frames of a slave. */
const FRAMES_LIMIT = 32;
/** Time limit of an answer (5.3): 330 bits and 50 ms. Longest gap between characters: 33 bits. Adapters add to both. */
const ANSWER_BITS = 330;
const ANSWER_MS = 250;
const GAP_BITS = 33;
const GAP_MS = 150;
/** Start bit, eight data bits, parity bit, stop bit. */
const CHARACTER_BITS = 11;
/** Longest answer, characters, with its frame. */
const ANSWER_LIMIT = FRAME_LIMIT + 6;
/** Longest wait for silence, as a multiple of `quietMs`. */
const QUIET_PATIENCE = 5;

const WAKE_UP = 0x55;
const WAKE_UP_MS = 2200;
const WAKE_UP_BITS = 10;
/** Pause after the wake-up. */
const WAKE_UP_PAUSE_MS = 60;

const STATE_QUIET = 0;
const STATE_WAKING = 1;
const STATE_RESETTING = 2;
const STATE_ASKING = 3;
const STATE_ENDED = 4;

export interface MBusSessionOptions {
	readonly records: RecordWriter;
	readonly baud: number;
	/** Primary address of the first slave; 254: the only one, whatever its address. The others follow it. */
	readonly address: number;
	readonly slaves: number;
	readonly wakesUp: boolean;
	/** True if one frame is enough, whose values are not needed. */
	readonly identOnly: boolean;
	readonly quietMs: number;
	readonly nowMs: number;
}

export class MBusSession implements Machine {
	failure: Failure | undefined;
	/** Maker and identification of the first slave, ASCII; empty before its first frame. */
	meterId: Uint8Array = NO_BYTES;
	received = 0;
	/** True if records of a slave are missing. */
	isCut = false;
	deadlineMs: number;
	readonly #options: MBusSessionOptions;
	readonly #patienceEndsMs: number;
	readonly #outputs = new OutputQueue();
	readonly #answers = new SlaveAnswers();
	readonly #telegram: SlaveTelegram;
	readonly #request = new Uint8Array(SHORT_LENGTH);
	#state = STATE_QUIET;
	#slave = 0;
	#frames = 0;
	#tries = 0;
	#reads = 0;
	#countBit = 0;
	/** Previous reception of this frame, and its length; 0: none. */
	readonly #previous = new Uint8Array(FRAME_LIMIT);
	#previousEnd = 0;
	/** Number of characters received beyond the number sent, which cannot be an echo. */
	#surplus = 0;
	/** Latest end of the answer, monotonic ms. */
	#answerEndsMs = 0;
	#isAnswered = false;

	constructor(options: MBusSessionOptions) {
		const { records, quietMs, nowMs } = options;
		this.#options = options;
		this.#telegram = new SlaveTelegram(records);
		this.deadlineMs = nowMs + quietMs;
		this.#patienceEndsMs = nowMs + quietMs * QUIET_PATIENCE;
		records.begin();
	}

	get isIdle(): boolean {
		return this.#state === STATE_QUIET;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.received += end - start;
		this.#surplus += end - start;
		if (this.#state === STATE_QUIET)
			this.deadlineMs = Math.min(nowMs + this.#options.quietMs, Math.max(nowMs, this.#patienceEndsMs));
		if (this.#state !== STATE_RESETTING && this.#state !== STATE_ASKING) return;
		for (let i = start; i < end; i++) {
			const answer = this.#answers.take(bytes[i]);
			if (answer === ANSWER_NONE) continue;
			if (this.#state === STATE_RESETTING && answer === ANSWER_ACK) {
				this.#isAnswered = true;
				this.beginFrame(nowMs);
				return;
			}
			if (this.#state === STATE_ASKING && answer === ANSWER_FRAME) {
				this.takeFrame(nowMs);
				return;
			}
		}
		if (this.#surplus > 0) this.deadlineMs = Math.min(nowMs + this.gapMs, this.#answerEndsMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		if (this.#state === STATE_QUIET) this.begin(nowMs);
		else if (this.#state === STATE_WAKING) {
			this.#outputs.line(this.#options.baud, FORMAT_8E1);
			this.reset(nowMs);
		} else if (this.#state === STATE_RESETTING) this.beginFrame(nowMs);
		else if (this.#state === STATE_ASKING && this.#tries < TRIES) this.ask(nowMs);
		else this.abort(nowMs);
	}

	poll(): Output {
		return this.#outputs.poll();
	}

	abort(_nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		if (this.#isAnswered) this.failure = MBUS_LOST;
		else this.failure = this.#surplus > 0 ? MBUS_BROKEN : MBUS_SILENCE;
		this.end();
	}

	private get gapMs(): number {
		return (GAP_BITS * 1000) / this.#options.baud + GAP_MS;
	}

	private end(): void {
		this.#state = STATE_ENDED;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.#outputs.event(EVENT_END);
	}

	private begin(nowMs: number): void {
		const { baud, wakesUp } = this.#options;
		if (!wakesUp) {
			this.reset(nowMs);
			return;
		}
		this.#state = STATE_WAKING;
		const wakeUp = new Uint8Array((baud * WAKE_UP_MS) / (WAKE_UP_BITS * 1000)).fill(WAKE_UP);
		this.#outputs.line(baud, FORMAT_8N1);
		this.#outputs.transmit(wakeUp, 0, wakeUp.length);
		this.deadlineMs = nowMs + WAKE_UP_MS + WAKE_UP_PAUSE_MS;
	}

	/** Resets the slave, whose frame count bit is then awaited as 1. */
	private reset(nowMs: number): void {
		this.#state = STATE_RESETTING;
		this.#frames = 0;
		this.#countBit = 0;
		this.#isAnswered = false;
		this.#telegram.begin(this.#options.slaves > 1 ? this.#slave + 1 : 0);
		this.send(SND_NKE, nowMs);
	}

	/** Asks for the next frame of the slave. */
	private beginFrame(nowMs: number): void {
		this.#state = STATE_ASKING;
		this.#countBit ^= FRAME_COUNT_BIT;
		this.#tries = this.#reads = this.#previousEnd = 0;
		this.ask(nowMs);
	}

	private ask(nowMs: number): void {
		this.#tries++;
		this.send(REQ_UD2 | this.#countBit, nowMs);
	}

	private send(control: number, nowMs: number): void {
		const { baud, address } = this.#options;
		const request = this.#request;
		const slave = address + this.#slave;
		request[0] = SHORT_START;
		request[1] = control;
		request[2] = slave;
		request[3] = control + slave;
		request[4] = END;
		this.#answers.reset();
		this.#outputs.transmit(request, 0, SHORT_LENGTH);
		this.#surplus = -SHORT_LENGTH;
		this.deadlineMs = nowMs + ((SHORT_LENGTH * CHARACTER_BITS + ANSWER_BITS) * 1000) / baud + ANSWER_MS;
		this.#answerEndsMs = this.deadlineMs + (ANSWER_LIMIT * CHARACTER_BITS * 1000) / baud;
	}

	private takeFrame(nowMs: number): void {
		const { bytes, end } = this.#answers;
		const telegram = this.#telegram;
		this.#isAnswered = true;
		this.#tries = 0;
		if (this.#options.identOnly) {
			if (telegram.identify(bytes)) this.meterId = telegram.ident.slice();
			this.end();
			return;
		}
		const previous = this.#previous;
		const isComparable = this.#previousEnd === end && isSameMeter(bytes, previous);
		const isSettled = isComparable && (isSameFrame(bytes, previous, end) || this.#reads + 1 === READS);
		if (++this.#reads === READS && !isSettled) this.abort(nowMs);
		else if (!isSettled) {
			previous.set(bytes);
			this.#previousEnd = end;
			this.ask(nowMs);
		} else if (isReadable(bytes, end)) this.write(nowMs);
		else {
			this.failure = MBUS_UNREADABLE;
			this.end();
		}
	}

	private write(nowMs: number): void {
		const { bytes, end } = this.#answers;
		const { records, slaves } = this.#options;
		const telegram = this.#telegram;
		telegram.write(bytes, end, this.#previous, this.#frames === 0);
		if (this.#slave === 0 && this.#frames === 0 && telegram.identify(bytes)) this.meterId = telegram.ident.slice();
		if (telegram.isCut) this.isCut = true;
		if (telegram.hasMore && ++this.#frames < FRAMES_LIMIT) this.beginFrame(nowMs);
		else if (++this.#slave < slaves) this.reset(nowMs);
		else {
			records.endBlock(true);
			this.end();
		}
	}
}
