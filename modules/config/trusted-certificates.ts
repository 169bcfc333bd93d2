/**
 * Certificates that a server is known by, which are too long for an entry of settings: for the API, which takes them, and
 * for whoever speaks to that server. Which are in use, a setting says.
 */
import type { Storage } from "../io/host.js";
import { BlobStore, type BlobWriter } from "./blob.js";
import type { SettingField } from "./schema.js";
import type { ConfigStore } from "./store.js";

export class TrustedCertificates {
	readonly #store: ConfigStore;
	readonly #field: SettingField<Uint8Array>;
	/** Where they are: for a factory reset. */
	readonly blobs: BlobStore;

	/** `field` refers to those in use; they have `limit` bytes at most. `name` begins their keys, as of BlobOptions. */
	constructor(store: ConfigStore, storage: Storage, field: SettingField<Uint8Array>, name: string, limit: number) {
		this.#store = store;
		this.#field = field;
		this.blobs = new BlobStore(storage, { name, limit, slots: 2 });
		this.sweep();
	}

	/** PEM text of those in use; undefined when there are none, or they are damaged. */
	get current(): Uint8Array | undefined {
		return this.read(this.reference);
	}

	get isSet(): boolean {
		return this.blobs.isSound(this.reference);
	}

	read(reference: Uint8Array): Uint8Array | undefined {
		return this.blobs.read(reference);
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
