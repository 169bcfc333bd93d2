/** Session with a Kamstrup meter by KMP: reads serial number, type and registers. */
import { asciiBytes } from "../bytes/ascii.js";
import { uint32BE } from "../bytes/integers.js";
import { FORMAT_8N2, type LineSettings } from "../io/host.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";
import type { SessionContext } from "../readout/protocol.js";
import { type RequestProtocol, RequestSession, TRIES } from "../readout/request-session.js";
import { KMP_BROKEN, KMP_LOST, KMP_SILENCE } from "./failures.js";
import { AnswerFrames, requestFrame } from "./frame.js";
import { REGISTERS, REGISTERS_LIMIT, writeRegisters } from "./registers.js";

const GET_TYPE = 1;
const GET_SERIAL = 2;
const GET_REGISTER = 0x10;
/** Lengths of answers, counted from the address: the serial number; the type with its revision. */
const SHORT_ANSWER = 6;
/** A revision consists of a letter and a number, such as F1. The letter is sent as 1 for A, 2 for B, and so on. */
const BEFORE_LETTER_A = 0x40;

const STEP_SERIAL = 0;
const STEP_TYPE = 1;
const STEP_REGISTERS = 2;
const STEPS = STEP_REGISTERS + REGISTERS.length / REGISTERS_LIMIT;

const LINE: LineSettings = Object.freeze({ baud: 1200, format: FORMAT_8N2 });
const PROTOCOL: RequestProtocol = Object.freeze({
	name: "KMP",
	silence: KMP_SILENCE,
	broken: KMP_BROKEN,
	lost: KMP_LOST,
});

export class KMPSession extends RequestSession {
	readonly #frames = new AnswerFrames();
	#step = STEP_SERIAL;

	constructor(context: SessionContext<unknown>, identOnly: boolean) {
		super(PROTOCOL, LINE, context, identOnly);
	}

	protected override ask(nowMs: number): void {
		// A meter that does not send its type is still read.
		if (this.#step === STEP_TYPE && this.tries === TRIES - 1) {
			this.proceed(nowMs);
			return;
		}
		this.tries++;
		const body = [this.command];
		if (this.#step >= STEP_REGISTERS) {
			body.push(REGISTERS_LIMIT);
			for (let i = 0; i < REGISTERS_LIMIT; i++) {
				const register = REGISTERS[this.firstRegister + i];
				body.push(register >> 8, register & 0xff);
			}
		}
		this.send(requestFrame(body), nowMs);
	}

	protected override take(byte: number): boolean {
		const frames = this.#frames;
		if (!frames.take(byte)) return false;
		const { bytes, end } = frames;
		if (bytes[1] !== this.command) return false;
		if (this.#step >= STEP_REGISTERS) return writeRegisters(bytes.subarray(2, end), this.firstRegister, this.records);
		if (end !== SHORT_ANSWER) return false;
		if (this.#step === STEP_TYPE) this.write(0, 2, String.fromCharCode(BEFORE_LETTER_A + bytes[4]) + bytes[5]);
		else this.write(96, 1, String(uint32BE(bytes, 2)));
		return true;
	}

	protected override proceed(nowMs: number): void {
		this.tries = 0;
		if (++this.#step === STEPS || this.identOnly) this.end(undefined);
		else this.ask(nowMs);
	}

	private get command(): number {
		const step = this.#step;
		return step === STEP_SERIAL ? GET_SERIAL : step === STEP_TYPE ? GET_TYPE : GET_REGISTER;
	}

	private get firstRegister(): number {
		return (this.#step - STEP_REGISTERS) * REGISTERS_LIMIT;
	}

	private write(c: number, d: number, text: string): void {
		const bytes = asciiBytes(text);
		if (this.#step === STEP_SERIAL) this.meterId = bytes;
		this.records.beginCode(Uint8Array.of(0, 0, c, d, 0, BILLING_PERIOD_CURRENT), 0);
		this.records.value(bytes, bytes.length, 0);
	}
}
