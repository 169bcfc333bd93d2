/**
 * Storage of long values (blobs), such as certificates. A blob is divided into pieces, each with its own storage key.
 * The caller stores a reference to the blob as a setting (a BYTES field), and this commits the blob. If the power is
 * cut earlier, the old blob remains.
 *
 * A new blob is written to a slot to which no stored reference refers. `sweep` deletes blobs without a reference. Call
 * it at the start, and whenever a reference has been stored or abandoned.
 *
 *   reference   slot (1), length (2, big-endian), then CRC-16/X.25 of each piece (2 each, big-endian)
 *   keys        <name>_<slot>_<piece>
 *
 * An empty reference means that there is no blob. Limits: BLOB_PIECE bytes in a piece, 10 pieces, 9 characters in a
 * name. Only one blob can be written at a time. One piece of it is in memory.
 */
import { crc16 } from "../bytes/crc16.js";
import { putUint16BE, uint16BE } from "../bytes/integers.js";
import type { Storage } from "../io/host.js";
import { secureErase } from "./secure-erase.js";

export const BLOB_PIECE = 2048;

const REFERENCE_HEADER = 3;
const CRC_LENGTH = 2;

/** Returns the length of the reference to a blob of `limit` bytes. References to shorter blobs are not longer. */
export function blobReferenceLimit(limit: number): number {
	return REFERENCE_HEADER + Math.ceil(limit / BLOB_PIECE) * CRC_LENGTH;
}

/** Those methods of the memory ledger (io/memory.ts) that lend memory for a long blob. */
export interface BlobMemory {
	/** Lends `length` bytes; returns undefined if memory is short. */
	bytes(length: number): Uint8Array | undefined;
	drop(bytes: Uint8Array): void;
}

/** Result of `borrow` if memory is short. */
export const NO_MEMORY = false;

export interface BlobOptions {
	/** Prefix of the storage keys: 1 to 9 characters of a-z, 0-9 and `_`. */
	readonly name: string;
	/** Maximum length of a blob, bytes. */
	readonly limit: number;
	/** Maximum number of blobs, including the one being written: 2 to 10. */
	readonly slots: number;
}

export class BlobStore {
	readonly #storage: Storage;
	readonly #options: BlobOptions;
	#writer: BlobWriter | undefined;

	constructor(storage: Storage, options: BlobOptions) {
		this.#storage = storage;
		this.#options = options;
	}

