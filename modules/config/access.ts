/** The account's record among the settings, in the form in which auth/account.ts wants it (AccountRecord). */
import { ACCESS, ACCESS_DIGEST, ACCESS_IS_DEFAULT, ACCESS_SALT } from "./access-fields.js";
import type { ConfigStore } from "./store.js";

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
		this.#store.set(ACCESS, [salt, digest, isDefault]);
	}
}
