/** The hub's certificate, which is too long for an entry of settings: for the API, and for whoever speaks to the hub. */
import type { Storage } from "../io/host.js";
import { BlobStore, type BlobWriter } from "./blob.js";
import { HUB_CERTIFICATE, HUB_CERTIFICATE_LIMIT } from "./hub-fields.js";
import type { ConfigStore } from "./store.js";

export class HubCertificates {
	readonly #store: ConfigStore;
	/** Where they are, keys and all: for a factory reset. */
	readonly blobs: BlobStore;

	constructor(store: ConfigStore, storage: Storage) {
		this.#store = store;
		this.blobs = new BlobStore(storage, { name: "hub_cert", limit: HUB_CERTIFICATE_LIMIT, slots: 2 });
		this.sweep();
	}

	/** PEM text of the certificate in use; undefined when there is none, or it is damaged. */
	get current(): Uint8Array | undefined {
		return this.read(this.#store.get(HUB_CERTIFICATE));
	}

	get isSet(): boolean {
		return this.blobs.isSound(this.#store.get(HUB_CERTIFICATE));
	}

	read(reference: Uint8Array): Uint8Array | undefined {
		return this.blobs.read(reference);
	}

	/** Takes a new one; HUB_CERTIFICATE set to what it gives makes it the current one. Undefined while another comes in. */
	open(): BlobWriter | undefined {
		return this.blobs.open([this.#store.get(HUB_CERTIFICATE)]);
	}

	/** Deletes all but the current one. */
	sweep(): void {
		this.blobs.sweep([this.#store.get(HUB_CERTIFICATE)]);
	}
}
