/** The small interfaces of the host contract on Node: clock, timers, cryptography, text and resources. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
	AES_BLOCK_LENGTH,
	AES_KEY_LENGTH,
	type CertificateFile,
	type CertificateOptions,
	type CertificatePair,
	type Crypto,
	GCM_IV_LENGTH,
	type Hash,
	type KeyAgreement,
} from "../../modules/io/crypto.js";
import type { Clock, Resources, TextCodec, Timers } from "../../modules/io/host.js";
import { agree, verifySignature } from "./p256.js";
import { makeCertificate } from "./self-signed.js";
import { readCertificates } from "./x509.js";

export class NodeClock implements Clock {
	/** Difference between this clock and the PC's clock, ms; undefined if this clock was never set. */
	#aheadMs: number | undefined;

	constructor(utcMs: number | undefined) {
		if (utcMs !== undefined) this.setUTC(utcMs);
	}

	monotonicMs(): number {
		return Math.floor(performance.now());
	}

	utcMs(): number | undefined {
		return this.#aheadMs === undefined ? undefined : Date.now() + this.#aheadMs;
	}

	setUTC(utcMs: number): void {
		this.#aheadMs = utcMs - Date.now();
	}
}

/** Longest delay of Node's setTimeout. */
const LONGEST_MS = 2 ** 31 - 1;

export class NodeTimers implements Timers {
	readonly #timers = new Map<number, NodeJS.Timeout>();
	#lastId = 0;

	set(callback: () => void, delayMs: number): number {
		const id = ++this.#lastId;
		const dueMs = performance.now() + Math.max(delayMs, 0);
		const wait = () => {
			// Node rounds delays and may call back a fraction of a millisecond too early.
			const leftMs = Math.min(Math.ceil(dueMs - performance.now()), LONGEST_MS);
			const timer = setTimeout(() => {
				if (performance.now() < dueMs) return wait();
				this.#timers.delete(id);
				callback();
			}, leftMs);
			this.#timers.set(id, timer);
		};
		wait();
		return id;
	}

	clear(id: number): void {
		clearTimeout(this.#timers.get(id));
		this.#timers.delete(id);
	}
}

export class NodeCrypto implements Crypto {
	random(length: number): Uint8Array {
		return new Uint8Array(randomBytes(length));
	}

	sha256(...parts: Uint8Array[]): Uint8Array {
		const hash = createHash("sha256");
		for (const part of parts) hash.update(part);
		return new Uint8Array(hash.digest());
	}

	hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array {
		const hmac = createHmac("sha256", key);
		for (const part of parts) hmac.update(part);
		return new Uint8Array(hmac.digest());
	}

	aes128GCM(key: Uint8Array, iv: Uint8Array, associated: Uint8Array, text: Uint8Array): Uint8Array {
		if (key.length !== AES_KEY_LENGTH || iv.length !== GCM_IV_LENGTH) throw new RangeError("Bad length of a key or IV");
		const cipher = createCipheriv("aes-128-gcm", key, iv).setAAD(associated);
		return new Uint8Array(Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]));
	}

	aes128CBCDecrypt(key: Uint8Array, iv: Uint8Array, text: Uint8Array): Uint8Array {
		const isWhole = text.length > 0 && text.length % AES_BLOCK_LENGTH === 0;
		if (key.length !== AES_KEY_LENGTH || iv.length !== AES_BLOCK_LENGTH || !isWhole)
			throw new RangeError("Bad length of a key, an IV or a text");
		const cipher = createDecipheriv("aes-128-cbc", key, iv).setAutoPadding(false);
		return new Uint8Array(Buffer.concat([cipher.update(text), cipher.final()]));
	}

	hash(): Hash {
		const hash = createHash("sha256");
		return {
			update: (bytes, start = 0, end = bytes.length) => void hash.update(bytes.subarray(start, end)),
			digest: () => new Uint8Array(hash.digest()),
		};
	}

	verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
		return verifySignature(publicKey, message, signature);
	}

	agreeP256(publicKey: Uint8Array): KeyAgreement {
		return agree(publicKey);
	}

	readCertificates(file: Uint8Array): CertificateFile {
		return readCertificates(file);
	}

	makeCertificate(options: CertificateOptions): CertificatePair {
		return makeCertificate(options);
	}
}

export class NodeText implements TextCodec {
	readonly #encoder = new TextEncoder();
	readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

	encode(text: string): Uint8Array {
		return this.#encoder.encode(text);
	}

	decode(bytes: Uint8Array, start = 0, end = bytes.length): string {
		return this.#decoder.decode(bytes.subarray(start, end));
	}
}

export class FolderResources implements Resources {
	readonly #folder: string;
	readonly #files = new Map<string, Uint8Array>();

	constructor(folder: string) {
		this.#folder = folder;
	}

	get(name: string): Uint8Array | undefined {
		let file = this.#files.get(name);
		if (!file && /^[a-z0-9][a-z0-9.-]*$/.test(name)) {
			try {
				file = new Uint8Array(readFileSync(join(this.#folder, name)));
				this.#files.set(name, file);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
			}
		}
		return file;
	}
}
