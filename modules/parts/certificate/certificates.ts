/** Stores the user's TLS certificate and the device's own certificate, each with its private key. */
import { parseIPv4 } from "../../bytes/ipv4.js";
import { type BlobMemory, BlobStore, type NO_MEMORY } from "../../config/blob.js";
import { put } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import { CERTIFICATE_FILE_LIMIT } from "../../io/crypto.js";
import type { Storage } from "../../io/host.js";
import {
	OWN_FILE_LIMIT,
	TLS_FILE,
	TLS_LAST_ERROR,
	TLS_ON_TRIAL,
	TLS_OWN,
	TLS_OWN_ADDRESS,
	TLS_OWN_FORM,
	TLS_OWN_HOSTNAME,
	TLS_OWN_UNTIL,
	TLS_PREVIOUS,
} from "./fields.js";

const LAST_ERROR_LIMIT = TLS_LAST_ERROR.maximum;

/**
 * The user's certificate. A new one is on trial until the server has used it in a handshake. If this fails, the
 * previous certificate is restored.
 */
export class InstalledCertificate {
	readonly #store: ConfigStore;
	/** Public, so that a factory reset can erase it. */
	readonly blobs: BlobStore;

	constructor(store: ConfigStore, storage: Storage) {
		this.#store = store;
		this.blobs = new BlobStore(storage, { name: "tls", limit: CERTIFICATE_FILE_LIMIT, slots: 3 });
		this.sweep();
	}

	get isThere(): boolean {
		return this.reference.length > 0;
	}

	/** Returns the certificate chain and the key in PEM; undefined if they are absent or damaged. */
	read(): Uint8Array | undefined {
		return this.blobs.read(this.reference);
	}

	/** Like `read`, but the ledger lends the memory for the bytes. The caller must release it with `drop`. */
	borrow(ledger: BlobMemory): Uint8Array | typeof NO_MEMORY | undefined {
		return this.blobs.borrow(this.reference, ledger);
	}

	get lastError(): string {
		return this.#store.get(TLS_LAST_ERROR);
	}

	get onTrial(): boolean {
		return this.#store.get(TLS_ON_TRIAL);
	}

	/**
	 * Stores a new certificate with its key and starts the trial. Throws what the storage throws; the old certificate
	 * then remains.
	 */
	install(file: Uint8Array): void {
		const writer = this.blobs.open([this.reference, this.previous]);
		if (writer === undefined) throw new Error("tls: another file is being written");
		try {
			writer.write(file, 0, file.length);
			const reference = writer.end();
			if (reference === undefined) throw new RangeError("tls: the file is too large");
			// If the present certificate is still on trial, it must not become the previous one.
			this.#store.change([
				put(TLS_FILE, reference),
				put(TLS_LAST_ERROR, ""),
				put(TLS_ON_TRIAL, true),
				put(TLS_PREVIOUS, this.onTrial ? this.previous : this.reference),
			]);
		} finally {
			writer.close();
			this.sweep();
		}
	}

	keep(): void {
		this.set(this.reference, "");
	}

	/**
	 * Removes the installed certificate. During a trial the previous certificate is restored; otherwise the device then
	 * uses its own.
	 */
	giveUp(reason: string): void {
		this.set(this.onTrial ? this.previous : new Uint8Array(0), reason.slice(0, LAST_ERROR_LIMIT));
	}

	remove(): void {
		this.set(new Uint8Array(0), "");
	}

	private set(file: Uint8Array, lastError: string): void {
		this.#store.change([
			put(TLS_FILE, file),
			put(TLS_LAST_ERROR, lastError),
			put(TLS_ON_TRIAL, false),
			put(TLS_PREVIOUS, new Uint8Array(0)),
		]);
		this.sweep();
	}

	private sweep(): void {
		this.blobs.sweep([this.reference, this.previous]);
	}

	private get reference(): Uint8Array {
		return this.#store.get(TLS_FILE);
	}

	private get previous(): Uint8Array {
		return this.#store.get(TLS_PREVIOUS);
	}
}

export class OwnCertificate {
	readonly #store: ConfigStore;
	readonly blobs: BlobStore;

	constructor(store: ConfigStore, storage: Storage) {
		this.#store = store;
		this.blobs = new BlobStore(storage, { name: "own", limit: OWN_FILE_LIMIT, slots: 2 });
		this.blobs.sweep([this.reference]);
	}

	get hostname(): string {
		return this.#store.get(TLS_OWN_HOSTNAME);
	}

	get address(): string {
		const address = this.#store.get(TLS_OWN_ADDRESS);
		return parseIPv4(address) < 0 ? "" : address;
	}

	get form(): number {
		return this.#store.get(TLS_OWN_FORM);
	}

	get untilMs(): number {
		return this.#store.get(TLS_OWN_UNTIL) * 1000;
	}

	/** Returns the certificate and the key in PEM; undefined if they are absent or damaged. */
	read(): Uint8Array | undefined {
		return this.blobs.read(this.reference);
	}

	borrow(ledger: BlobMemory): Uint8Array | typeof NO_MEMORY | undefined {
		return this.blobs.borrow(this.reference, ledger);
	}

	/** Stores a new certificate with its key. Throws what the storage throws; the old certificate then remains. */
	renew(file: Uint8Array, of: { hostname: string; address: string; untilMs: number; form: number }): void {
		const writer = this.blobs.open([this.reference]);
		if (writer === undefined) throw new Error("tls: another file is being written");
		try {
			writer.write(file, 0, file.length);
			const reference = writer.end();
			if (reference === undefined) throw new RangeError("tls: the file is too large");
			this.#store.change([
				put(TLS_OWN, reference),
				put(TLS_OWN_HOSTNAME, of.hostname),
				put(TLS_OWN_ADDRESS, of.address),
				put(TLS_OWN_UNTIL, Math.floor(of.untilMs / 1000)),
				put(TLS_OWN_FORM, of.form),
			]);
		} finally {
			writer.close();
			this.blobs.sweep([this.reference]);
		}
	}

	private get reference(): Uint8Array {
		return this.#store.get(TLS_OWN);
	}
}
