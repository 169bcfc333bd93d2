/**
 * Makes the server's end of a connection hostile: what an honest server sends is damaged, delayed, repeated, cut off or
 * replaced. Each connection misbehaves in one way, and the bytes arrive in pieces of random length.
 */
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import type { Mutator } from "./mutator.js";

/** Makes bytes that are valid or nearly valid in the protocol, but do not fit into the conversation. */
export type Odd = (mutator: Mutator) => Uint8Array;

/** Number of bytes that a connection sends at most. */
const BUDGET = 60_000;
const SLOW_PIECE = 8;
const SLOW_MS = [1, 30, 400, 7000, 29_000];
/** Number of odd pieces in a flood, and of repetitions. */
const FLOOD = 300;
const REPETITIONS = 40;
/** Offsets at which most messages are cut off. */
const CUT_LIMIT = 700;

const HONEST = 0;
const SILENT = 1;
const CUT = 2;
const SLOW = 3;
const DAMAGING = 4;
const ODD = 5;
const FLOODING = 6;
const REPEATING = 7;
const STUCK = 8;
const FORGETFUL = 9;
const PARROT = 10;
const WAYS = 11;
/** Number of pieces after which a parrot repeats only the last one. */
const PARROT_LIMIT = 5;

class HostileLink {
	readonly #peer: VirtualClient;
	readonly #time: VirtualTime;
	readonly #mutator: Mutator;
	readonly #odd: Odd;
	readonly #send: (bytes: Uint8Array) => void;
	readonly #way: number;
	readonly #pauseMs: number;
	readonly #parrotAt: number;
	/** Earlier pieces of the honest server, for repetitions out of order. */
	readonly #earlier: Uint8Array[] = [];
	/** Number of bytes that may still be sent. */
	#left = BUDGET;
	#nextMs = 0;
	#hasEnded = false;

	constructor(peer: VirtualClient, time: VirtualTime, mutator: Mutator, odd: Odd) {
		this.#peer = peer;
		this.#time = time;
		this.#mutator = mutator;
		this.#odd = odd;
		const { random } = mutator;
		this.#send = peer.send.bind(peer);
		this.#way = random.below(WAYS);
		this.#pauseMs = mutator.pick(SLOW_MS);
		this.#parrotAt = random.below(PARROT_LIMIT);
		if (this.#way === CUT) this.#left = random.below(CUT_LIMIT);
		if (this.#way === STUCK) peer.paused = true;
		peer.send = (bytes) => this.#answer(Buffer.from(bytes));
		for (const end of ["close", "reset"] as const) {
			const original = peer[end].bind(peer);
			peer[end] = () => {
				this.#hasEnded = true;
				original();
			};
		}
		// Some servers speak first.
		if (this.#way !== HONEST && random.oneIn(8)) this.#deliver(odd(mutator));
	}

	#answer(good: Uint8Array): void {
		const mutator = this.#mutator;
		const { random } = mutator;
		this.#earlier.push(good);
		switch (this.#way) {
			case SILENT:
				return;
			case DAMAGING:
				this.#deliver(random.oneIn(2) ? mutator.mutate(good, this.#odd(mutator)) : good);
				return;
			case ODD:
				if (random.oneIn(2)) this.#deliver(this.#odd(mutator));
				if (!random.oneIn(3)) this.#deliver(good);
				if (random.oneIn(2)) this.#deliver(this.#odd(mutator));
				return;
			case FLOODING: {
				this.#deliver(good);
				const odd = this.#odd(mutator);
				for (let count = 0; count < FLOOD; count++) this.#deliver(random.oneIn(4) ? this.#odd(mutator) : odd);
				return;
			}
			case REPEATING:
				for (let count = 1 + random.below(REPETITIONS); count > 0; count--) this.#deliver(good);
				return;
			case FORGETFUL:
				this.#deliver(mutator.pick(this.#earlier));
				return;
			case PARROT:
				this.#deliver(this.#earlier[Math.min(this.#parrotAt, this.#earlier.length - 1)]);
				return;
			default:
				this.#deliver(good);
		}
	}

	/** Sends bytes in pieces, one after the other, and closes when the budget is used up. */
	#deliver(bytes: Uint8Array): void {
		const mutator = this.#mutator;
		const { random } = mutator;
		if (this.#way !== SLOW) {
			mutator.inPieces(bytes, (buffer, start, end) => this.#post(buffer.slice(start, end), random.below(3)));
			return;
		}
		for (let at = 0; at < bytes.length; ) {
			const end = at + 1 + random.below(SLOW_PIECE);
			this.#post(bytes.slice(at, end), this.#pauseMs);
			at = end;
		}
	}

	#post(piece: Uint8Array, delayMs: number): void {
		if (this.#left <= 0) return;
		const bytes = piece.subarray(0, this.#left);
		this.#left -= bytes.length;
		const isLast = this.#left === 0;
		const mustReset = this.#mutator.random.oneIn(2);
		this.#nextMs = Math.max(this.#nextMs, this.#time.nowMs) + delayMs;
		this.#time.at(this.#nextMs, () => {
			if (this.#peer.isClosed || this.#hasEnded) return;
			this.#send(bytes);
			if (!isLast) return;
			if (mustReset) this.#peer.reset();
			else this.#peer.close();
		});
	}
}

/** Call it when a connection was accepted, before the honest server sends anything. */
export function makeHostile(peer: VirtualClient, time: VirtualTime, mutator: Mutator, odd: Odd): void {
	new HostileLink(peer, time, mutator, odd);
}
