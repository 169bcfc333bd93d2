/** The account and the long-lived tokens among the settings, in the forms in which auth/ wants them. */
import { ACCESS_DIGEST, ACCESS_IS_DEFAULT, ACCESS_SALT, TOKENS_RECORDS } from "./access-fields.js";
import { put } from "./schema.js";
import type { ConfigStore } from "./store.js";

/** auth/account.ts, AccountRecord. */
export class AccessSettings {
	readonly #store: ConfigStore;

	constructor(store: ConfigStore) {
		this.#store = store;
	}

	get salt(): string {
		return this.#store.get(ACCESS_SALT);
	}

	get digest(): Uint8Array {
		return this.#store.get(ACCESS_DIGEST);
	}

	get isDefault(): boolean {
		return this.#store.get(ACCESS_IS_DEFAULT);
	}

	save(salt: string, digest: Uint8Array, isDefault: boolean): void {
		this.#store.change([put(ACCESS_SALT, salt), put(ACCESS_DIGEST, digest), put(ACCESS_IS_DEFAULT, isDefault)]);
	}
}

/** auth/tokens.ts, TokenRecord. */
export class TokenSettings {
	readonly #store: ConfigStore;

	constructor(store: ConfigStore) {
		this.#store = store;
	}

	get bytes(): Uint8Array {
		return this.#store.get(TOKENS_RECORDS);
	}

	save(bytes: Uint8Array): void {
		this.#store.change([put(TOKENS_RECORDS, bytes)]);
	}
}
