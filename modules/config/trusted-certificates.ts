/**
 * Certificates that a server is known by, which are too long for an entry of settings: for the API, which takes them, and
 * for whoever speaks to that server. Which are in use, a setting says.
 */
import type { Storage } from "../io/host.js";
import { type BlobMemory, BlobStore, type BlobWriter, NO_MEMORY } from "./blob.js";
import type { SettingField } from "./schema.js";
import type { ConfigStore } from "./store.js";

/** Where certificates are kept, and held for a moment. */
export interface CertificatePlace {
	readonly store: ConfigStore;
	readonly storage: Storage;
	readonly memory: BlobMemory;
}

export class TrustedCertificates {
	readonly #store: ConfigStore;
	readonly #memory: BlobMemory;
	readonly #field: SettingField<Uint8Array>;
	/** Where they are: for a factory reset. */
	readonly blobs: BlobStore;

	/** `field` refers to those in use; they have `limit` bytes at most. `name` begins their keys, as of BlobOptions. */
	constructor(
		{ store, storage, memory }: CertificatePlace,
		field: SettingField<Uint8Array>,
		name: string,
		limit: number,
	) {
		this.#store = store;
		this.#memory = memory;
		this.#field = field;
		this.blobs = new BlobStore(storage, { name, limit, slots: 2 });
		this.sweep();
	}

	/**
	 * Calls `use` with the PEM text of those in use, which is gone when that returns. Undefined: there are none, or they are
	 * damaged; NO_MEMORY: there is no memory to hold them.
	 */
	lend<Result>(use: (pem: Uint8Array) => Result): Result | typeof NO_MEMORY | undefined {
		return this.lendNew(this.reference, use);
	}

	get isSet(): boolean {
		return this.blobs.isSound(this.reference);
	}

	/** As `lend`, of those that a writer of `open` has given. */
	lendNew<Result>(reference: Uint8Array, use: (pem: Uint8Array) => Result): Result | typeof NO_MEMORY | undefined {
		const pem = this.blobs.borrow(reference, this.#memory);
		if (pem === undefined || pem === NO_MEMORY) return pem;
		try {
			return use(pem);
		} finally {
			this.#memory.drop(pem);
		}
	}

	/** Takes new ones; the field set to what it gives makes them those in use. Undefined while others come in. */
	open(): BlobWriter | undefined {
		return this.blobs.open([this.reference]);
	}

	/** Deletes all but those in use. */
	sweep(): void {
		this.blobs.sweep([this.reference]);
	}

	private get reference(): Uint8Array {
		return this.#store.get(this.#field);
	}
}
