/**
 * Queue of callers that wait for a readout, each for at most READ_WAIT_MS. Each caller is notified once, in a tick of
 * its own, to save stack.
 *
 *     WAITING   tell: TOLD, due at once          timeout: removed and notified of it, or one more minute (a)
 *     TOLD      next tick: removed, notified     in both states, remove: removed without notification
 *
 *     (a) for a load profile, up to PROFILE_MINUTES, while no other caller is waiting.
 */
import { takeOut } from "../bytes/list.js";
import type { Failure } from "../readout/failure.js";
import type { ProfileRequest } from "../readout/protocol.js";
import type { Readout } from "../readout/readout.js";

const READ_WAIT_MS = 60_000;
/** Minutes for a load profile: 100 rows take one minute at 300 Bd, in addition to readout and sign-ons. */
const PROFILE_MINUTES = 3;
/** Maximum number of callers: all connections of the server, and the schedule. */
const WAITER_LIMIT = 8;

/** `finished()` is called once: with a readout, a failure, or both if the readout failed its check. */
export interface ReadCallback {
	finished(readout: Readout | undefined, failure: Failure | undefined): void;
}

export interface PendingRead {
	readonly callback: ReadCallback;
	/** Requested load profile; undefined for a readout. */
	profile: ProfileRequest | undefined;
	/** Time of the next notification or timeout, monotonic ms. */
	dueMs: number;
	/** Minutes by which the timeout may be extended. */
	minutes: number;
	/** True if the result below must be notified. */
	isNotified: boolean;
	readout: Readout | undefined;
	failure: Failure | undefined;
}

export class PendingReads {
	readonly #waiting: PendingRead[] = [];

	get deadlineMs(): number {
		let deadlineMs = Number.POSITIVE_INFINITY;
		for (let i = 0; i < this.#waiting.length; i++) deadlineMs = Math.min(deadlineMs, this.#waiting[i].dueMs);
		return deadlineMs;
	}

	/** Number of callers without a result. */
	get count(): number {
		let count = 0;
		for (let i = 0; i < this.#waiting.length; i++) if (!this.#waiting[i].isNotified) count++;
		return count;
	}

	/**
	 * Returns the request of the first waiting caller; undefined for a readout. If the protocol does not support
	 * profiles, all callers get a readout.
	 */
	next(asksForProfiles: boolean): ProfileRequest | undefined {
		for (const waiting of this.#waiting) {
			if (!asksForProfiles) waiting.profile = undefined;
			else if (!waiting.isNotified) return waiting.profile;
		}
		return undefined;
	}

	/** Returns false if the queue is full. */
	add(callback: ReadCallback, profile: ProfileRequest | undefined, nowMs: number): boolean {
		if (this.#waiting.length === WAITER_LIMIT) return false;
		this.#waiting.push({
			callback: callback,
			profile,
			dueMs: nowMs + READ_WAIT_MS,
			minutes: profile === undefined ? 0 : PROFILE_MINUTES - 1,
			isNotified: false,
			readout: undefined,
			failure: undefined,
		});
		return true;
	}

	/** Removes a caller, if it is queued, without notification. */
	remove(callback: ReadCallback): void {
		takeOut(
			this.#waiting,
			this.#waiting.findIndex((waiting) => waiting.callback === callback),
		);
	}

	/** Removes all callers without notification. */
	removeAll(): void {
		this.#waiting.length = 0;
	}

	/**
	 * Sets the result for all callers that wait for this profile, or for a readout; they are notified from the next
	 * tick on. A failed readout also fails profiles. A caller that sends another request during its notification waits
	 * for the next result.
	 */
	tell(readout: Readout | undefined, failure: Failure | undefined, nowMs: number, profile?: ProfileRequest): void {
		const isAll = readout === undefined && profile === undefined;
		for (const waiting of this.#waiting) {
			if (waiting.isNotified || !(isAll || waiting.profile === profile)) continue;
			waiting.isNotified = true;
			waiting.dueMs = nowMs;
			waiting.readout = readout;
			waiting.failure = failure;
		}
	}

	/** Removes and returns a caller that is due; the caller of this method must notify it. Call it once per tick. */
	takeDue(nowMs: number): PendingRead | undefined {
		const due = takeOut(
			this.#waiting,
			this.#waiting.findIndex((waiting) => nowMs >= waiting.dueMs),
		);
		if (due === undefined || due.isNotified || due.minutes === 0 || this.#waiting.length > 0) return due;
		due.minutes--;
		due.dueMs = nowMs + READ_WAIT_MS;
		this.#waiting.push(due);
		return undefined;
	}
}
