/** The `crypto` of the host contract by Mbed TLS (crypto-face.c), for every host that runs in XS. */
import type {
	CertificateFile,
	CertificateOptions,
	CertificatePair,
	Crypto,
	Hash,
	KeyAgreement,
} from "../../modules/io/crypto.js";

/** The C functions, in the form that XS calls without a detour. */
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
	static readCertificates(file: Uint8Array): CertificateFile {
		return native("xs_crypto_read_certificates").call(this, file);
	}
	static makeCertificate(
		validFromMs: number,
		validToMs: number,
		key: Uint8Array | undefined,
		...names: string[]
	): ArrayBuffer[] {
		return native("xs_crypto_make_certificate").call(this, validFromMs, validToMs, key, ...names);
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

	hash(): Hash {
		throw new Error("not built yet");
	}

	verifyP256(_publicKey: Uint8Array, _message: Uint8Array, _signature: Uint8Array): boolean {
		throw new Error("not built yet");
	}

	agreeP256(_publicKey: Uint8Array): KeyAgreement {
		throw new Error("not built yet");
	}

	readCertificates(file: Uint8Array): CertificateFile {
		return Bindings.readCertificates(file);
	}

	makeCertificate({ names, validFromMs, validToMs, key }: CertificateOptions): CertificatePair {
		const made = Bindings.makeCertificate(validFromMs, validToMs, key, ...names);
		return { certificate: new Uint8Array(made[0]), key: new Uint8Array(made[1]) };
	}
}
