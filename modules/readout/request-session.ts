/**
 * Base of sessions that request data from a meter that sends only answers. One request is sent at a time. Characters
 * have 11 bits.
 *
 *     QUIET   silence, or waited too long: ASKING
 *     ASKING  answer: ASKING with the next request, or ENDED after the last one
 *             no answer in time: ASKING, the request is repeated; ENDED after TRIES
 *     any     abort: ENDED
 */
import type { LineSettings } from "../io/host.js";
import { type Machine, NO_BYTES, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "./failure.js";
import { EVENT_END, type SessionContext } from "./protocol.js";
import { type Readout, statusOf } from "./readout.js";
import type { RecordWriter } from "./record-writer.js";

const CHARACTER_BITS = 11;
export const TRIES = 4;
/**
 * Longest silence before an answer: ANSWER_MS and the time of ANSWER_BITS. Longest silence within an answer: GAP_MS and
 * the time of GAP_BITS.
 */
const ANSWER_MS = 500;
const ANSWER_BITS = 330;
const GAP_MS = 150;
const GAP_BITS = 33;
const ANSWER_LIMIT = 280;
/** Longest wait for silence, in multiples of `quietMs`. */
const QUIET_PATIENCE = 5;

export interface RequestProtocol {
	readonly name: string;
	/**
	 * Failures: no character was received; characters but no correct answer were received; the answers stopped after a
	 * correct one.
	 */
	readonly silence: Failure;
	readonly broken: Failure;
	readonly lost: Failure;
}

export abstract class RequestSession implements Machine {
	failure: Failure | undefined;
	/** Identification, ASCII; empty as long as it was not received. */
	meterId: Uint8Array = NO_BYTES;
	received = 0;
	isCut = false;
	deadlineMs: number;
	readonly line: LineSettings;
	protected readonly records: RecordWriter;
	protected readonly identOnly: boolean;
	protected readonly outputs = new OutputQueue();
	protected isAnswered = false;
	protected tries = 0;
	readonly #protocol: RequestProtocol;
	readonly #quietMs: number;
	readonly #patienceEndsMs: number;
	#hasEnded = false;
	/**
	 * Number of received characters minus number of sent characters. If it is positive, the characters are not only an
	 * echo.
	 */
	#surplus = 0;
	#answerEndsMs = 0;

	constructor(protocol: RequestProtocol, line: LineSettings, context: SessionContext<unknown>, identOnly: boolean) {
		const { records, quietMs, nowMs } = context;
		this.#protocol = protocol;
		this.line = line;
		this.records = records;
		this.identOnly = identOnly;
		this.#quietMs = quietMs;
		this.deadlineMs = nowMs + quietMs;
		this.#patienceEndsMs = nowMs + quietMs * QUIET_PATIENCE;
		records.begin();
	}

	protected abstract ask(nowMs: number): void;
	protected abstract take(byte: number): boolean;
	protected abstract proceed(nowMs: number): void;

	get isIdle(): boolean {
		return this.#answerEndsMs === 0;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#hasEnded) return;
		this.received += end - start;
		this.#surplus += end - start;
		if (this.isIdle) {
			this.deadlineMs = Math.min(nowMs + this.#quietMs, Math.max(nowMs, this.#patienceEndsMs));
			return;
		}
		for (let i = start; i < end; i++) {
			if (!this.take(bytes[i])) continue;
			this.isAnswered = true;
			this.proceed(nowMs);
			return;
		}
		if (this.#surplus > 0) this.deadlineMs = Math.min(nowMs + GAP_MS + this.msOf(GAP_BITS), this.#answerEndsMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		if (this.tries < TRIES) this.ask(nowMs);
		else this.abort(nowMs);
	}

	poll(): Output {
		return this.outputs.poll();
	}

	abort(_nowMs: number): void {
		if (this.#hasEnded) return;
		const { silence, broken, lost } = this.#protocol;
		this.end(this.isAnswered ? lost : this.#surplus > 0 ? broken : silence);
	}

	readout(_event: number, utcMs: number): Readout | undefined {
		if (this.failure !== undefined) return undefined;
		const { kept: records = NO_BYTES, overflow } = this.records;
		const { meterId, isCut } = this;
		const { name: protocol } = this.#protocol;
		return { protocol, meterId, mode: 0, baud: this.line.baud, utcMs, status: statusOf(isCut || overflow), records };
	}

	protected end(failure: Failure | undefined): void {
		this.failure = failure;
		if (failure === undefined) this.records.endBlock(true);
		this.#hasEnded = true;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.outputs.event(EVENT_END);
	}

	protected send(bytes: Uint8Array, nowMs: number): void {
		const { length } = bytes;
		this.outputs.transmit(bytes, 0, length);
		this.#surplus = -length;
		this.deadlineMs = nowMs + ANSWER_MS + this.msOf(length * CHARACTER_BITS + ANSWER_BITS);
		this.#answerEndsMs = this.deadlineMs + this.msOf(ANSWER_LIMIT * CHARACTER_BITS);
	}

	private msOf(bits: number): number {
		return (bits * 1000) / this.line.baud;
	}
}
