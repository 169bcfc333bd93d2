/**
 * Writes a firmware file into the inactive OTA slot and activates it. `write()` takes bytes in pieces of any size;
 * `advance()` continues the work in ticks. A call can take as long as erasing and writing a sector (60 ms), or as long
 * as verifying the signature, so other tasks should run between calls. The columns of the table are events:
 *
 *              bytes                              end                advance
 *   FRONT      complete: PLAIN, LENGTH, REFUSED   REFUSED            –
 *   PLAIN      the last: WHOLE; REFUSED           REFUSED            –
 *   LENGTH     all four: PACKED; REFUSED          REFUSED            –
 *   PACKED     end of the piece: LENGTH;          REFUSED            –
 *              end of the file: WHOLE; REFUSED
 *   WHOLE      REFUSED: too many bytes            CHECKING, REFUSED  –
 *   CHECKING   –                                  –                  the last: INSTALLED, REFUSED
 *   INSTALLED  final
 *   REFUSED    final
 *
 * `close()` leads to REFUSED from every state except INSTALLED. Nothing is erased before PLAIN or LENGTH. Only the
 * transition to INSTALLED changes which firmware starts next.
 *
 * Memory: the front, and a kilobyte for reading the image back. A packed image also needs the inflater with a ring of
 * one sector.
 *
 * The transfer of a file from a slow sender can be resumed after any interruption, because the position after the last
 * complete piece is stored. For this purpose, files that are not packed are divided into pieces too. The sender repeats
 * the front; then `received` jumps to the stored position. The hash of the earlier bytes of the file is lost, but the
 * image in flash has its own signed hash and is compared with it. The stored position is deleted before another file is
 * written, and when the file is refused.
 */

import { putUint32LE, uint32LE } from "../bytes/integers.js";
import type { Crypto, Hash } from "../io/crypto.js";
import { refusalLine } from "../io/fault.js";
import { ERASE_SIZE, INFLATE_WINDOW, type Inflater, type Partition, type Update, WRITE_SIZE } from "../io/flash.js";
import type { HostInfo, Power, Storage } from "../io/host.js";
import { isOnBattery, isWeak } from "../power/supply.js";
import {
	DATA_HASH,
	FILE_LENGTH,
	FRONT_LENGTH,
	type FrontChecker,
	HASH_LENGTH,
	holds,
	IMAGE_HASH,
	IMAGE_LENGTH,
	KIND_LENGTH,
	PACKED_FLAG,
	refusalOf,
	refusalOfKind,
	versionOf,
} from "./front.js";
import {
	DAMAGED,
	DOWNGRADE,
	INTERRUPTED,
	LOW_POWER,
	NO_FIRMWARE_FILE,
	NOT_NEWER,
	NOT_STARTABLE,
	TAKEN,
	WRITE_FAILED,
} from "./refusals.js";
import { buildNumber, isNewer } from "./version.js";

export interface InstallerDeps extends FrontChecker {
	readonly info: FrontChecker["info"] & Pick<HostInfo, "firmwareVersion">;
	readonly crypto: Pick<Crypto, "hash" | "sha256" | "verifyP256">;
	readonly storage: Storage;
	trace(message: string): void;
}

export interface InstallerHost {
	readonly update: Update;
	/** Undefined if the board does not measure its voltages. */
	readonly power?: Power | undefined;
}

export const INSTALL_FRONT = 0;
export const INSTALL_PLAIN = 1;
export const INSTALL_LENGTH = 2;
export const INSTALL_PACKED = 3;
export const INSTALL_WHOLE = 4;
export const INSTALL_CHECKING = 5;
export const INSTALL_INSTALLED = 6;
export const INSTALL_REFUSED = 7;

/** Number of image bytes in each piece except the last one. */
const PIECE_LENGTH = 65_536;
/** Key in storage for the position: DATA_HASH, number of bytes received, number of image bytes written. */
const POINT_KEY = "ota_point";
const POINT_RECEIVED = HASH_LENGTH;
const POINT_OFFSET = HASH_LENGTH + 4;
const POINT_LENGTH = HASH_LENGTH + 8;
const LENGTH_BYTES = 4;
const READ_SIZE = 1024;
/** Number of reads in one `advance()`. */
const READS = 8;
const ERASED = 0xff;

