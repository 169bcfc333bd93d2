/**
 * Listens to a meter that sends SML by itself: the transport protocol of SML 1.04 (BSI TR-03109-1, annex IV, part b), 8.1.
 *
 * | bytes | meaning |
 * |---|---|
 * | 1B×4 01×4 | a telegram begins |
 * | 1B×4 1B×4 | in it: 1B×4 as data |
 * | 1B×4 1A, pad count, check | it ends; the check covers all before it, from the first 1B on (check.ts) |
 *
 *   HUNT   begins           FILE
 *   FILE   begins           what came before is lost: FILE        ends: judged, HUNT
 *          silence, too long, 1B×4 and something else: lost, HUNT
 *   any    abort            ENDED, in which nothing is heard any more
 *
 * Bytes get lost on the way: one too few or too many costs the telegram that it belongs to.
 */
import { stepCRC16 } from "../bytes/crc16.js";
import { type Machine, NO_BYTES, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END, EVENT_POOR, EVENT_READOUT } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { isCheckRight } from "./check.js";
import { SML_BROKEN, SML_CHECK_WRONG, SML_NO_START, SML_SILENCE } from "./failures.js";
import { SMLFile } from "./file.js";
import { meterIdOf } from "./server-id.js";

/** A silence of this length ends a telegram, which has none in it. */
const GAP_MS = 2000;
/** The longest telegram, bytes; the longest known has 528. */
export const TELEGRAM_LIMIT = 4096;

const ESCAPE = 0x1b;
const BEGIN = 0x01;
const END = 0x1a;
const ESCAPES = 4;
/** The register of the check after 1B×4 01×4. */
const BEGIN_REGISTER = 0x91dc;
const BEGIN_LENGTH = 8;

const STATE_HUNT = 0;
const STATE_FILE = 1;
const STATE_ENDED = 2;

export class SMLListener implements Machine {
	/** What was wrong with the last telegram; after `abort`, with all. */
	failure: Failure | undefined;
	/** What the meter calls itself, ASCII, in its last good telegram; empty if there was none. */
	meterId: Uint8Array = NO_BYTES;
	/** The last telegram has more than there was room for. */
	isCut = false;
	/** Characters received. */
	received = 0;
	deadlineMs = Number.POSITIVE_INFINITY;
	/** Where the values go; its `kept` is the telegram that was told last. */
	readonly records: RecordWriter;
	readonly #outputs = new OutputQueue();
	readonly #file: SMLFile;
	/** To be told; 0: nothing. A good telegram is told before what came after it spoils the records. */
	#event = 0;
	/** A good telegram has come. */
	#hasRead = false;
	#state = STATE_HUNT;
	/** ESCAPE in a row; from ESCAPES on the first byte after them, how many there were, and the last one. */
	#escapes = 0;
	#mark = 0;
	#marked = 0;
	#last = 0;
	/** The telegram's check, the same before the check's own bytes, and bytes so far. */
	#register = 0;
	#checked = 0;
	#count = 0;

	constructor(records: RecordWriter) {
		this.records = records;
		this.#file = new SMLFile(records);
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.received += end - start;
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			if (this.#state === STATE_FILE) {
				this.#register = stepCRC16(this.#register, byte);
				this.#count++;
			}
			if (this.#escapes === ESCAPES) this.takeMarked(byte);
			else if (byte === ESCAPE) {
				this.#escapes++;
				this.#marked = 0;
			} else {
				if (this.#state === STATE_FILE) {
					while (this.#escapes > 0) {
						this.#file.take(ESCAPE);
						this.#escapes--;
					}
					this.#file.take(byte);
				}
				this.#escapes = 0;
			}
		}
		if (this.#state === STATE_FILE && this.#count > TELEGRAM_LIMIT) this.lose(0);
		this.deadlineMs = this.#state === STATE_FILE ? nowMs + GAP_MS : Number.POSITIVE_INFINITY;
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.lose(0);
	}

	poll(): Output {
		if (this.#event !== 0) this.#outputs.event(this.#event);
		this.#event = 0;
		return this.#outputs.poll();
	}

	/** Listens no more. Without a telegram it has failed. */
	abort(_nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.#state = STATE_ENDED;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (this.#hasRead) this.failure = undefined;
		else this.failure = this.received === 0 ? SML_SILENCE : SML_NO_START;
		this.#event = EVENT_END;
	}

	/** A byte after ESCAPES. */
	private takeMarked(byte: number): void {
		const isFile = this.#state === STATE_FILE;
		if (byte === ESCAPE && (this.#marked === 0 || this.#mark === ESCAPE)) {
			// Before a telegram any number of them may have come.
			if (!isFile) return;
			this.#mark = ESCAPE;
			if (++this.#marked < ESCAPES) return;
			for (let i = 0; i < ESCAPES; i++) this.#file.take(ESCAPE);
			this.#escapes = 0;
			return;
		}
		// One to three were too many, where others follow.
		if (this.#mark === ESCAPE) this.#marked = 0;
		if (this.#marked === 0) this.#mark = byte;
		this.#marked++;
		if (this.#mark === BEGIN && byte === BEGIN) {
			if (this.#marked === 4) this.begin();
		} else if (this.#mark === END && isFile) {
			if (this.#marked === 2) this.#checked = this.#register;
			if (this.#marked === 4) this.judge(byte);
			else this.#last = byte;
		} else this.lose(byte === ESCAPE ? 1 : 0);
	}

	private begin(): void {
		this.#state = STATE_FILE;
		this.#escapes = 0;
		this.#register = BEGIN_REGISTER;
		this.#count = BEGIN_LENGTH;
		// What is still to be told is in the copy that the records keep.
		this.#file.begin();
	}

	/** The telegram is over; `byte`: the second one of its check. */
	private judge(byte: number): void {
		const isRight = isCheckRight(this.#checked, this.#count - 2, this.#last * 256 + byte);
		// Where bytes were lost these are the first ones of the next telegram.
		this.lose(byte !== ESCAPE ? 0 : this.#last === ESCAPE ? 2 : 1);
		const file = this.#file;
		const { records } = this;
		let failure: Failure | undefined;
		if (!isRight || file.isWrong) failure = SML_CHECK_WRONG;
		else if (!file.isComplete) failure = SML_BROKEN;
		if (failure !== SML_BROKEN && records.records === 0) return;
		if (failure !== undefined && this.#event === EVENT_READOUT) return;
		this.failure = failure;
		this.isCut = records.overflow;
		if (failure !== SML_BROKEN) records.endBlock(failure === undefined);
		this.#event = EVENT_POOR;
		if (failure !== undefined) return;
		this.#event = EVENT_READOUT;
		this.#hasRead = true;
		this.meterId = meterIdOf(file.serverId);
	}

	/** Waits for the next telegram, of which so many ESCAPE have come. */
	private lose(escapes: number): void {
		this.#state = STATE_HUNT;
		this.#escapes = escapes;
		this.#marked = 0;
		this.#count = 0;
	}
}
