/**
 * Sender's side of hybrid public key encryption (RFC 9180): mode base, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256,
 * AES-128-GCM.
 */
import { AES_KEY_LENGTH, type Crypto, GCM_IV_LENGTH } from "../io/crypto.js";
import type { TextCodec } from "../io/host.js";

/** Suite ids that precede the labels (RFC 9180, 4.1 and 5.1). The KEM is 0x0010, the KDF 0x0001, the AEAD 0x0001. */
const KEM_SUITE = "KEM\u0000\u0010";
const HPKE_SUITE = "HPKE\u0000\u0010\u0000\u0001\u0000\u0001";
const VERSION = "HPKE-v1";
const SECRET_LENGTH = 32;
/** Maximum number of messages. It is limited, because only the last four bytes of the nonce count the messages. */
const SEQUENCE_END = 2 ** 32;

interface SealerDeps {
	readonly crypto: Crypto;
	readonly text: TextCodec;
}

export class Sealer {
	/** Ephemeral public key, which RFC 9180 calls "enc". */
	readonly encapsulated: Uint8Array;
	readonly #crypto: Crypto;
	readonly #key: Uint8Array;
	/** Nonce of the next message: the base nonce combined with the number of the message (RFC 9180, 5.2). */
	readonly #nonce: Uint8Array;
	#sequence = 0;

	/**
	 * SetupBaseS of RFC 9180, 5.1.1. `receiver` is the public key of the receiver, P256_POINT_LENGTH bytes. `info` must
	 * be known to the receiver. Throws a RangeError if `receiver` is not a point of P-256.
	 */
	constructor(deps: SealerDeps, receiver: Uint8Array, info: Uint8Array) {
		const none = new Uint8Array(0);
		const { crypto, text } = deps;
		const { publicKey, secret } = crypto.agreeP256(receiver);
		this.#crypto = crypto;
		this.encapsulated = publicKey;
		const kem = new KeyDerivation(deps, KEM_SUITE);
		const shared = kem.expand(
			kem.extract(none, "eae_prk", secret),
			"shared_secret",
			SECRET_LENGTH,
			publicKey,
			receiver,
		);
		const hpke = new KeyDerivation(deps, HPKE_SUITE);
		// The context is mode_base, the hash of an empty pre-shared key id, and the hash of `info`.
		const context = [
			text.encode("\u0000"),
			hpke.extract(none, "psk_id_hash", none),
			hpke.extract(none, "info_hash", info),
		];
		const master = hpke.extract(shared, "secret", none);
		this.#key = hpke.expand(master, "key", AES_KEY_LENGTH, ...context);
		this.#nonce = hpke.expand(master, "base_nonce", GCM_IV_LENGTH, ...context);
	}

	/**
	 * Encrypts a message. Returns the ciphertext, followed by a 16-byte tag over the ciphertext and `associated`.
	 * Throws after SEQUENCE_END messages.
	 */
	seal(associated: Uint8Array, message: Uint8Array): Uint8Array {
		if (this.#sequence === SEQUENCE_END) throw new Error("hpke: too many messages");
		const sealed = this.#crypto.aes128GCM(this.#key, this.#nonce, associated, message);
		const before = this.#sequence++;
		this.number(before ^ this.#sequence);
		return sealed;
	}

	private number(change: number): void {
		for (let i = GCM_IV_LENGTH - 1, rest = change; i >= GCM_IV_LENGTH - 4; i--, rest >>>= 8)
			this.#nonce[i] ^= rest & 0xff;
	}
}

/** LabeledExtract and LabeledExpand (RFC 9180, 4) with HKDF-SHA256 (RFC 5869). */
class KeyDerivation {
	readonly #deps: SealerDeps;
	readonly #suite: string;

	constructor(deps: SealerDeps, suite: string) {
		this.#deps = deps;
		this.#suite = suite;
	}

	extract(salt: Uint8Array, label: string, material: Uint8Array): Uint8Array {
		return this.#deps.crypto.hmacSHA256(salt, this.prefix(VERSION, label), material);
	}

	/** LabeledExpand. `length` is at most 32, which is one block of HKDF. */
	expand(key: Uint8Array, label: string, length: number, ...info: Uint8Array[]): Uint8Array {
		const { crypto, text } = this.#deps;
		const prefix = this.prefix(`\u0000${String.fromCharCode(length)}${VERSION}`, label);
		return crypto.hmacSHA256(key, prefix, ...info, text.encode("\u0001")).slice(0, length);
	}

	private prefix(begin: string, label: string): Uint8Array {
		return this.#deps.text.encode(`${begin}${this.#suite}${label}`);
	}
}