	/**
	 * Starts a new blob in a slot to which none of the references `kept` refers. Returns undefined while another writer
	 * is open. Close the writer when the reference has been stored or abandoned.
	 */
	open(kept: readonly Uint8Array[]): BlobWriter | undefined {
		if (this.#writer !== undefined) return undefined;
		const { name, limit, slots } = this.#options;
		let slot = 0;
		while (kept.some((reference) => reference[0] === slot)) slot++;
		if (slot >= slots) throw new RangeError(`blob: ${name} has no slot left`);
		const write = (piece: number, bytes: Uint8Array) => this.#storage.set(this.key(slot, piece), bytes);
		const close = () => {
			this.#writer = undefined;
		};
		this.#writer = new BlobWriter({ slot, limit, write, close });
		return this.#writer;
	}

	/** Returns a copy of the blob, or undefined if it is absent, damaged or unreadable. */
	read(reference: Uint8Array): Uint8Array | undefined {
		if (!this.isReference(reference)) return undefined;
		const blob = new Uint8Array(lengthOf(reference));
		return this.readPieces(reference, blob) ? blob : undefined;
	}

	/**
	 * Like `read`, but the ledger lends the memory for the bytes. The caller must release it with `drop` in the same
	 * pass of the event loop.
	 */
	borrow(reference: Uint8Array, ledger: BlobMemory): Uint8Array | typeof NO_MEMORY | undefined {
		if (!this.isReference(reference)) return undefined;
		const blob = ledger.bytes(lengthOf(reference));
		if (blob === undefined) return NO_MEMORY;
		if (this.readPieces(reference, blob)) return blob;
		ledger.drop(blob);
		return undefined;
	}

	/** True if `read` would return the blob. This needs memory for one piece only. */
	isSound(reference: Uint8Array): boolean {
		return this.isReference(reference) && this.readPieces(reference, undefined);
	}

	/**
	 * Deletes all pieces of blobs other than those of the references `kept`. While a writer is open it does nothing. If
	 * the storage refuses a deletion, the next call tries again. `isErasing` is for a factory reset: it deletes even
	 * while a writer is open, and throws what the storage throws.
	 */
	sweep(kept: readonly Uint8Array[], isErasing = false): void {
		if (this.#writer !== undefined && !isErasing) return;
		const { limit, slots } = this.#options;
		try {
			for (let slot = 0; slot < slots; slot++) {
				const reference = kept.find((one) => one[0] === slot);
				const length = reference?.length ?? 0;
				// The length of a damaged reference is arbitrary.
				const used = Math.max(0, Math.ceil((length - REFERENCE_HEADER) / CRC_LENGTH));
				for (let i = used; i < Math.ceil(limit / BLOB_PIECE); i++) secureErase(this.#storage, this.key(slot, i));
			}
		} catch (error) {
			if (isErasing) throw error;
		}
	}

	private isReference(reference: Uint8Array): boolean {
		const length = lengthOf(reference);
		return length > 0 && length <= this.#options.limit && reference.length === blobReferenceLimit(length);
	}

	/**
	 * Checks all pieces, and copies them to `blob` if it is defined. Returns false if a piece is missing or damaged.
	 */
	private readPieces(reference: Uint8Array, blob: Uint8Array | undefined): boolean {
		const length = lengthOf(reference);
		let crc = REFERENCE_HEADER;
		try {
			for (let at = 0; at < length; at += BLOB_PIECE) {
				const piece = this.#storage.get(this.key(reference[0], at / BLOB_PIECE));
				if (piece === undefined || piece.length !== Math.min(BLOB_PIECE, length - at)) return false;
				if (crc16(piece, 0, piece.length) !== uint16BE(reference, crc)) return false;
				blob?.set(piece, at);
				crc += CRC_LENGTH;
			}
			return true;
		} catch {
			return false;
		}
	}

	private key(slot: number, piece: number): string {
		return `${this.#options.name}_${slot}_${piece}`;
	}
}

function lengthOf(reference: Uint8Array): number {
	return reference.length < REFERENCE_HEADER ? 0 : uint16BE(reference, 1);
}

interface WriterOptions {
	readonly slot: number;
	readonly limit: number;
	write(piece: number, bytes: Uint8Array): void;
	close(): void;
}

export class BlobWriter {
	readonly #options: WriterOptions;
	#piece: Uint8Array;
	readonly #reference: Uint8Array;
	#length = 0;
	#isClosed = false;

	constructor(options: WriterOptions) {
		this.#options = options;
		this.#piece = new Uint8Array(Math.min(BLOB_PIECE, options.limit));
		this.#reference = new Uint8Array(blobReferenceLimit(options.limit));
		this.#reference[0] = options.slot;
	}

	/**
	 * Appends bytes. If the blob becomes too long, they are dropped, and `end` returns undefined. Throws what the
	 * storage throws.
	 */
	write(bytes: Uint8Array, start: number, end: number): void {
		if (this.#isClosed) throw new Error("blob: written after its end");
		const { limit } = this.#options;
		if (this.#length + end - start > limit) this.#length = limit + 1;
		if (this.#length > limit) return;
		for (let i = start; i < end; i++) {
			this.#piece[this.#length % BLOB_PIECE] = bytes[i];
			if (++this.#length % BLOB_PIECE === 0) this.store(BLOB_PIECE);
		}
	}

	/** Returns the reference, which is empty for an empty blob, or undefined if the blob was too long. */
	end(): Uint8Array | undefined {
		const length = this.#length;
		if (length > this.#options.limit) return undefined;
		if (length === 0) return new Uint8Array(0);
		if (length % BLOB_PIECE > 0) this.store(length % BLOB_PIECE);
		// The buffer is freed, because the caller may need memory for the whole blob to read it back.
		this.#piece = new Uint8Array(0);
		putUint16BE(this.#reference, 1, length);
		return this.#reference.slice(0, blobReferenceLimit(length));
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#options.close();
	}

	private store(count: number): void {
		const index = Math.ceil(this.#length / BLOB_PIECE) - 1;
		putUint16BE(this.#reference, REFERENCE_HEADER + index * CRC_LENGTH, crc16(this.#piece, 0, count));
		this.#options.write(index, this.#piece.slice(0, count));
	}
}
