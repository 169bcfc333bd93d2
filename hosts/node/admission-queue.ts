/**
 * Admission queue with the rules of hosts/native/admission-queue.h. Node performs the handshakes itself. Therefore
 * every pending connection counts as ready, and no handshake stalls.
 */

interface PendingConnection {
	readonly remoteAddress: string;
	close(): void;
}

const TRUSTED_LIMIT = 4;
const TRUSTED_IN_A_ROW = 4;
const MEMORY = 8;
const TRUST_MS = 1_800_000;

interface TrustedAddress {
	readonly address: string;
	readonly knownMs: number;
}

export class AdmissionQueue<T extends PendingConnection> {
	readonly #limit: number;
	readonly #nowMs: () => number;
	readonly #pending: T[] = [];
	#trusted: TrustedAddress[] = [];
	readonly #served = new Map<string, number>();
	#places = 0;
	#trustedInARow = 0;

	constructor(limit: number, nowMs: () => number) {
		this.#limit = limit;
		this.#nowMs = nowMs;
	}

	get count(): number {
		return this.#pending.length;
	}

	know(address: string): void {
		this.#trusted = this.#trusted.filter((trusted) => trusted.address !== address);
		this.#trusted.push({ address, knownMs: this.#nowMs() });
		if (this.#trusted.length > TRUSTED_LIMIT) this.#trusted.shift();
	}

	forget(): void {
		this.#trusted = [];
	}

	add(caller: T): void {
		this.#pending.push(caller);
		if (this.#pending.length > this.#limit) this.#dropOne();
	}

	remove(caller: T): void {
		const index = this.#pending.indexOf(caller);
		if (index >= 0) this.#pending.splice(index, 1);
	}

	take(): T | undefined {
		if (this.#pending.length === 0) return undefined;
		const first = this.#pending.reduce((best, each) => (this.#precedes(each, best) ? each : best));
		this.remove(first);
		this.#remember(first.remoteAddress);
		return first;
	}

	close(): void {
		for (const caller of this.#pending.splice(0)) caller.close();
	}

	#isTrusted(address: string): boolean {
		const sinceMs = this.#nowMs() - TRUST_MS;
		return this.#trusted.some((trusted) => trusted.address === address && trusted.knownMs > sinceMs);
	}

	/** True if the first connection is served before `other`, which may have arrived earlier. */
	#precedes({ remoteAddress }: T, other: T): boolean {
		const isTrusted = this.#isTrusted(remoteAddress);
		if (isTrusted !== this.#isTrusted(other.remoteAddress)) return isTrusted === this.#trustedInARow < TRUSTED_IN_A_ROW;
		return (this.#served.get(remoteAddress) ?? 0) < (this.#served.get(other.remoteAddress) ?? 0);
	}

	#remember(address: string): void {
		this.#served.delete(address);
		this.#served.set(address, ++this.#places);
		if (this.#served.size > MEMORY) this.#served.delete(this.#served.keys().next().value!);
		this.#trustedInARow = this.#isTrusted(address) ? this.#trustedInARow + 1 : 0;
	}

	#dropOne(): void {
		let surplus = this.#pending[0];
		for (const each of this.#pending) {
			const more = this.#countFrom(each.remoteAddress) - this.#countFrom(surplus.remoteAddress);
			const isSpared = this.#isTrusted(each.remoteAddress) && !this.#isTrusted(surplus.remoteAddress);
			if (more > 0 || (more === 0 && !isSpared)) surplus = each;
		}
		this.remove(surplus);
		surplus.close();
	}

	#countFrom(address: string): number {
		return this.#pending.filter(({ remoteAddress }) => remoteAddress === address).length;
	}
}
