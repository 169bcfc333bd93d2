/** Virtual time. Events run in the order of their times; events with equal times run in the order of their requests. */
import type { Clock, Timers } from "../../modules/io/host.js";

interface Entry {
	readonly timeMs: number;
	readonly id: number;
	readonly run: () => void;
}

/** Limit of events with the same time. If there are more, two parties probably keep replying to each other. */
export const EVENTS_PER_MOMENT_LIMIT = 100_000;
/** Cancelled events are removed together, once there are this many and most of the heap is cancelled. */
const CANCELLED_LIMIT = 64;

export class VirtualTime implements Clock, Timers {
	#nowMs = 0;
	#lastId = 0;
	/** A binary heap: each entry is earlier than its two children. */
	readonly #heap: Entry[] = [];
	readonly #cancelled = new Set<number>();
	readonly #waiting = new Set<number>();
	#utcOffsetMs: number | undefined;

	/** Milliseconds since the start, with fractions. */
	get nowMs(): number {
		return this.#nowMs;
	}

	/** Number of events that have been requested and not yet run or cancelled. */
	get waiting(): number {
		return this.#waiting.size;
	}

	/** No event runs before this time, ms; Infinity: none is requested. */
	get nextMs(): number {
		return this.#heap[0]?.timeMs ?? Number.POSITIVE_INFINITY;
	}

	/** Calls `run` at that time, or soon if that time is past, but never inside this call. */
	at(timeMs: number, run: () => void): number {
		const id = ++this.#lastId;
		this.#waiting.add(id);
		push(this.#heap, { timeMs: Math.max(timeMs, this.#nowMs), id, run });
		return id;
	}

	set(callback: () => void, delayMs: number): number {
		return this.at(this.#nowMs + Math.max(0, delayMs), callback);
	}

	clear(id: number): void {
		if (!this.#waiting.delete(id)) return;
		this.#cancelled.add(id);
		if (this.#cancelled.size >= Math.max(CANCELLED_LIMIT, this.#heap.length / 2)) this.#purge();
	}

	monotonicMs(): number {
		return Math.floor(this.#nowMs);
	}

	utcMs(): number | undefined {
		return this.#utcOffsetMs === undefined ? undefined : Math.floor(this.#utcOffsetMs + this.#nowMs);
	}

	setUTC(utcMs: number): void {
		this.#utcOffsetMs = utcMs - this.#nowMs;
	}

	/** Advances the time. If a callback throws, rethrows the exception; the time stays at that event. */
	advance(ms: number): void {
		this.run(this.#nowMs + ms);
	}

	run(untilMs: number): void {
		this.runWhile(() => true, untilMs);
	}

	/**
	 * Runs events, and calls `wanted` before each event. Returns true if `wanted` has ended the run, or false if the time
	 * is over.
	 */
	runWhile(wanted: () => boolean, untilMs: number): boolean {
		let atThisMoment = 0;
		while (wanted()) {
			const entry = this.#heap[0];
			if (entry === undefined || entry.timeMs > untilMs) {
				this.#nowMs = Math.max(this.#nowMs, untilMs);
				return false;
			}
			pop(this.#heap);
			if (this.#cancelled.delete(entry.id)) continue;
			this.#waiting.delete(entry.id);
			atThisMoment = entry.timeMs > this.#nowMs ? 0 : atThisMoment + 1;
			if (atThisMoment > EVENTS_PER_MOMENT_LIMIT) throw new Error(`time stands still at ${this.#nowMs} ms`);
			this.#nowMs = entry.timeMs;
			entry.run();
		}
		return true;
	}

	/** A timer that is set anew with each character would otherwise leave thousands of entries. */
	#purge(): void {
		const heap = this.#heap;
		const kept = heap.filter(({ id }) => !this.#cancelled.has(id));
		this.#cancelled.clear();
		heap.length = 0;
		for (const entry of kept) push(heap, entry);
	}
}

function isBefore(a: Entry, b: Entry): boolean {
	return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.id < b.id);
}

function push(heap: Entry[], entry: Entry): void {
	let at = heap.length;
	while (at > 0) {
		const parent = (at - 1) >> 1;
		if (!isBefore(entry, heap[parent])) break;
		heap[at] = heap[parent];
		at = parent;
	}
	heap[at] = entry;
}

function pop(heap: Entry[]): void {
	const last = heap.pop();
	if (last === undefined || heap.length === 0) return;
	let at = 0;
	for (;;) {
		let child = at * 2 + 1;
		if (child >= heap.length) break;
		if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
		if (!isBefore(heap[child], last)) break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}
