/**
 * Base of sessions with a meter that sends by itself.
 *
 *     LISTENING   bytes, silence: the protocol reports what it has received   abort: ENDED
 *     ENDED       everything is ignored
 */
import { type Machine, NO_BYTES, type Output, OutputQueue } from "../io/machine.js";
import type { Failure } from "./failure.js";
import { EVENT_END, EVENT_READOUT } from "./protocol.js";

export abstract class ListenSession implements Machine {
	/** Failure of the last telegram. After `abort`, it is the failure of the session: undefined if there was a readout. */
	failure: Failure | undefined;
	/** Identification, ASCII; empty before the first valid telegram. */
	meterId: Uint8Array = NO_BYTES;
	received = 0;
	deadlineMs = Number.POSITIVE_INFINITY;
	protected readonly outputs = new OutputQueue();
	/** Event to report, or 0. */
	protected event = 0;
	#hasRead = false;
	#hasEnded = false;

	/** Takes bytes, and sets the deadline. */
	protected abstract take(bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	/** Called when the deadline has passed. */
	protected abstract silence(): void;
	/** Returns the failure of a session that has reported no readout by `report`; undefined if it was a success all the same. */
	protected abstract explain(): Failure | undefined;

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#hasEnded) return;
		this.received += end - start;
		this.take(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.silence();
	}

	poll(): Output {
		if (this.event !== 0) this.outputs.event(this.event);
		this.event = 0;
		return this.outputs.poll();
	}

	abort(_nowMs: number): void {
		if (this.#hasEnded) return;
		this.#hasEnded = true;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.failure = this.#hasRead ? undefined : this.explain();
		this.report(EVENT_END);
	}

	/**
	 * Reports an event at the next `poll`. It replaces an event that was not polled yet, whose records are overwritten. A
	 * protocol that reports each event uses `outputs` instead.
	 */
	protected report(event: number): void {
		this.event = event;
		if (event === EVENT_READOUT) this.#hasRead = true;
	}
}
