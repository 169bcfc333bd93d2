/** A value that several parts of the page share. */
import { useEffect, useState } from "preact/hooks";

export class Store<T> {
	#value: T;
	readonly #watchers = new Set<(value: T) => void>();

	constructor(value: T) {
		this.#value = value;
	}

	get value(): T {
		return this.#value;
	}

	set(value: T): void {
		if (value === this.#value) return;
		this.#value = value;
		for (const watcher of [...this.#watchers]) watcher(value);
	}

	/** Calls `watcher` after each change. The returned function ends this. */
	watch(watcher: (value: T) => void): () => void {
		this.#watchers.add(watcher);
		return () => this.#watchers.delete(watcher);
	}

	until(isWanted: (value: T) => boolean): Promise<void> {
		if (isWanted(this.#value)) return Promise.resolve();
		return new Promise((resolve) => {
			const end = this.watch((value) => {
				if (!isWanted(value)) return;
				end();
				resolve();
			});
		});
	}
}

/** Returns the value, and draws the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
	const [value, setValue] = useState(store.value);
	useEffect(() => {
		setValue(() => store.value);
		return store.watch((next) => setValue(() => next));
	}, [store]);
	return value;
}