export class Installer {
	readonly #deps: InstallerDeps;
	readonly #host: InstallerHost;
	readonly #slot: Partition;
	readonly #front = new Uint8Array(FRONT_LENGTH);
	/** A write unit or a length field that is still incomplete. */
	readonly #unit = new Uint8Array(WRITE_SIZE);
	state = INSTALL_FRONT;
	refusal = TAKEN;
	/** True if the sender is slow, so that its file can be resumed after an interruption. */
	readonly #isSlow: boolean;
	readonly #needsNewer: boolean;
	received = 0;
	/** Length of the file, bytes; 0 if unknown. */
	total: number;
	/** Refusal to report if the host throws an exception. */
	#onError = WRITE_FAILED;
	/**
	 * Hash of the data in the second element, and later of the image that is read back. Undefined until the front is
	 * accepted.
	 */
	#hash: Hash | undefined;
	#isHashWhole = true;
	#inflater: Inflater | undefined;
	#readBack: Uint8Array | undefined;
	#imageLength = 0;
	/** Number of image bytes that were written or, in CHECKING, read back. */
	#offset = 0;
	#filled = 0;
	#pieceLeft = 0;
	/** Offset in the unpacked image at which the present piece ends. */
	#pieceEnd = 0;

	/**
	 * Throws if too little memory is free for unpacking. This memory is allocated first, because long TLS records may
	 * need memory later. `total` is the length that the sender has stated, or 0. If `isSlow`, the transfer may be
	 * resumed, so check `received` after each `write()`. If `needsNewer`, the file must be newer than the running
	 * firmware.
	 */
	constructor(deps: InstallerDeps, host: InstallerHost, total: number, isSlow: boolean, needsNewer = false) {
		this.#needsNewer = needsNewer;
		this.#deps = deps;
		this.#host = host;
		this.#isSlow = isSlow;
		this.#slot = host.update.slot;
		this.#inflater = host.update.inflater();
		this.total = total;
	}

	/** Version in the file; empty as long as the signature was not verified. */
	get version(): string {
		return this.#hash === undefined ? "" : versionOf(this.#front);
	}

	/**
	 * Processes as many bytes as fit into a tick, at least one, and returns their number. In REFUSED it skips all bytes.
	 * It keeps no reference to the array.
	 */
	write(bytes: Uint8Array, start: number, end: number): number {
		if (this.state > INSTALL_WHOLE) return end - start;
		try {
			const accepted = this.take(bytes, start, end);
			this.received += accepted;
			this.#hash?.update(bytes, start, start + accepted);
			if (this.received === FRONT_LENGTH && this.state === INSTALL_FRONT) this.accept();
			return accepted;
		} catch (error) {
			this.fail(error);
			return end - start;
		}
	}

