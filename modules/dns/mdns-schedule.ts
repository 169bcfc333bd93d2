/**
 * Decides when mdns.ts multicasts a record (RFC 6762, 6 and 7.2). Some answers are delayed: those that other devices
 * may send, too, and those for which the querier sends further known answers (answers that it already has). After many
 * conflicts about a name, the next attempt is delayed (8.1). Limit: only one querier at a time can send further known
 * answers.
 */
import { RECORD_COUNT } from "./mdns-records.js";

/** Minimum time between two multicasts of a record. */
export const AGAIN_MS = 1000;
/** The next attempt is delayed if there were this many conflicts, each less than CONFLICT_MS after the previous one. */
const CONFLICTS = 15;
const CONFLICT_MS = 10_000;

export class MDNSSchedule {
	readonly #sentMs: number[] = new Array(RECORD_COUNT).fill(-Infinity);
	#pending = 0;
	#pendingMs = Infinity;
	/**
	 * Mask of the answers to a truncated question, the end of the wait (`#waitingMs`), and the querier (`#waitingFor`).
	 */
	#waiting = 0;
	#waitingMs = Infinity;
	#waitingFor = "";
	#conflicts = 0;
	#conflictMs = -Infinity;

	get deadlineMs(): number {
		return Math.min(this.#pendingMs, this.#waitingMs);
	}

	clear(): void {
		this.#pending = 0;
		this.#pendingMs = Infinity;
		this.#waiting = 0;
		this.#waitingMs = Infinity;
	}

	/** Call when the contents of the records have changed. Forgets when they were last sent. */
	forget(): void {
		this.#sentMs.fill(-Infinity);
	}

	/** Schedules the records. If a transmission is already pending for an earlier time, they are sent with it. */
	later(bits: number, atMs: number): void {
		if (bits === 0) return;
		this.#pending |= bits;
		this.#pendingMs = Math.min(this.#pendingMs, atMs);
	}

	/**
	 * Waits for further known answers of this querier before sending the answers `bits`. If answers for another querier
	 * were waiting, they become due at their time, without a further wait.
	 */
	wait(bits: number, asker: string, untilMs: number): void {
		if (this.#waiting !== 0 && asker !== this.#waitingFor) this.endWaiting();
		this.#waiting |= bits;
		this.#waitingFor = asker;
		this.#waitingMs = untilMs;
	}

	isWaitingFor(asker: string): boolean {
		return this.#waiting !== 0 && asker === this.#waitingFor;
	}

	drop(bits: number): void {
		this.#waiting &= ~bits;
	}

	due(nowMs: number): number {
		if (nowMs >= this.#waitingMs) this.endWaiting();
		return nowMs >= this.#pendingMs ? this.take(this.#pending, nowMs) : 0;
	}

	/**
	 * Returns those of the records `bits` that may be multicast now, because their last multicast is at least `gapMs`
	 * ago. The others stay pending.
	 */
	take(bits: number, nowMs: number, gapMs = AGAIN_MS): number {
		const free = bits & ~this.sentWithin(gapMs, nowMs);
		this.#pending = (this.#pending | bits) & ~free;
		if (this.#pendingMs <= nowMs || this.#pendingMs === Infinity) this.#pendingMs = this.earliest(nowMs);
		return free;
	}

	/** Notes that the records were sent now. They are no longer pending, and no longer wait for a querier. */
	sent(bits: number, nowMs: number): void {
		this.#pending &= ~bits;
		this.#waiting &= ~bits;
		for (let i = 0; i < RECORD_COUNT; i++) if ((bits >> i) & 1) this.#sentMs[i] = nowMs;
	}

	sentWithin(ms: number, nowMs: number): number {
		let bits = 0;
		for (let i = 0; i < RECORD_COUNT; i++) if (nowMs - this.#sentMs[i] < ms) bits |= 1 << i;
		return bits;
	}

	mayTryAgain(nowMs: number): boolean {
		if (nowMs - this.#conflictMs > CONFLICT_MS) this.#conflicts = 0;
		this.#conflictMs = nowMs;
		return ++this.#conflicts < CONFLICTS;
	}

	private endWaiting(): void {
		this.later(this.#waiting, this.#waitingMs);
		this.#waiting = 0;
		this.#waitingMs = Infinity;
	}

	private earliest(nowMs: number): number {
		let earliest = Infinity;
		for (let i = 0; i < RECORD_COUNT; i++) {
			if ((this.#pending >> i) & 1) earliest = Math.min(earliest, Math.max(nowMs, this.#sentMs[i] + AGAIN_MS));
		}
		return earliest;
	}
}
