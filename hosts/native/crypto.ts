/** `crypto` of the host contract (crypto-xs.c). */
import {
	type CertificateFile,
	type CertificateOptions,
	type CertificatePair,
	type Crypto,
	type Hash,
	type KeyAgreement,
	P256_POINT_LENGTH,
} from "../../modules/io/crypto.js";

class Bindings {
	static random(length: number): ArrayBuffer {
		return native("xs_crypto_random").call(this, length);
	}
	static sha256(...parts: Uint8Array[]): ArrayBuffer {
		return native("xs_crypto_sha256").call(this, ...parts);
	}
	static hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): ArrayBuffer {
		return native("xs_crypto_hmac_sha256").call(this, key, ...parts);
	}
	static aes128GCM(key: Uint8Array, iv: Uint8Array, associated: Uint8Array, text: Uint8Array): ArrayBuffer {
		return native("xs_crypto_aes_128_gcm").call(this, key, iv, associated, text);
	}
	static aes128CBCDecrypt(key: Uint8Array, iv: Uint8Array, text: Uint8Array): ArrayBuffer {
		return native("xs_crypto_aes_128_cbc_decrypt").call(this, key, iv, text);
	}
	static verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
		return native("xs_crypto_verify_p256").call(this, publicKey, message, signature);
	}
	static agreeP256(publicKey: Uint8Array): ArrayBuffer {
		return native("xs_crypto_agree_p256").call(this, publicKey);
	}
	static readCertificates(file: Uint8Array): CertificateFile {
		return native("xs_crypto_read_certificates").call(this, file);
	}
	static makeCertificate(
		validFromMs: number,
		validToMs: number,
		key: Uint8Array | undefined,
		organization: string,
		unit: string,
		...names: string[]
	): ArrayBuffer[] {
		return native("xs_crypto_make_certificate").call(this, validFromMs, validToMs, key, organization, unit, ...names);
	}
}

class HashState extends Native("xs_hash_destructor") {
	constructor() {
		super();
		native("xs_hash").call(this);
	}
	update(bytes: Uint8Array, start: number, end: number): void {
		native("xs_hash_update").call(this, bytes, start, end);
	}
	digest(): ArrayBuffer {
		return native("xs_hash_digest").call(this);
	}
}

class NativeHash implements Hash {
	readonly #state = new HashState();

	update(bytes: Uint8Array, start = 0, end = bytes.length): void {
		this.#state.update(bytes, start, end);
	}

	digest(): Uint8Array {
		return new Uint8Array(this.#state.digest());
	}
}

export class NativeCrypto implements Crypto {
	random(length: number): Uint8Array {
		return new Uint8Array(Bindings.random(length));
	}

	sha256(...parts: Uint8Array[]): Uint8Array {
		return new Uint8Array(Bindings.sha256(...parts));
	}

	hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array {
		return new Uint8Array(Bindings.hmacSHA256(key, ...parts));
	}

	aes128GCM(key: Uint8Array, iv: Uint8Array, associated: Uint8Array, text: Uint8Array): Uint8Array {
		return new Uint8Array(Bindings.aes128GCM(key, iv, associated, text));
	}

	aes128CBCDecrypt(key: Uint8Array, iv: Uint8Array, text: Uint8Array): Uint8Array {
		return new Uint8Array(Bindings.aes128CBCDecrypt(key, iv, text));
	}

	hash(): Hash {
		return new NativeHash();
	}

	verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
		return Bindings.verifyP256(publicKey, message, signature);
	}

	agreeP256(publicKey: Uint8Array): KeyAgreement {
		const both = new Uint8Array(Bindings.agreeP256(publicKey));
		return { publicKey: both.slice(0, P256_POINT_LENGTH), secret: both.slice(P256_POINT_LENGTH) };
	}

	readCertificates(file: Uint8Array): CertificateFile {
		return Bindings.readCertificates(file);
	}

	makeCertificate({
		names,
		organization = "",
		unit = "",
		validFromMs,
		validToMs,
		key,
	}: CertificateOptions): CertificatePair {
		const made = Bindings.makeCertificate(validFromMs, validToMs, key, organization, unit, ...names);
		return { certificate: new Uint8Array(made[0]), key: new Uint8Array(made[1]) };
	}
}
