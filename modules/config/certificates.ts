/** The certificate that the owner has installed, with its key: for the API, and for whoever opens the TLS port. */
import { CERTIFICATE_FILE_LIMIT, type Storage } from "../io/host.js";
import { BlobStore } from "./blob.js";
import type { ConfigStore } from "./store.js";
import { TLS, TLS_FILE, TLS_LAST_ERROR } from "./tls-fields.js";

export class InstalledCertificate {
	readonly #store: ConfigStore;
	readonly #blobs: BlobStore;

	constructor(store: ConfigStore, storage: Storage) {
		this.#store = store;
		this.#blobs = new BlobStore(storage, { name: "tls", limit: CERTIFICATE_FILE_LIMIT, slots: 2 });
		this.#blobs.sweep([this.reference]);
	}

	get isThere(): boolean {
		return this.reference.length > 0;
	}

	/** Chain and key as PEM; undefined when there is none, or it is damaged. */
	read(): Uint8Array | undefined {
		return this.#blobs.read(this.reference);
	}

	/** Why it could not be served; empty: nothing was wrong. */
	get lastError(): string {
		return this.#store.get(TLS_LAST_ERROR);
	}

	/** Puts the file in place of the one before. Throws what the storage throws; the old one stays then. */
	install(file: Uint8Array): void {
		const writer = this.#blobs.open([this.reference]);
		if (writer === undefined) throw new Error("tls: another file is being written");
		try {
			writer.write(file, 0, file.length);
			const reference = writer.end();
			if (reference === undefined) throw new RangeError("tls: the file is too large");
			this.#store.set(TLS, [reference, ""]);
		} finally {
			writer.close();
			this.#blobs.sweep([this.reference]);
		}
	}

	/** The device serves its own again. `reason` is why this one was given up; empty: the owner wants it so. */
	remove(reason: string): void {
		this.#store.set(TLS, [new Uint8Array(0), reason]);
		this.#blobs.sweep([this.reference]);
	}

	private get reference(): Uint8Array {
		return this.#store.get(TLS_FILE);
	}
}
