/**
 * Schedule of multicast records (RFC 6762, 6 and 7.2) for mdns.ts. It delays answers that other devices may also send
 * or that wait for known answers, and limits the rate of conflicts (8.1). Limit: it waits for the known answers of one
 * querier at a time.
 */
import { RECORD_COUNT } from "./mdns-records.js";

/** Minimum time between two multicasts of a record. */
export const AGAIN_MS = 1000;
/** The next attempt is delayed after this many conflicts, each less than CONFLICT_MS after the previous one. */
const CONFLICTS = 15;
const CONFLICT_MS = 10_000;

export class MDNSSchedule {
	readonly #sentMs: number[] = new Array(RECORD_COUNT).fill(-Infinity);
	#pending = 0;
	#pendingMs = Infinity;
	/** Answers to a truncated question, and the querier. */
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

	/** Forgets when records were sent, because their content has changed. */
	forget(): void {
		this.#sentMs.fill(-Infinity);
	}

	/** Schedules the records; an earlier pending transmission includes them. */
	later(bits: number, atMs: number): void {
		if (bits === 0) return;
		this.#pending |= bits;
		this.#pendingMs = Math.min(this.#pendingMs, atMs);
	}

	/**
	 * Waits for further known answers of this querier. Answers that wait for another querier are sent without a further
	 * delay.
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

	/** Returns the records that may be multicast now. The others follow `gapMs` after their last multicast. */
	take(bits: number, nowMs: number, gapMs = AGAIN_MS): number {
		const free = bits & ~this.sentWithin(gapMs, nowMs);
		this.#pending = (this.#pending | bits) & ~free;
		if (this.#pendingMs <= nowMs || this.#pendingMs === Infinity) this.#pendingMs = this.earliest(nowMs);
		return free;
	}

	/** Notes that the records were sent: they are no longer pending or kept for a querier. */
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
