/**
 * Who waits at a port for a place, and whose turn it is: as in hosts/native/stream-door.h. The first are those from an
 * address that somebody known came from, then the address that was served least lately, then who came first. When the
 * door is full, the address with the most callers loses its first one.
 */

interface Caller {
	readonly remoteAddress: string;
	close(): void;
}

const FRIENDS = 4;
const MEMORY = 8;

/** At the end of the list, and its length bounded. */
function remember(list: string[], address: string, limit: number): void {
	const before = list.indexOf(address);
	if (before >= 0) list.splice(before, 1);
	else if (list.length >= limit) list.shift();
	list.push(address);
}

export class Door<T extends Caller> {
	readonly #limit: number;
	readonly #callers: T[] = [];
	readonly #friends: string[] = [];
	/** The last one is the latest. */
	readonly #served: string[] = [];

	constructor(limit: number) {
		this.#limit = limit;
	}

	get count(): number {
		return this.#callers.length;
	}

	know(address: string): void {
		remember(this.#friends, address, FRIENDS);
	}

	add(caller: T): void {
		this.#callers.push(caller);
		if (this.#callers.length > this.#limit) this.#dismiss();
	}

	/** It has gone by itself. */
	remove(caller: T): void {
		const index = this.#callers.indexOf(caller);
		if (index >= 0) this.#callers.splice(index, 1);
	}

	/** Whose turn it is; it is here no more. */
	take(): T | undefined {
		const turns = this.#callers.map(({ remoteAddress }) => this.#turnOf(remoteAddress));
		const index = turns.indexOf(Math.min(...turns));
		if (index < 0) return undefined;
		const [caller] = this.#callers.splice(index, 1);
		remember(this.#served, caller.remoteAddress, MEMORY);
		return caller;
	}

	close(): void {
		for (const caller of this.#callers.splice(0)) caller.close();
	}

	#turnOf(address: string): number {
		return this.#friends.includes(address) ? -2 : this.#served.indexOf(address);
	}

	#dismiss(): void {
		const counts = this.#callers.map(({ remoteAddress }) =>
			this.#friends.includes(remoteAddress)
				? 0
				: this.#callers.filter((other) => other.remoteAddress === remoteAddress).length,
		);
		const [caller] = this.#callers.splice(counts.indexOf(Math.max(...counts)), 1);
		caller.close();
	}
}
