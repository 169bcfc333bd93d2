/**
 * Puts one firmware file into the slot that does not run, and makes it what starts next. The file's bytes come in from
 * wherever they are sent, by any split; time comes in by `advance`. It waits for nobody and knows no clock: who gives it
 * bytes lets all else have its turn between two calls, for each takes as long as one sector of flash (about 60 ms), and
 * the first one that is whole as long as a signature.
 *
 *             bytes                              end                advance
 *  FRONT      all of it: PLAIN, LENGTH, REFUSED  REFUSED            –
 *  PLAIN      the last: WHOLE; REFUSED           REFUSED            –
 *  LENGTH     all four: PACKED; REFUSED          REFUSED            –
 *  PACKED     the piece's last: LENGTH;          REFUSED            –
 *             the file's last: WHOLE; REFUSED
 *  WHOLE      REFUSED: there are too many        CHECKING, REFUSED  –
 *  CHECKING   –                                  –                  the last: INSTALLED, REFUSED
 *  INSTALLED  nothing happens any more
 *  REFUSED    nothing happens any more
 *
 * `close` leads to REFUSED from everywhere but INSTALLED. Nothing is erased before PLAIN and LENGTH; what starts next is
 * changed on the way to INSTALLED and not before.
 *
 * Memory: the front, and a kilobyte to read back; of a packed image the inflater with its ring of a sector. To go on after
 * a restart it would need no more than the front again, and then the bytes from a sector's (plain) or a piece's beginning
 * (packed) on: the hash of what came can't be had then, but that of what lies in flash is signed too, and decides.
 */

import type { Crypto, Hash } from "../io/crypto.js";
import { ERASE_SIZE, INFLATE_WINDOW, type Inflater, type Partition, WRITE_SIZE } from "../io/flash.js";
import { FRONT_LENGTH, Front, type Judge, refusalOfKind, uint32 } from "./front.js";
import { DAMAGED, LOW_POWER, NO_MEMORY, NOT_STARTABLE, type Refusal, WRITE_FAILED } from "./refusals.js";

export interface InstallerWorld extends Judge {
	readonly crypto: Pick<Crypto, "hash" | "sha256" | "verifyP256">;
	/** The cells would not last. */
	isLow(): boolean;
	trace(message: string): void;
}

/** The table's states. */
export const INSTALL_FRONT = 0;
export const INSTALL_PLAIN = 1;
export const INSTALL_LENGTH = 2;
export const INSTALL_PACKED = 3;
export const INSTALL_WHOLE = 4;
export const INSTALL_CHECKING = 5;
export const INSTALL_INSTALLED = 6;
export const INSTALL_REFUSED = 7;

/** Bytes of the image in each packed piece but the last. */
const PIECE_LENGTH = 65_536;
/** Bytes of the number before each. */
const LENGTH_BYTES = 4;
/** Read back at once, and so often in one `advance`. */
const READ_SIZE = 1024;
const READS = 8;
/** An erased byte. */
const ERASED = 0xff;

export class Installer {
	readonly #world: InstallerWorld;
	readonly #slot: Partition;
	readonly #gathered = new Uint8Array(FRONT_LENGTH);
	readonly #front = new Front(this.#gathered);
	/** What is not yet a whole unit of flash, or of the number before a piece. */
	readonly #unit = new Uint8Array(WRITE_SIZE);
	readonly #claimed: number;
	#state = INSTALL_FRONT;
	#refusal: Refusal | undefined;
	/** Of the second element's data, then of what is read back; undefined before the front was accepted. */
	#hash: Hash | undefined;
	#inflater: Inflater | undefined;
	/** In CHECKING. */
	#readBack: Uint8Array | undefined;
	/** Bytes of the file that were taken. */
	#received = 0;
	/** Bytes of the image that are in flash, or read back from there. */
	#offset = 0;
	/** Bytes in `#unit`. */
	#filled = 0;
	/** Bytes still to come of the present piece, and where in the image it ends. */
	#pieceLeft = 0;
	#pieceEnd = 0;

	/** `total`: bytes of the whole file as its sender says, or 0. */
	constructor(world: InstallerWorld, total: number) {
		this.#world = world;
		this.#claimed = total;
		this.#slot = world.update.slot;
	}

	/** INSTALL_… */
	get state(): number {
		return this.#state;
	}

	/** In INSTALL_REFUSED: why. */
	get refusal(): Refusal | undefined {
		return this.#refusal;
	}

	/** Bytes of the file that were taken. */
	get received(): number {
		return this.#received;
	}

	/** Bytes of the whole file; 0 while that is not known. */
	get total(): number {
		return this.#hash === undefined ? this.#claimed : this.#front.fileLength;
	}

	/** Empty while that is not known, or not to be believed. */
	get version(): string {
		return this.#hash === undefined ? "" : this.#front.version(this.#world.text);
	}

