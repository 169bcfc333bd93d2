/**
 * When which record is multicast (RFC 6762, 6 and 7.2), for mdns.ts: answers that wait a moment, in case that another has
 * the same, those to a question whose known answers are still to come, and how long ago each record was sent; and whether
 * there are too many conflicts (8.1). Records are the bits of a number. Limit: the known answers of one asker are awaited
 * at a time.
 */
import { RECORD_COUNT } from "./mdns-records.js";

/** Between two multicasts of a record. */
export const AGAIN_MS = 1000;
/** So many conflicts with less than this between them are too many. */
const CONFLICTS = 15;
const CONFLICT_MS = 10_000;

export class MDNSSchedule {
	/** When each record was multicast last. */
	readonly #sentMs: number[] = new Array(RECORD_COUNT).fill(-Infinity);
	#pending = 0;
	#pendingMs = Infinity;
	/** Answers to a truncated question, and who asked it. */
	#waiting = 0;
	#waitingMs = Infinity;
	#waitingFor = "";
	#conflicts = 0;
	#conflictMs = -Infinity;

	/** When something is to be sent; Infinity: nothing is. */
	get deadlineMs(): number {
		return Math.min(this.#pendingMs, this.#waitingMs);
	}

	/** Nothing is to be sent any more. */
	clear(): void {
		this.#pending = 0;
		this.#pendingMs = Infinity;
		this.#waiting = 0;
		this.#waitingMs = Infinity;
	}

	/** What was sent says no longer what is true. */
	forget(): void {
		this.#sentMs.fill(-Infinity);
	}

	/** One that is pending already takes the others with it. */
	later(bits: number, atMs: number): void {
		if (bits === 0) return;
		this.#pending |= bits;
		this.#pendingMs = Math.min(this.#pendingMs, atMs);
	}

	/** The known answers of this asker go on; one before goes without the rest of its own. */
	wait(bits: number, asker: string, untilMs: number): void {
		if (this.#waiting !== 0 && asker !== this.#waitingFor) this.endWaiting();
		this.#waiting |= bits;
		this.#waitingFor = asker;
		this.#waitingMs = untilMs;
	}

	isWaitingFor(asker: string): boolean {
		return this.#waiting !== 0 && asker === this.#waitingFor;
	}

	/** Answers that the awaited querier knows. */
	drop(bits: number): void {
		this.#waiting &= ~bits;
	}

	/** What is to be multicast now of what was put off. */
	due(nowMs: number): number {
		if (nowMs >= this.#waitingMs) this.endWaiting();
		return nowMs >= this.#pendingMs ? this.take(this.#pending, nowMs) : 0;
	}

	/** What of these may be multicast now; the others follow when `gapMs` have gone by since they were. */
	take(bits: number, nowMs: number, gapMs = AGAIN_MS): number {
		const free = bits & ~this.sentWithin(gapMs, nowMs);
		this.#pending = (this.#pending | bits) & ~free;
		if (this.#pendingMs <= nowMs || this.#pendingMs === Infinity) this.#pendingMs = this.earliest(nowMs);
		return free;
	}

	/** All have these now, who waits for them as well. */
	sent(bits: number, nowMs: number): void {
		this.#pending &= ~bits;
		this.#waiting &= ~bits;
		for (let i = 0; i < RECORD_COUNT; i++) if ((bits >> i) & 1) this.#sentMs[i] = nowMs;
	}

	/** Which were multicast less than `ms` ago. */
	sentWithin(ms: number, nowMs: number): number {
		let bits = 0;
		for (let i = 0; i < RECORD_COUNT; i++) if (nowMs - this.#sentMs[i] < ms) bits |= 1 << i;
		return bits;
	}

	/** Counts a conflict; whether the next try may follow it at once. */
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

	/** When one of the pending records may be multicast again. */
	private earliest(nowMs: number): number {
		let earliest = Infinity;
		for (let i = 0; i < RECORD_COUNT; i++) {
			if ((this.#pending >> i) & 1) earliest = Math.min(earliest, Math.max(nowMs, this.#sentMs[i] + AGAIN_MS));
		}
		return earliest;
	}
}
