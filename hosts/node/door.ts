/**
 * Connections that wait at a port to be taken, and whose turn it is: the rules of hosts/native/stream-door.h, which both
 * have to keep (test/hosts/door-rules.ts). Here every caller is ready, and no handshake is known to stall: Node shakes
 * hands with all at once.
 */

interface Caller {
	readonly remoteAddress: string;
	close(): void;
}

const FRIENDS = 4;
const FRIENDS_IN_A_ROW = 4;
const MEMORY = 8;
const FRIENDSHIP_MS = 1_800_000;

interface Friend {
	readonly address: string;
	/** When it has shown a token last. */
	readonly knownMs: number;
}

export class Door<T extends Caller> {
	readonly #limit: number;
	readonly #nowMs: () => number;
	/** In the order in which they have come. */
	readonly #callers: T[] = [];
	#friends: Friend[] = [];
	/** Addresses and the turns in which they were served last, the latest at the end. */
	readonly #served = new Map<string, number>();
	#turns = 0;
	/** Friends served since a stranger was. */
	#friendsInARow = 0;

	/** `nowMs`: monotonic milliseconds. */
	constructor(limit: number, nowMs: () => number) {
		this.#limit = limit;
		this.#nowMs = nowMs;
	}

	get count(): number {
		return this.#callers.length;
	}

	/** A valid token was shown from there. */
	know(address: string): void {
		this.#friends = this.#friends.filter((friend) => friend.address !== address);
		this.#friends.push({ address, knownMs: this.#nowMs() });
		if (this.#friends.length > FRIENDS) this.#friends.shift();
	}

	/** A token was revoked: everybody is a stranger. */
	forget(): void {
		this.#friends = [];
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

	/** Takes out the one whose turn it is. */
	take(): T | undefined {
		if (this.#callers.length === 0) return undefined;
		const first = this.#callers.reduce((best, each) => (this.#comesBefore(each, best) ? each : best));
		this.remove(first);
		this.#remember(first.remoteAddress);
		return first;
	}

	close(): void {
		for (const caller of this.#callers.splice(0)) caller.close();
	}

	#isFriend(address: string): boolean {
		const sinceMs = this.#nowMs() - FRIENDSHIP_MS;
		return this.#friends.some((friend) => friend.address === address && friend.knownMs > sinceMs);
	}

	/** Whether it goes before the other; equal ones keep the order in which they came. */
	#comesBefore({ remoteAddress }: T, other: T): boolean {
		const isFriend = this.#isFriend(remoteAddress);
		if (isFriend !== this.#isFriend(other.remoteAddress)) return isFriend === this.#friendsInARow < FRIENDS_IN_A_ROW;
		return (this.#served.get(remoteAddress) ?? 0) < (this.#served.get(other.remoteAddress) ?? 0);
	}

	#remember(address: string): void {
		this.#served.delete(address);
		this.#served.set(address, ++this.#turns);
		if (this.#served.size > MEMORY) this.#served.delete(this.#served.keys().next().value!);
		this.#friendsInARow = this.#isFriend(address) ? this.#friendsInARow + 1 : 0;
	}

	/** The youngest caller of the address with the most; of equally many, a stranger's. */
	#dismiss(): void {
		let surplus = this.#callers[0];
		for (const each of this.#callers) {
			const more = this.#countFrom(each.remoteAddress) - this.#countFrom(surplus.remoteAddress);
			const isSpared = this.#isFriend(each.remoteAddress) && !this.#isFriend(surplus.remoteAddress);
			if (more > 0 || (more === 0 && !isSpared)) surplus = each;
		}
		this.remove(surplus);
		surplus.close();
	}

	#countFrom(address: string): number {
		return this.#callers.filter(({ remoteAddress }) => remoteAddress === address).length;
	}
}
