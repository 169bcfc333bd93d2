/**
 * Something longer than one value of the storage, such as a certificate: kept in pieces, each under a key of its own,
 * and named by a reference of a few bytes, which its owner keeps among the settings (a field of BYTES). Setting the
 * reference is the one step that counts: a power cut before it leaves the old blob, one after it the new.
 *
 * A new blob goes into a slot that no kept reference names; when its reference has been stored, or never will be,
 * `sweep` deletes what nobody names. The owner also calls it at start, for what a power cut left.
 *
 *   reference   slot (1), length (2, high byte first), then CRC-16/X.25 of each piece (2 each, high byte first)
 *   keys        <name>_<slot>_<piece>
 *
 * No bytes at all stand for no blob.
 * Limits: BLOB_PIECE bytes a piece, 10 pieces; a name of 9 characters. One blob is written at a time: its writer holds
 * one piece in memory.
 */
import { crc16 } from "../bytes/crc16.js";
import type { Storage } from "../io/host.js";
import { wipe } from "./wipe.js";

/** Bytes in one value of the storage. */
export const BLOB_PIECE = 2048;

const REFERENCE_HEADER = 3;
const CRC_LENGTH = 2;

/** Bytes of the longest reference to a blob of up to `limit` bytes. */
export function blobReferenceLimit(limit: number): number {
	return REFERENCE_HEADER + Math.ceil(limit / BLOB_PIECE) * CRC_LENGTH;
}

/** Memory in which a long blob is held for a moment; the ledger of io/memory.ts has it. */
export interface BlobMemory {
	/** Undefined: there is too little. */
	bytes(length: number): Uint8Array | undefined;
	drop(bytes: Uint8Array): void;
}

/** Value of `borrow` while there is no memory for the blob. */
export const NO_MEMORY = false;

export interface BlobOptions {
	/** Begins the keys; 1 to 9 characters a-z 0-9 `_`. */
	readonly name: string;
	/** Bytes of the longest blob. */
	readonly limit: number;
	/** Blobs that can be there at once, the one being written included: 2 to 10. */
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
	 * Begins a new blob, beside those that `kept` refers to. Close the writer when the reference has been stored or given
	 * up. Undefined while another is open.
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

	/** The blob; undefined when there is none, it is damaged or can't be read. The bytes are the caller's. */
	read(reference: Uint8Array): Uint8Array | undefined {
		if (!this.isReference(reference)) return undefined;
		const blob = new Uint8Array(lengthOf(reference));
		return this.readPieces(reference, blob) ? blob : undefined;
	}

	/** As `read`, for a long blob: its bytes are the ledger's, and go back there by `drop` in this turn of the event loop. */
	borrow(reference: Uint8Array, ledger: BlobMemory): Uint8Array | typeof NO_MEMORY | undefined {
		if (!this.isReference(reference)) return undefined;
		const blob = ledger.bytes(lengthOf(reference));
		if (blob === undefined) return NO_MEMORY;
		if (this.readPieces(reference, blob)) return blob;
		ledger.drop(blob);
		return undefined;
	}

	/** Whether `read` would give the blob; holds one piece of it at a time. */
	isSound(reference: Uint8Array): boolean {
		return this.isReference(reference) && this.readPieces(reference, undefined);
	}

	/**
	 * Deletes all pieces that none of `kept` refers to. Nothing happens while a writer is open; what flash does not let go
	 * waits for the next time, since it is in nobody's way. `isErasing`, for a factory reset: neither stops it, and it
	 * throws what the storage throws.
	 */
	sweep(kept: readonly Uint8Array[], isErasing = false): void {
		if (this.#writer !== undefined && !isErasing) return;
		const { limit, slots } = this.#options;
		try {
			for (let slot = 0; slot < slots; slot++) {
				const reference = kept.find((one) => one[0] === slot);
				const used = reference === undefined ? 0 : (reference.length - REFERENCE_HEADER) / CRC_LENGTH;
				for (let i = used; i < Math.ceil(limit / BLOB_PIECE); i++) wipe(this.#storage, this.key(slot, i));
			}
		} catch (error) {
			if (isErasing) throw error;
		}
	}

	private isReference(reference: Uint8Array): boolean {
		const length = lengthOf(reference);
		return length > 0 && length <= this.#options.limit && reference.length === blobReferenceLimit(length);
	}

	/** Checks each piece, and puts it into `blob` if there is one; false when one is missing or damaged. */
	private readPieces(reference: Uint8Array, blob: Uint8Array | undefined): boolean {
		const length = lengthOf(reference);
		let crc = REFERENCE_HEADER;
		try {
			for (let at = 0; at < length; at += BLOB_PIECE) {
				const piece = this.#storage.get(this.key(reference[0], at / BLOB_PIECE));
				if (piece === undefined || piece.length !== Math.min(BLOB_PIECE, length - at)) return false;
				if (crc16(piece, 0, piece.length) !== ((reference[crc] << 8) | reference[crc + 1])) return false;
				blob?.set(piece, at);
				crc += CRC_LENGTH;
			}
			return true;
		} catch {
			// Flash can't read it.
			return false;
		}
	}

	private key(slot: number, piece: number): string {
		return `${this.#options.name}_${slot}_${piece}`;
	}
}

/** Bytes of the blob; 0 when there is none. */
function lengthOf(reference: Uint8Array): number {
	return reference.length < REFERENCE_HEADER ? 0 : (reference[1] << 8) | reference[2];
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

	/** Adds `bytes[start..end)`. What is beyond the limit is thrown away. Throws what the storage throws. */
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

	/** The blob is complete. Its reference; empty for an empty blob, undefined for one that was too long. */
	end(): Uint8Array | undefined {
		const length = this.#length;
		if (length > this.#options.limit) return undefined;
		if (length === 0) return new Uint8Array(0);
		if (length % BLOB_PIECE > 0) this.store(length % BLOB_PIECE);
		// The whole blob may be read back next, and wants the memory.
		this.#piece = new Uint8Array(0);
		this.#reference[1] = length >> 8;
		this.#reference[2] = length;
		return this.#reference.slice(0, blobReferenceLimit(length));
	}

	/** Lets the next writer begin. */
	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#options.close();
	}

	/** Stores the present piece, of which `count` bytes are used. */
	private store(count: number): void {
		const index = Math.ceil(this.#length / BLOB_PIECE) - 1;
		const crc = crc16(this.#piece, 0, count);
		this.#reference[REFERENCE_HEADER + index * CRC_LENGTH] = crc >> 8;
		this.#reference[REFERENCE_HEADER + index * CRC_LENGTH + 1] = crc;
		this.#options.write(index, this.#piece.slice(0, count));
	}
}
