/**
 * Queue of callers that wait for a readout, each for at most READ_WAIT_MS. Each caller is notified once, in a separate
 * tick, because a notification needs much stack. The columns are events:
 *
 *                `resolve()`   next tick           timeout                              `remove()`
 *     WAITING    RESOLVED      –                   removed and notified, or waits (a)   removed
 *     RESOLVED   –             removed, notified   –                                    removed
 *
 *     (a) a caller for a load profile waits up to PROFILE_MINUTES, while no other caller is queued.
 */
import { removeAt } from "../bytes/list.js";
import type { Failure } from "../readout/failure.js";
import type { ProfileRequest } from "../readout/protocol.js";
import type { Readout } from "../readout/readout.js";

const READ_WAIT_MS = 60_000;
/**
 * Longest wait for a load profile, minutes. It covers a readout with its sign-ons, and one minute for each 100 rows at
 * 300 Bd.
 */
const PROFILE_MINUTES = 3;
/** Maximum number of callers: one for each connection of the server, and the schedule. */
const QUEUE_LIMIT = 8;

/** `finished()` is called once: with a readout, with a failure, or with both if the readout failed its check. */
export interface ReadCallback {
	finished(readout: Readout | undefined, failure: Failure | undefined): void;
}

export interface PendingRead {
	readonly callback: ReadCallback;
	profile: ProfileRequest | undefined;
	dueMs: number;
	minutes: number;
	hasResult: boolean;
	readout: Readout | undefined;
	failure: Failure | undefined;
}

export class PendingReads {
	readonly #queue: PendingRead[] = [];

	get deadlineMs(): number {
		let deadlineMs = Number.POSITIVE_INFINITY;
		for (let i = 0; i < this.#queue.length; i++) deadlineMs = Math.min(deadlineMs, this.#queue[i].dueMs);
		return deadlineMs;
	}

	get count(): number {
		let count = 0;
		for (let i = 0; i < this.#queue.length; i++) if (!this.#queue[i].hasResult) count++;
		return count;
	}

	/**
	 * Returns the load profile to read next; undefined for a readout. If the protocol does not support profiles, all
	 * requests become readouts.
	 */
	next(hasProfiles: boolean): ProfileRequest | undefined {
		for (const waiting of this.#queue) {
			if (!hasProfiles) waiting.profile = undefined;
			else if (!waiting.hasResult) return waiting.profile;
		}
		return undefined;
	}

	/** Adds a caller; `profile` is undefined for a readout. Returns false if the queue is full. */
	add(callback: ReadCallback, profile: ProfileRequest | undefined, nowMs: number): boolean {
		if (this.#queue.length === QUEUE_LIMIT) return false;
		this.#queue.push({
			callback: callback,
			profile,
			dueMs: nowMs + READ_WAIT_MS,
			minutes: profile === undefined ? 0 : PROFILE_MINUTES - 1,
			hasResult: false,
			readout: undefined,
			failure: undefined,
		});
		return true;
	}

	remove(callback: ReadCallback): void {
		removeAt(
			this.#queue,
			this.#queue.findIndex((waiting) => waiting.callback === callback),
		);
	}

	removeAll(): void {
		this.#queue.length = 0;
	}

	/**
	 * Stores a result for all callers that wait for `profile` or, if `profile` is undefined, for a readout. If both
	 * `readout` and `profile` are undefined, all callers get the failure. A caller that makes another request during its
	 * notification waits for the next result.
	 */
	resolve(readout: Readout | undefined, failure: Failure | undefined, nowMs: number, profile?: ProfileRequest): void {
		const isAll = readout === undefined && profile === undefined;
		for (const waiting of this.#queue) {
			if (waiting.hasResult || !(isAll || waiting.profile === profile)) continue;
			waiting.hasResult = true;
			waiting.dueMs = nowMs;
			waiting.readout = readout;
			waiting.failure = failure;
		}
	}

	/** Removes and returns the first request that is due, whose callback the reader must call. */
	takeDue(nowMs: number): PendingRead | undefined {
		const due = removeAt(
			this.#queue,
			this.#queue.findIndex((waiting) => nowMs >= waiting.dueMs),
		);
		if (due === undefined || due.hasResult || due.minutes === 0 || this.#queue.length > 0) return due;
		due.minutes--;
		due.dueMs = nowMs + READ_WAIT_MS;
		this.#queue.push(due);
		return undefined;
	}
}
