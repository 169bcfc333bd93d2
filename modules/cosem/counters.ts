/**
 * The gateway's invocation counters. A counter is never used twice with the same key and system title, not even after a
 * power cut or a factory reset (NIST SP 800-38D, 8). For this, counters are reserved in flash before they are used. To
 * reduce wear of the flash, they are reserved in blocks: AHEAD counters in the first block of a session, and LONG_AHEAD
 * counters in later blocks.
 *
 *   key     dlms_counters
 *   value   12 bytes per key, most recently used key first, then CRC-16/X.25 of all these bytes, little-endian
 *           0  8  start of the SHA-256 of key and system title
 *           8  4  last counter that may have been used, big-endian
 *
 * Limit: KEYS_LIMIT keys. If there are more, the least recently used key is dropped. If a dropped key is used again,
 * its counter is read from the meter.
 */
import { crc16 } from "../bytes/crc16.js";
import { putUint16LE, putUint32BE, uint16LE } from "../bytes/integers.js";
import { Cipher, type CipherOptions } from "../dlms/cipher.js";
import type { Crypto } from "../io/crypto.js";
import type { Storage } from "../io/host.js";
import type { DLMSSettings } from "./settings.js";

const STORAGE_KEY = "dlms_counters";
const KEYS_LIMIT = 16;
const ID_LENGTH = 8;
const ITEM_LENGTH = 12;
const CRC_LENGTH = 2;
const AHEAD = 100;
const LONG_AHEAD = 1000;
const COUNTER_END = 2 ** 32;
/** First counter. It is not 0, because some meters treat 0 as a missing counter. */
const FIRST = 1;

/**
 * Makes a cipher. `counters` is undefined if a key is missing, and for pushes. For pushes, `sender` is what is known
 * about their sender.
 */
export function makeCipher(
	settings: DLMSSettings,
	crypto: Crypto,
	counters: InvocationCounters | undefined,
	sender?: Pick<CipherOptions, "meterTitle" | "meterCounter" | "mayBroadcast">,
): Cipher {
	const { encryptionKey, authenticationKey, title, suite } = settings;
	return new Cipher({
		gcm: (key, iv, aad, text) => crypto.aes128GCM(key, iv, aad, text),
		sha256: (...parts) => crypto.sha256(...parts),
		suite,
		encryptionKey,
		authenticationKey,
		title,
		counter: counters?.next ?? 0,
		counterLimit: counters?.limit ?? 0,
		...sender,
	});
}

export class InvocationCounters {
	next = FIRST;
	/** First counter after those that are reserved in flash. */
	limit = FIRST;
	known = false;
	#ahead = AHEAD;
	readonly #storage: Storage;
	readonly #id: Uint8Array;

	constructor(storage: Storage, crypto: Crypto, key: Uint8Array, title: Uint8Array) {
		this.#storage = storage;
		this.#id = crypto.sha256(key, title).subarray(0, ID_LENGTH);
		const items = this.items();
		const at = this.find(items);
		if (at < 0) return;
		this.known = true;
		let used = 0;
		for (let i = ID_LENGTH; i < ITEM_LENGTH; i++) used = used * 256 + items[at + i];
		this.next = this.limit = used + 1;
	}

	/** Skips all counters below `next`, because this gateway or another client has used them. */
	raise(next: number): void {
		this.next = Math.max(this.next, Math.min(next, COUNTER_END));
	}

	/** Reserves more counters for the cipher. Returns false if the flash refuses the write. */
	extend(cipher: Cipher): boolean {
		this.raise(cipher.counter);
		if (!this.reserve()) return false;
		cipher.counter = this.next;
		cipher.counterLimit = this.limit;
		return true;
	}

	/**
	 * Reserves a block of counters. Returns false if the flash refuses the write; the counters must not be used then.
	 */
	reserve(): boolean {
		const limit = Math.min(COUNTER_END, Math.max(this.next, this.limit) + this.#ahead);
		try {
			this.#storage.set(STORAGE_KEY, this.encode(limit - 1));
		} catch {
			return false;
		}
		this.limit = limit;
		this.#ahead = LONG_AHEAD;
		return true;
	}

	private encode(last: number): Uint8Array {
		const items = this.items();
		const at = this.find(items);
		const others = items.length - (at < 0 ? 0 : ITEM_LENGTH);
		const end = ITEM_LENGTH + Math.min(others, (KEYS_LIMIT - 1) * ITEM_LENGTH);
		const value = new Uint8Array(end + CRC_LENGTH);
		value.set(this.#id);
		putUint32BE(value, ID_LENGTH, last);
		let to = ITEM_LENGTH;
		for (let from = 0; to < end; from += ITEM_LENGTH) {
			if (from === at) continue;
			value.set(items.subarray(from, from + ITEM_LENGTH), to);
			to += ITEM_LENGTH;
		}
		putUint16LE(value, end, crc16(value, 0, end));
		return value;
	}

	/** Returns the stored value without the CRC; nothing if the CRC is wrong. */
	private items(): Uint8Array {
		const value = this.#storage.get(STORAGE_KEY) ?? new Uint8Array(0);
		const end = value.length - CRC_LENGTH;
		const whole = end > 0 && end % ITEM_LENGTH === 0 && crc16(value, 0, end) === uint16LE(value, end);
		return value.subarray(0, whole ? end : 0);
	}

	private find(items: Uint8Array): number {
		for (let at = 0; at < items.length; at += ITEM_LENGTH) {
			let i = 0;
			while (i < ID_LENGTH && items[at + i] === this.#id[i]) i++;
			if (i === ID_LENGTH) return at;
		}
		return -1;
	}
}
