/**
 * Sign-on in mode E, from the request to the start of HDLC (IEC 62056-21, annex E). The meter sends its identification.
 * The gateway sends the acknowledgement `ACK 2 Z 2`, and changes to the new speed and 8N1. The meter then repeats the
 * acknowledgement at the new speed, in 7E1; many meters omit this.
 */
import { ACKNOWLEDGE_LENGTH, encodeHandOver } from "../iec62056-21/acknowledge.js";
import { IEC_NO_IDENT, IEC_SILENCE } from "../iec62056-21/failures.js";
import { baudNumber } from "../iec62056-21/ident.js";
import { type MeterSession, OUTCOME_BLOCK, OUTCOME_HAND_OVER } from "../iec62056-21/session.js";
import { FORMAT_8N1 } from "../io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_NONE, type Output } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import { EVENT_END } from "../readout/protocol.js";
import { FAILURE_NO_MODE_E, FAILURE_NO_SIGN_ON } from "./failures.js";

const CONFIRM_MS = 1500;
/** Pause between the repeated acknowledgement and the first frame, ms. */
const REACTION_MS = 205;
const STX = 0x02;

const STATE_SIGN_ON = 0;
const STATE_CONFIRM = 1;
const STATE_ENDED = 2;

export class ModeESignOn implements Machine {
	readonly session: MeterSession;
	readonly #output: Output;
	readonly #acknowledge = new Uint8Array(ACKNOWLEDGE_LENGTH);
	#confirmed = 0;
	#dueMs = Number.POSITIVE_INFINITY;
	#state = STATE_SIGN_ON;
	#refused = false;
	#nowMs: number;
	#isReported = false;

	/** `session` must not have begun yet, and the line must have 300 Bd and 7E1. */
	constructor(session: MeterSession, nowMs: number) {
		this.session = session;
		this.#nowMs = nowMs;
		const bytes = this.#acknowledge;
		this.#output = { kind: OUTPUT_NONE, bytes, start: 0, end: 0, baud: 0, format: FORMAT_8N1, code: EVENT_END };
	}

	/** Failure of the sign-on; undefined after a success. It is final when EVENT_END is reported. */
	get failure(): Failure | undefined {
		const { outcome, failure } = this.session;
		if (this.#refused || outcome === OUTCOME_BLOCK) return FAILURE_NO_MODE_E;
		if (failure === IEC_SILENCE) return FAILURE_NO_SIGN_ON;
		return failure !== undefined && failure.progress > IEC_NO_IDENT.progress ? FAILURE_NO_MODE_E : failure;
	}

	get deadlineMs(): number {
		return this.#state === STATE_SIGN_ON ? this.session.deadlineMs : this.#dueMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#nowMs = nowMs;
		if (this.#state === STATE_SIGN_ON) this.session.receive(bytes, start, end, nowMs);
		else for (let i = start; i < end && this.#state === STATE_CONFIRM; i++) this.confirm(bytes[i] & 0x7f);
	}

	advance(nowMs: number): void {
		this.#nowMs = nowMs;
		if (this.#state === STATE_SIGN_ON) this.session.advance(nowMs);
		else if (nowMs >= this.#dueMs) this.end();
	}

	poll(): Output {
		if (this.#state === STATE_SIGN_ON) {
			const output = this.session.poll();
			if (output.kind !== OUTPUT_EVENT || output.code !== EVENT_END) return output;
			if (this.session.outcome === OUTCOME_HAND_OVER) this.awaitConfirmation();
			else this.end();
		}
		const isReporting = this.#state === STATE_ENDED && !this.#isReported;
		if (isReporting) this.#isReported = true;
		this.#output.kind = isReporting ? OUTPUT_EVENT : OUTPUT_NONE;
		return this.#output;
	}

	abort(nowMs: number): void {
		if (this.#state === STATE_SIGN_ON) this.session.abort(nowMs);
		else this.end();
	}

	private awaitConfirmation(): void {
		encodeHandOver(this.#acknowledge, baudNumber(this.session.baud));
		this.#dueMs = Math.max(this.#nowMs, this.session.sentByMs) + CONFIRM_MS;
		this.#state = STATE_CONFIRM;
	}

	private confirm(character: number): void {
		if (this.#confirmed === ACKNOWLEDGE_LENGTH) return;
		if (character === this.#acknowledge[this.#confirmed]) this.#confirmed++;
		else this.#confirmed = character === this.#acknowledge[0] ? 1 : 0;
		if (this.#confirmed === ACKNOWLEDGE_LENGTH) this.#dueMs = this.#nowMs + REACTION_MS;
		else if (character === STX) {
			// STX begins a data block, so the meter continues in mode C.
			this.#refused = true;
			this.end();
		}
	}

	private end(): void {
		this.#state = STATE_ENDED;
		this.#dueMs = Number.POSITIVE_INFINITY;
	}
}