	/**
	 * Takes the next bytes of the file, as many of bytes[start..end) as one turn has time for; returns how many, at least
	 * one, and all once it is REFUSED. They hold still only during the call.
	 */
	write(bytes: Uint8Array, start: number, end: number): number {
		if (this.#state > INSTALL_WHOLE) return end - start;
		try {
			const taken = this.take(bytes, start, end);
			this.#received += taken;
			this.#hash?.update(bytes, start, start + taken);
			if (this.#received === FRONT_LENGTH && this.#state === INSTALL_FRONT) this.accept();
			return taken;
		} catch (error) {
			this.fail(error, WRITE_FAILED);
			return end - start;
		}
	}

	/** The file is over. */
	end(): void {
		const state = this.#state;
		if (state === INSTALL_WHOLE) this.beginCheck();
		else if (state === INSTALL_FRONT) this.refuse(refusalOfKind(this.#gathered, this.#received) ?? DAMAGED);
		else if (state < INSTALL_WHOLE) this.refuse(DAMAGED);
	}

	/** In CHECKING: reads some more of the slot back. */
	advance(): void {
		if (this.#state !== INSTALL_CHECKING || this.#hash === undefined || this.#readBack === undefined) return;
		try {
			this.check(this.#hash, this.#readBack);
		} catch (error) {
			this.fail(error, WRITE_FAILED);
		}
	}

	/** It is given up; `reason` says why if it was not over. */
	close(reason: Refusal): void {
		if (this.#state !== INSTALL_INSTALLED) this.refuse(reason);
	}

	private take(bytes: Uint8Array, start: number, end: number): number {
		switch (this.#state) {
			case INSTALL_FRONT:
				return this.gather(bytes, start, end);
			case INSTALL_PLAIN:
				return this.takePlain(bytes, start, end);
			case INSTALL_LENGTH:
				return this.takeLength(bytes, start, end);
			case INSTALL_PACKED:
				return this.takePacked(bytes, start, end);
			case INSTALL_WHOLE:
				this.refuse(DAMAGED);
		}
		return end - start;
	}

	private gather(bytes: Uint8Array, start: number, end: number): number {
		const at = this.#received;
		const count = Math.min(end - start, FRONT_LENGTH - at);
		this.#gathered.set(bytes.subarray(start, start + count), at);
		if (at < LENGTH_BYTES && at + count >= LENGTH_BYTES) {
			const refusal = refusalOfKind(this.#gathered, at + count);
			if (refusal !== undefined) this.refuse(refusal);
		}
		return count;
	}

	/** The front is there: decides whether the rest is wanted. */
	private accept(): void {
		const { update, crypto } = this.#world;
		const front = this.#front;
		const refusal = front.refusal(this.#world, this.#claimed) ?? (this.#world.isLow() ? LOW_POWER : undefined);
		if (refusal !== undefined) {
			this.refuse(refusal);
			return;
		}
		try {
			if (front.isPacked) this.#inflater = update.inflater();
		} catch (error) {
			this.fail(error, NO_MEMORY);
			return;
		}
		this.#hash = crypto.hash();
		this.#state = front.isPacked ? INSTALL_LENGTH : INSTALL_PLAIN;
	}

	/** Up to the end of a sector. */
	private takePlain(bytes: Uint8Array, start: number, end: number): number {
		const at = this.#offset + this.#filled;
		const left = this.#front.imageLength - at;
		const count = Math.min(end - start, left, ERASE_SIZE - (at % ERASE_SIZE));
		const stop = start + count;
		let from = start;
		if (this.#filled > 0 || count < WRITE_SIZE) from = this.fillUnit(bytes, start, stop);
		const whole = stop - ((stop - from) % WRITE_SIZE);
		if (whole > from) this.store(bytes, from, whole);
		if (stop > whole) this.fillUnit(bytes, whole, stop);
		if (count === left) {
			this.endUnit();
			this.#state = INSTALL_WHOLE;
		}
		return count;
	}

	/** Puts bytes into the unit, which is written when it is full; returns where the rest begins. */
	private fillUnit(bytes: Uint8Array, start: number, end: number): number {
		const count = Math.min(end - start, WRITE_SIZE - this.#filled);
		for (let i = 0; i < count; i++) this.#unit[this.#filled + i] = bytes[start + i];
		this.#filled += count;
		if (this.#filled === WRITE_SIZE) this.endUnit();
		return start + count;
	}

	private endUnit(): void {
		const filled = this.#filled;
		if (filled === 0) return;
		this.#unit.fill(ERASED, filled);
		this.#filled = 0;
		this.store(this.#unit, 0, WRITE_SIZE, filled);
	}

	private takeLength(bytes: Uint8Array, start: number, end: number): number {
		const count = Math.min(end - start, LENGTH_BYTES - this.#filled, this.left);
		for (let i = 0; i < count; i++) this.#unit[this.#filled + i] = bytes[start + i];
		this.#filled += count;
		if (this.#filled === LENGTH_BYTES) {
			this.#filled = 0;
			this.#pieceLeft = uint32(this.#unit, 0);
			this.#pieceEnd = Math.min(this.#pieceEnd + PIECE_LENGTH, this.#front.imageLength);
			this.#state = INSTALL_PACKED;
			if (this.#pieceLeft === 0 || this.#pieceLeft > this.left - count) this.refuse(DAMAGED);
		} else if (count === this.left) this.refuse(DAMAGED);
		return count;
	}

	/** Up to the end of a sector, or of the piece. */
	private takePacked(bytes: Uint8Array, start: number, end: number): number {
		const inflater = this.#inflater as Inflater;
		const stop = Math.min(end, start + this.#pieceLeft);
		const count = this.unpack(inflater, bytes, start, stop);
		this.#pieceLeft -= count;
		// What the last bytes say may be more than the ring holds.
		while (this.isInside && this.#pieceLeft === 0 && !inflater.isDone && inflater.filled === INFLATE_WINDOW) {
			if (this.storeRing(inflater)) this.unpack(inflater, bytes, stop, stop);
		}
		if (!this.isInside) return count;
		if (inflater.isDone) this.endPiece(inflater, this.left - count);
		else if (inflater.filled === INFLATE_WINDOW) this.storeRing(inflater);
		else if (this.#pieceLeft === 0) this.refuse(DAMAGED);
		return count;
	}

	/** False: it was REFUSED on the way. */
	private get isInside(): boolean {
		return this.#state === INSTALL_PACKED;
	}

	/** As Inflater.write; REFUSED when the stream is damaged. */
	private unpack(inflater: Inflater, bytes: Uint8Array, start: number, end: number): number {
		try {
			return inflater.write(bytes, start, end);
		} catch (error) {
			this.fail(error, DAMAGED);
			return end - start;
		}
	}

	/** Writes what the ring holds; false, and REFUSED, when that is more than its piece may have. */
	private storeRing(inflater: Inflater): boolean {
		const { ring, filled } = inflater;
		if (filled > this.#pieceEnd - this.#offset) {
			this.refuse(DAMAGED);
			return false;
		}
		const end = Math.ceil(filled / WRITE_SIZE) * WRITE_SIZE;
		ring.fill(ERASED, filled, end);
		if (end > 0) this.store(ring, 0, end, filled);
		inflater.empty();
		return true;
	}

	/** `left`: bytes of the element's data behind the piece's. */
	private endPiece(inflater: Inflater, left: number): void {
		const end = this.#pieceEnd;
		const isLast = end === this.#front.imageLength;
		if (!this.storeRing(inflater)) return;
		if (this.#pieceLeft > 0 || this.#offset !== end || isLast !== (left === 0)) {
			this.refuse(DAMAGED);
			return;
		}
		inflater.reset();
		this.#state = isLast ? INSTALL_WHOLE : INSTALL_LENGTH;
	}

	/** Bytes of the element's data still to come. */
	private get left(): number {
		return this.#front.fileLength - this.#received;
	}

	/** Writes whole units, `count` bytes of which are of the image, within a sector, which is erased when they begin it. */
	private store(bytes: Uint8Array, start: number, end: number, count = end - start): void {
		const at = this.#offset;
		if (at % ERASE_SIZE === 0) this.#slot.erase(at, ERASE_SIZE);
		this.#slot.write(at, bytes, start, end);
		this.#offset = at + count;
	}
	/** All bytes came: what they were is looked at, then what has become of them. */
	private beginCheck(): void {
		if (this.#hash === undefined || !this.#front.isDataHash(this.#hash.digest())) {
			this.refuse(DAMAGED);
			return;
		}
		this.#inflater?.close();
		this.#inflater = undefined;
		this.#hash = this.#world.crypto.hash();
		this.#readBack = new Uint8Array(READ_SIZE);
		this.#offset = 0;
		this.#state = INSTALL_CHECKING;
	}

	private check(hash: Hash, into: Uint8Array): void {
		const { imageLength } = this.#front;
		for (let i = 0; i < READS && this.#offset < imageLength; i++) {
			const count = Math.min(READ_SIZE, imageLength - this.#offset);
			this.#slot.read(this.#offset, into, 0, count);
			hash.update(into, 0, count);
			this.#offset += count;
		}
		if (this.#offset < imageLength) return;
		if (this.#front.isImageHash(hash.digest())) this.activate(imageLength);
		else this.refuse(WRITE_FAILED);
	}

	private activate(length: number): void {
		try {
			this.#world.update.activate(length);
			this.#state = INSTALL_INSTALLED;
		} catch (error) {
			this.fail(error, NOT_STARTABLE);
		}
	}

	/** What the host has said of it is for the developer. */
	private fail(error: unknown, refusal: Refusal): void {
		this.#world.trace(`ota: ${error instanceof Error ? error.message : String(error)}`);
		this.refuse(refusal);
	}

	private refuse(refusal: Refusal): void {
		if (this.#state === INSTALL_REFUSED) return;
		this.#state = INSTALL_REFUSED;
		this.#refusal = refusal;
		this.#inflater?.close();
		this.#inflater = undefined;
	}
}
