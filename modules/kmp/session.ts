/**
 * One session with a Kamstrup meter by KMP: serial number, type, registers. A sans-io machine (io/machine.ts), run by a
 * Link at 1200 Bd, 8N2.
 *
 *     QUIET     silence, or patience over: ASKING, the first request is sent
 *     ASKING    right answer: ASKING with the next request, or ENDED after the last one
 *               no right answer in time: ASKING, the request is repeated; ENDED after TRIES
 *     any       abort: ENDED
 *
 * A meter without an answer to the request for its type is read all the same.
 */
import { putInteger } from "../bytes/decimal.js";
import { FORMAT_8N2, type LineSettings } from "../io/host.js";
import { type Machine, NO_BYTES, type Output, OutputQueue } from "../io/machine.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { KMP_BROKEN, KMP_LOST, KMP_SILENCE } from "./failures.js";
import { AnswerFrames, encodeRequest } from "./frame.js";
import { countRegisters, REGISTERS, REGISTERS_LIMIT, writeRegisters } from "./registers.js";

/** Start bit, eight data bits, two stop bits. */
const CHARACTER_MS = 11_000 / 1200;

/** Commands. */
const GET_TYPE = 1;
const GET_SERIAL = 2;
const GET_REGISTER = 0x10;

/** Number of times that a request is sent. */
const TRIES = 3;
/** Longest wait for the first character of an answer, ms: meters take up to 300, adapters add to it. */
const ANSWER_MS = 1000;
/** Longest gap between characters, ms, and silence before a request is repeated. */
const GAP_MS = 200;
/** Longest wait for silence, as a multiple of `quietMs`. */
const QUIET_PATIENCE = 5;

/** Maximum lengths of a request without frame, and on the wire. */
const BODY_LIMIT = 2 + 2 * REGISTERS_LIMIT;
const REQUEST_LIMIT = 2 * (BODY_LIMIT + 3) + 2;
/** Start of an answer's data behind address and command. */
const DATA = 2;
const SERIAL_LENGTH = 4;
const TYPE_LENGTH = 4;
/** Maximum number of digits of a serial number. */
const SERIAL_DIGITS = 10;
/** Revision letters count from A on; a number follows. */
const BEFORE_LETTER_A = 0x40;
const LETTERS = 26;

const STEP_SERIAL = 0;
const STEP_TYPE = 1;
const STEP_REGISTERS = 2;
const STEPS = STEP_REGISTERS + REGISTERS.length / REGISTERS_LIMIT;

const STATE_QUIET = 0;
const STATE_ASKING = 1;
const STATE_ENDED = 2;

/** Groups C and D of 0-0:96.1.0, serial number, and of 0-0:0.2.0, firmware version. */
const SERIAL_C = 96;
const SERIAL_D = 1;
const VERSION_C = 0;
const VERSION_D = 2;
const UNIT_NONE = 0;

export const KMP_LINE: LineSettings = Object.freeze({ baud: 1200, format: FORMAT_8N2 });

export class KMPSession implements Machine {
	failure: Failure | undefined;
	/** Serial number, ASCII; empty before it was received. */
	meterId: Uint8Array = NO_BYTES;
	received = 0;
	deadlineMs: number;
	readonly #records: RecordWriter;
	readonly #identOnly: boolean;
	readonly #quietMs: number;
	readonly #patienceEndsMs: number;
	readonly #outputs = new OutputQueue();
	readonly #frames = new AnswerFrames();
	readonly #request = new Uint8Array(REQUEST_LIMIT);
	#state = STATE_QUIET;
	#step = STEP_SERIAL;
	#tries = 0;
	/** Number of characters received beyond the number sent, which cannot be an echo. */
	#surplus = 0;

