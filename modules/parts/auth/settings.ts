/** Stores account and long-lived tokens as settings. */

import { put } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import { StorageRefusal } from "../../config/watched-storage.js";
import { ACCESS_DIGEST, ACCESS_IS_DEFAULT, ACCESS_SALT, TOKENS_RECORDS } from "./fields.js";

export class AccessSettings {
	readonly #store: ConfigStore;
	/** Account with the password on the label, kept here while flash refuses to store it. */
	#unsaved: { readonly salt: string; readonly digest: Uint8Array } | undefined;

	constructor(store: ConfigStore) {
		this.#store = store;
	}

	get salt(): string {
		return this.#unsaved?.salt ?? this.#store.get(ACCESS_SALT);
	}

	get digest(): Uint8Array {
		return this.#unsaved?.digest ?? this.#store.get(ACCESS_DIGEST);
	}

	get isDefault(): boolean {
		return this.#store.get(ACCESS_IS_DEFAULT);
	}

	save(salt: string, digest: Uint8Array, isDefault: boolean): void {
		const puts = [put(ACCESS_SALT, salt), put(ACCESS_DIGEST, digest), put(ACCESS_IS_DEFAULT, isDefault)];
		try {
			this.#store.change(puts);
			this.#unsaved = undefined;
		} catch (error) {
			if (!isDefault || !(error instanceof StorageRefusal)) throw error;
			this.#unsaved = { salt, digest };
		}
	}
}

export class TokenSettings {
	readonly #store: ConfigStore;

	constructor(store: ConfigStore) {
		this.#store = store;
	}

	/** Records of the tokens. They are empty after a factory reset, so tokens are refused even before the restart. */
	get bytes(): Uint8Array {
		return this.#store.isErased ? new Uint8Array(0) : this.#store.get(TOKENS_RECORDS);
	}

	save(bytes: Uint8Array): void {
		this.#store.change([put(TOKENS_RECORDS, bytes)]);
	}
}