	end(): void {
		const hash = this.#hash;
		if (this.state === INSTALL_FRONT) this.close(refusalOfKind(this.#front, this.received) || DAMAGED);
		else if (this.state < INSTALL_WHOLE) this.close(DAMAGED);
		else if (this.state === INSTALL_WHOLE && hash !== undefined) {
			if (this.#isHashWhole && !holds(this.#front, DATA_HASH, hash.digest(), HASH_LENGTH)) {
				this.close(DAMAGED);
				return;
			}
			this.#inflater?.close();
			this.#inflater = undefined;
			this.#hash = this.#deps.crypto.hash();
			this.#offset = 0;
			this.state = INSTALL_CHECKING;
		}
	}

	/** In CHECKING, reads the next part of the image back. At the end, compares the hash of the image. */
	advance(): void {
		const hash = this.#hash;
		const length = this.#imageLength;
		if (this.state !== INSTALL_CHECKING || hash === undefined) return;
		try {
			this.#readBack ??= new Uint8Array(READ_SIZE);
			const into = this.#readBack;
			for (let i = 0; i < READS && this.#offset < length; i++) {
				const count = Math.min(READ_SIZE, length - this.#offset);
				this.#slot.read(this.#offset, into, 0, count);
				hash.update(into, 0, count);
				this.#offset += count;
			}
			if (this.#offset < length) return;
			if (!holds(this.#front, IMAGE_HASH, hash.digest(), HASH_LENGTH)) {
				this.close(WRITE_FAILED);
				return;
			}
			this.storePosition(false);
			this.#onError = NOT_STARTABLE;
			this.#host.update.activate(length);
			this.state = INSTALL_INSTALLED;
		} catch (error) {
			this.fail(error);
		}
	}

	/** Cancels the installation if it is not over. */
	close(refusal: number): void {
		if (this.state >= INSTALL_INSTALLED) return;
		this.state = INSTALL_REFUSED;
		this.refusal = refusal;
		this.#inflater?.close();
		if (this.#hash !== undefined && refusal !== INTERRUPTED) this.storePosition(false);
	}

	private take(bytes: Uint8Array, start: number, end: number): number {
		if (this.state === INSTALL_PLAIN) return this.takePlain(bytes, start, end);
		if (this.state === INSTALL_PACKED) return this.takePacked(bytes, start, end);
		const { received } = this;
		let count = end - start;
		if (this.state === INSTALL_FRONT) {
			count = Math.min(count, FRONT_LENGTH - received);
			this.#front.set(bytes.subarray(start, start + count), received);
			if (received + count >= KIND_LENGTH && refusalOfKind(this.#front, KIND_LENGTH)) this.close(NO_FIRMWARE_FILE);
			return count;
		}
		const left = this.total - received;
		if (this.state === INSTALL_LENGTH && left > 0) return this.takeLength(bytes, start, Math.min(end, start + left));
		this.close(DAMAGED);
		return count;
	}

	private accept(): void {
		const { update, power } = this.#host;
		const front = this.#front;
		const running = this.#deps.info.firmwareVersion;
		let refusal = refusalOf(front, this.#deps, update, this.total);
		// A slow sender is not authenticated, so it must not be able to install an older version that has known faults.
		if (refusal === TAKEN && this.#isSlow && buildNumber(versionOf(front)) < buildNumber(running)) refusal = DOWNGRADE;
		// The server of release files is not authenticated either, because its certificate is not checked.
		if (refusal === TAKEN && this.#needsNewer && !isNewer(versionOf(front), running)) refusal = NOT_NEWER;
		if (refusal === TAKEN && isOnBattery(power) && isWeak(power?.batteryVoltage() ?? 0, power?.cells ?? 0))
			refusal = LOW_POWER;
		if (refusal !== TAKEN) {
			this.close(refusal);
			return;
		}
		if (!front[PACKED_FLAG]) {
			this.#inflater?.close();
			this.#inflater = undefined;
		}
		this.#onError = WRITE_FAILED;
		this.#hash = this.#deps.crypto.hash();
		this.total = uint32LE(front, FILE_LENGTH);
		this.#imageLength = uint32LE(front, IMAGE_LENGTH);
		this.state = front[PACKED_FLAG] ? INSTALL_LENGTH : INSTALL_PLAIN;
		this.resume();
	}

	private resume(): void {
		const point = this.#deps.storage.get(POINT_KEY);
		if (point === undefined) return;
		if (this.#isSlow && point.length === POINT_LENGTH && holds(this.#front, DATA_HASH, point, HASH_LENGTH)) {
			this.received = uint32LE(point, POINT_RECEIVED);
			this.#offset = this.#pieceEnd = uint32LE(point, POINT_OFFSET);
			this.#isHashWhole = false;
		} else this.storePosition(false);
	}

	/**
	 * Stores the position after `received` bytes, where a complete piece is in flash. If `hasPosition` is false, deletes
	 * the stored position.
	 */
	private storePosition(hasPosition: boolean, received = 0): void {
		const { storage } = this.#deps;
		try {
			if (!hasPosition) storage.delete(POINT_KEY);
			else if (this.#isSlow) {
				const point = this.#front.slice(DATA_HASH, DATA_HASH + POINT_LENGTH);
				putUint32LE(point, POINT_RECEIVED, received);
				putUint32LE(point, POINT_OFFSET, this.#offset);
				storage.set(POINT_KEY, point);
			}
		} catch {
			// If the write fails, a resumed transfer starts from the beginning, or fails the final check of the hash.
		}
	}

	private takePlain(bytes: Uint8Array, start: number, end: number): number {
		const at = this.#offset + this.#filled;
		const left = this.#imageLength - at;
		const count = Math.min(end - start, left, ERASE_SIZE - (at % ERASE_SIZE));
		const stop = start + count;
		let from = start;
		if (this.#filled > 0) from = this.fillUnit(bytes, start, stop);
		const whole = stop - ((stop - from) % WRITE_SIZE);
		if (whole > from) this.store(bytes, from, whole, whole - from);
		if (stop > whole) this.fillUnit(bytes, whole, stop);
		if (count === left) {
			if (this.#filled > 0) this.storePadded(this.#unit, this.#filled);
			this.state = INSTALL_WHOLE;
		} else if ((at + count) % PIECE_LENGTH === 0) this.storePosition(true, this.received + count);
		return count;
	}

	/** Fills the write unit, and writes it when it is full. Returns the offset of the bytes that are left. */
	private fillUnit(bytes: Uint8Array, start: number, end: number): number {
		const stop = Math.min(end, start + WRITE_SIZE - this.#filled);
		for (let i = start; i < stop; i++) this.#unit[this.#filled++] = bytes[i];
		if (this.#filled === WRITE_SIZE) {
			this.#filled = 0;
			this.store(this.#unit, 0, WRITE_SIZE, WRITE_SIZE);
		}
		return stop;
	}

	/** Processes the length field of a piece. `end` is at most the end of the file. */
	private takeLength(bytes: Uint8Array, start: number, end: number): number {
		const stop = Math.min(end, start + LENGTH_BYTES - this.#filled);
		for (let i = start; i < stop; i++) this.#unit[this.#filled++] = bytes[i];
		if (this.#filled === LENGTH_BYTES) {
			const left = this.total - this.received - (stop - start);
			this.#filled = 0;
			this.#pieceLeft = uint32LE(this.#unit, 0);
			this.#pieceEnd = Math.min(this.#pieceEnd + PIECE_LENGTH, this.#imageLength);
			this.state = INSTALL_PACKED;
			if (this.#pieceLeft === 0 || this.#pieceLeft > left) this.close(DAMAGED);
		}
		return stop - start;
	}

	private takePacked(bytes: Uint8Array, start: number, end: number): number {
		const inflater = this.#inflater as Inflater;
		const stop = Math.min(end, start + this.#pieceLeft);
		let from = start;
		do {
			this.#onError = DAMAGED;
			from += inflater.write(bytes, from, stop);
			this.#onError = WRITE_FAILED;
			const { filled, isDone } = inflater;
			if (filled > this.#pieceEnd - this.#offset) this.close(DAMAGED);
			if (this.state === INSTALL_REFUSED || (filled < INFLATE_WINDOW && !isDone)) break;
			if (filled > 0) this.storePadded(inflater.ring, filled);
			inflater.empty();
			// After the last byte of input, there may be more output than the ring has room for.
		} while (from - start === this.#pieceLeft && !inflater.isDone);
		this.#pieceLeft -= from - start;
		if (this.state === INSTALL_PACKED && (inflater.isDone || this.#pieceLeft === 0))
			this.endPiece(inflater, this.total - this.received - (from - start));
		return from - start;
	}

	private endPiece(inflater: Inflater, left: number): void {
		const isLast = this.#pieceEnd === this.#imageLength;
		const isWhole = inflater.isDone && this.#pieceLeft === 0 && this.#offset === this.#pieceEnd;
		if (!isWhole || isLast !== (left === 0)) {
			this.close(DAMAGED);
			return;
		}
		inflater.reset();
		this.state = isLast ? INSTALL_WHOLE : INSTALL_LENGTH;
		if (!isLast) this.storePosition(true, this.total - left);
	}

	private storePadded(bytes: Uint8Array, count: number): void {
		const end = Math.ceil(count / WRITE_SIZE) * WRITE_SIZE;
		bytes.fill(ERASED, count, end);
		this.store(bytes, 0, end, count);
	}

	/**
	 * Writes whole units within one sector, and erases the sector before its first unit. `count`: number of these bytes
	 * that belong to the image.
	 */
	private store(bytes: Uint8Array, start: number, end: number, count: number): void {
		const at = this.#offset;
		if (at % ERASE_SIZE === 0) this.#slot.erase(at, ERASE_SIZE);
		this.#slot.write(at, bytes, start, end);
		this.#offset = at + count;
	}

	private fail(error: unknown): void {
		this.#deps.trace(refusalLine("ota", error));
		this.close(this.#onError);
	}
}