	/** `identOnly`: only the serial number is requested. */
	constructor(records: RecordWriter, identOnly: boolean, quietMs: number, nowMs: number) {
		this.#records = records;
		this.#identOnly = identOnly;
		this.#quietMs = quietMs;
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
		if (this.#state === STATE_QUIET) {
			this.deadlineMs = Math.min(nowMs + this.#quietMs, Math.max(nowMs, this.#patienceEndsMs));
			return;
		}
		const step = this.#step;
		for (let i = start; i < end && this.#step === step; i++) {
			if (this.#frames.take(bytes[i]) && this.takeAnswer()) this.advanceTo(this.#step + 1, nowMs);
		}
		if (this.#state === STATE_ASKING && this.#step === step)
			this.deadlineMs = Math.max(nowMs + GAP_MS, this.#surplus > 0 ? 0 : this.deadlineMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		if (this.#tries < TRIES) this.ask(nowMs);
		else if (this.#step === STEP_TYPE) this.advanceTo(STEP_REGISTERS, nowMs);
		else this.abort(nowMs);
	}

	poll(): Output {
		return this.#outputs.poll();
	}

	abort(_nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		if (this.meterId.length > 0) this.failure = KMP_LOST;
		else this.failure = this.#surplus > 0 ? KMP_BROKEN : KMP_SILENCE;
		this.end();
	}

	private end(): void {
		this.#state = STATE_ENDED;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.#outputs.event(EVENT_END);
	}

	private advanceTo(step: number, nowMs: number): void {
		this.#step = step;
		this.#tries = 0;
		if (step < STEPS && !this.#identOnly) {
			this.ask(nowMs);
			return;
		}
		if (this.#identOnly || this.#records.records > 0) this.#records.endBlock(true);
		this.end();
	}

	private ask(nowMs: number): void {
		this.#state = STATE_ASKING;
		this.#tries++;
		const body = new Uint8Array(BODY_LIMIT);
		let length = 0;
		if (this.#step >= STEP_REGISTERS) {
			const first = this.firstRegister;
			body[length++] = GET_REGISTER;
			body[length++] = REGISTERS_LIMIT;
			for (let i = first; i < first + REGISTERS_LIMIT; i++) {
				body[length++] = REGISTERS[i] >> 8;
				body[length++] = REGISTERS[i] & 0xff;
			}
		} else body[length++] = this.#step === STEP_SERIAL ? GET_SERIAL : GET_TYPE;
		const end = encodeRequest(body, length, this.#request);
		this.#outputs.transmit(this.#request, 0, end);
		this.#surplus = -end;
		this.deadlineMs = nowMs + end * CHARACTER_MS + ANSWER_MS;
	}

	private get firstRegister(): number {
		return (this.#step - STEP_REGISTERS) * REGISTERS_LIMIT;
	}

	/** Takes the frame; returns false if it does not answer the request. */
	private takeAnswer(): boolean {
		const { bytes, end } = this.#frames;
		const command = bytes[1];
		if (this.#step === STEP_SERIAL) {
			if (command !== GET_SERIAL || end !== DATA + SERIAL_LENGTH) return false;
			const text = new Uint8Array(SERIAL_DIGITS);
			this.meterId = text.slice(0, putInteger({ bytes, start: DATA, end }, false, 0, text));
			this.write(SERIAL_C, SERIAL_D, this.meterId);
			return true;
		}
		if (this.#step === STEP_TYPE) {
			if (command !== GET_TYPE || end !== DATA + TYPE_LENGTH) return false;
			this.writeVersion(bytes[DATA + 2], bytes[DATA + 3]);
			return true;
		}
		const first = this.firstRegister;
		if (command !== GET_REGISTER || countRegisters(bytes, DATA, end, first) < 0) return false;
		writeRegisters(bytes, DATA, end, this.#records);
		return true;
	}

	/** Writes the revision of the meter's program, such as F1. */
	private writeVersion(letter: number, number: number): void {
		if (letter === 0 || letter > LETTERS) return;
		const text = new Uint8Array(1 + SERIAL_DIGITS);
		text[0] = BEFORE_LETTER_A + letter;
		const source = { bytes: Uint8Array.of(number), start: 0, end: 1 };
		this.write(VERSION_C, VERSION_D, text.subarray(0, 1 + putInteger(source, false, 0, text.subarray(1))));
	}

	private write(c: number, d: number, text: Uint8Array): void {
		this.#records.beginCode(Uint8Array.of(0, 0, c, d, 0, BILLING_PERIOD_CURRENT), 0);
		this.#records.value(text, text.length, UNIT_NONE);
	}
}
