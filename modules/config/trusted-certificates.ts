/**
 * Certificates with which the gateway verifies a server. They are too long for a settings entry, so they are stored as
 * a blob, and a setting refers to the blob in use.
 */
import type { Storage } from "../io/host.js";
import { type BlobMemory, BlobStore, type BlobWriter, NO_MEMORY } from "./blob.js";
import type { SettingField } from "./schema.js";
import type { ConfigStore } from "./store.js";

/** Maximum size of the certificates for one server, bytes. Some parts have another limit. */
export const CERTIFICATE_LIMIT = 3072;

export interface CertificatePlace {
	readonly store: ConfigStore;
	readonly storage: Storage;
	readonly memory: BlobMemory;
}

export class TrustedCertificates {
	readonly #store: ConfigStore;
	readonly #memory: BlobMemory;
	readonly #field: SettingField<Uint8Array>;
	/** Public, so that a factory reset can erase them. */
	readonly blobs: BlobStore;

	/**
	 * `field` is the setting that refers to the certificates in use. `name` and `limit` are explained in BlobOptions.
	 */
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
	 * Calls `use` with the PEM text of the certificates in use, and returns the result of `use`. The text is valid only
	 * during the call of `use`. Returns undefined if the certificates are absent or damaged, or NO_MEMORY if memory is
	 * short.
	 */
	lend<Result>(use: (pem: Uint8Array) => Result): Result | typeof NO_MEMORY | undefined {
		return this.lendNew(this.reference, use);
	}

	get isSet(): boolean {
		return this.blobs.isSound(this.reference);
	}

	/** Like `lend`, but for new certificates that were written with the writer from `open` and are not in use yet. */
	lendNew<Result>(reference: Uint8Array, use: (pem: Uint8Array) => Result): Result | typeof NO_MEMORY | undefined {
		const pem = this.blobs.borrow(reference, this.#memory);
		if (pem === undefined || pem === NO_MEMORY) return pem;
		try {
			return use(pem);
		} finally {
			this.#memory.drop(pem);
		}
	}

	/**
	 * Returns a writer for new certificates, or undefined while another writer is open. To use the certificates, store
	 * the reference that the writer returns in the setting.
	 */
	open(): BlobWriter | undefined {
		return this.blobs.open([this.reference]);
	}

	sweep(): void {
		this.blobs.sweep([this.reference]);
	}

	private get reference(): Uint8Array {
		return this.#store.get(this.#field);
	}
}
