/**
 * Callers that have asked the meter reader for a readout: each waits READ_WAIT_MS at most, and is told once, in a turn of his
 * own: what he does with it and what led to it don't fit on the stack of the microcontroller together.
 *
 *   WAITING   tell: TOLD, due at once          time over: gone, and told that it takes longer, or another minute (a)
 *   TOLD      next turn: gone, and told        either: remove: gone, and not told
 *
 *   (a) who waits for a load profile, up to PROFILE_MINUTES, while nobody else wants something of the meter.
 */
import { takeOut } from "../bytes/list.js";
import type { Failure } from "../readout/failure.js";
import type { ProfileRequest } from "../readout/protocol.js";
import type { Readout } from "../readout/readout.js";

/** The longest a caller waits for a readout. */
const READ_WAIT_MS = 60_000;
/** A hundred rows take one at 300 Bd, beside the readout and the sign-ons. */
const PROFILE_MINUTES = 3;
/** Callers at once: as many as the server has connections, and the schedule. */
const WAITER_LIMIT = 8;

/** Told once: with a readout, or without one and why there is none; or with one that failed its check, and why. */
export interface ReadCallback {
	finished(readout: Readout | undefined, failure: Failure | undefined): void;
}

export interface PendingRead {
	readonly callback: ReadCallback;
	/** What he has asked for; undefined: a readout. */
	profile: ProfileRequest | undefined;
	/** When he is told, monotonic ms: his answer at once, or that his time is over. */
	dueMs: number;
	/** So much longer he may wait. */
	minutes: number;
	/** His answer is on its way: this. */
	isNotified: boolean;
	readout: Readout | undefined;
	failure: Failure | undefined;
}

export class PendingReads {
	readonly #waiting: PendingRead[] = [];

	/** When the next one is due, monotonic ms. */
	get deadlineMs(): number {
		let deadlineMs = Number.POSITIVE_INFINITY;
		for (let i = 0; i < this.#waiting.length; i++) deadlineMs = Math.min(deadlineMs, this.#waiting[i].dueMs);
		return deadlineMs;
	}

	/** Those who wait for what the meter says. */
	get count(): number {
		let count = 0;
		for (let i = 0; i < this.#waiting.length; i++) if (!this.#waiting[i].isNotified) count++;
		return count;
	}

	/** What is asked for next: what the first wants. Where no profile can be asked for, a readout is for all. */
	next(asksForProfiles: boolean): ProfileRequest | undefined {
		for (const waiting of this.#waiting) {
			if (!asksForProfiles) waiting.profile = undefined;
			else if (!waiting.isNotified) return waiting.profile;
		}
		return undefined;
	}

	/** False when too many wait already. */
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

	/** He is not told. One that is not there is no error. */
	remove(callback: ReadCallback): void {
		takeOut(
			this.#waiting,
			this.#waiting.findIndex((waiting) => waiting.callback === callback),
		);
	}

	/** Nobody is told. */
	removeAll(): void {
		this.#waiting.length = 0;
	}

	/**
	 * Tells those who wait for that profile, or for a readout, from the next turn on; and all of a failure of a readout, since
	 * a profile would fail the same way. One who asks again when he is told waits for the next.
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

	/** One whose turn it is, who is no longer among these: tell him, and nobody else in this turn. */
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
