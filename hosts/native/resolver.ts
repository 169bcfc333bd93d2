/** `resolve` of the host contract (resolver.h). */
import type { Timers } from "../../modules/io/host.js";

type Done = (address: string | undefined) => void;

class NativeResolver extends Native("xs_resolver_destructor") {
	constructor(target: object) {
		super();
		native("xs_resolver").call(this, target);
	}
	ask(name: string): number {
		return native("xs_resolver_ask").call(this, name);
	}
}

export class Resolver {
	readonly #timers: Timers;
	readonly #native: NativeResolver;
	readonly #waiting: (Done | undefined)[] = [];

	constructor(timers: Timers) {
		this.#timers = timers;
		this.#native = new NativeResolver(this);
	}

	resolve(name: string, done: Done): void {
		const number = this.#native.ask(name);
		if (number < 0) this.#timers.set(() => done(undefined), 0);
		else this.#waiting[number] = done;
	}

	onResolved(number: number, address: string | undefined): void {
		const done = this.#waiting[number]!;
		this.#waiting[number] = undefined;
		done(address);
	}
}
