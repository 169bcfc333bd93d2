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
 * Memory: the front, and a kilobyte to read back; of a packed image the inflater with its ring of a sector.
 *
 * A file that comes slowly goes on after an interruption, whatever that was: the storage has how far it had come, to the
 * beginning of a piece (a plain file is thought to have pieces too). The front must come again, and be signed; then
 * `received` leaps to where that file goes on. The hash of what came can't be had then, but that of what lies in flash is
 * signed too, and decides. What the storage has goes before anything else is erased, and when such a file was refused.
 */

import type { Crypto, Hash } from "../io/crypto.js";
import { ERASE_SIZE, INFLATE_WINDOW, type Inflater, type Partition, type Update, WRITE_SIZE } from "../io/flash.js";
import type { HostInfo, Power, Storage } from "../io/host.js";
import { isOnBattery, isWeak } from "../power/supply.js";
import {
	DATA_HASH,
	FILE_LENGTH,
	FRONT_LENGTH,
	HASH_LENGTH,
	holds,
	IMAGE_HASH,
	IMAGE_LENGTH,
	type Judge,
	KIND_LENGTH,
	PACKED_FLAG,
	putUint32,
	refusalOf,
	refusalOfKind,
	uint32,
	versionOf,
} from "./front.js";
import {
	DAMAGED,
	DOWNGRADE,
	INTERRUPTED,
	LOW_POWER,
	NO_FIRMWARE_FILE,
	NO_MEMORY,
	NOT_STARTABLE,
	TAKEN,
	WRITE_FAILED,
} from "./refusals.js";
import { buildNumber } from "./version.js";

export interface InstallerDeps extends Judge {
	readonly info: Judge["info"] & Pick<HostInfo, "firmwareVersion">;
	readonly crypto: Pick<Crypto, "hash" | "sha256" | "verifyP256">;
	readonly storage: Storage;
	trace(message: string): void;
}

/** What the installer takes of the host. */
export interface InstallerHost {
	readonly update: Update;
	/** Undefined where the board measures nothing. */
	readonly power?: Power | undefined;
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
/** In the storage: DATA_HASH of a file, how many bytes of it came, and how many of the image they are. */
const POINT_KEY = "ota_point";
const POINT_RECEIVED = HASH_LENGTH;
const POINT_OFFSET = HASH_LENGTH + 4;
const POINT_LENGTH = HASH_LENGTH + 8;
/** Bytes of the number before each. */
const LENGTH_BYTES = 4;
/** Read back at once, and so often in one `advance`. */
const READ_SIZE = 1024;
const READS = 8;
/** An erased byte. */
const ERASED = 0xff;

export class Installer {
	readonly #deps: InstallerDeps;
	readonly #host: InstallerHost;
	readonly #slot: Partition;
	readonly #front = new Uint8Array(FRONT_LENGTH);
	/** What is not yet a whole unit of flash, or of the number before a piece. */
	readonly #unit = new Uint8Array(WRITE_SIZE);
	/** INSTALL_… */
	state = INSTALL_FRONT;
	/** In INSTALL_REFUSED: why. */
	refusal = TAKEN;
	/** What is interrupted goes on. */
	readonly #isSlow: boolean;
	/** Bytes of the file that were taken: where in it the next one stands. */
	received = 0;
	/** Bytes of the whole file; 0 while that is not known. */
	total: number;
	/** What it means if the host throws an Error now. */
	#blame = WRITE_FAILED;
	/** Hash of the second element's data, then of what is read back; undefined before the front was accepted. */
	#hash: Hash | undefined;
	/** The hash is over all of that data. */
	#isHashWhole = true;
	#inflater: Inflater | undefined;
	/** Made in CHECKING. */
	#readBack: Uint8Array | undefined;
	#imageLength = 0;
	/** Bytes of the image that are in flash, or read back from there. */
	#offset = 0;
	/** Bytes in `#unit`. */
	#filled = 0;
	/** Bytes still to come of the present piece, and where in the image it ends. */
	#pieceLeft = 0;
	#pieceEnd = 0;

	/**
	 * `total`: bytes of the whole file as its sender says, or 0. `isSlow`: what is interrupted goes on, so that the sender
	 * has to look after each `write` where that is.
	 */
	constructor(deps: InstallerDeps, host: InstallerHost, total: number, isSlow: boolean) {
		this.#deps = deps;
		this.#host = host;
		this.#isSlow = isSlow;
		this.#slot = host.update.slot;
		this.total = total;
	}

	/** Empty while that is not known, or not to be believed. */
	get version(): string {
		return this.#hash === undefined ? "" : versionOf(this.#front);
	}

	/**
	 * Takes the next bytes of the file, as many of bytes[start..end) as one turn has time for; returns how many, at least
	 * one, and all once it is REFUSED. They hold still only during the call.
	 */
	write(bytes: Uint8Array, start: number, end: number): number {
		if (this.state > INSTALL_WHOLE) return end - start;
		try {
			const taken = this.take(bytes, start, end);
			this.received += taken;
			this.#hash?.update(bytes, start, start + taken);
			if (this.received === FRONT_LENGTH && this.state === INSTALL_FRONT) this.accept();
			return taken;
		} catch (error) {
			this.fail(error);
			return end - start;
		}
	}

	/** The file is over. */
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

	/** In CHECKING: reads some more of the slot back, and compares all of it in the end. */
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
			this.keepPoint(false);
			this.#blame = NOT_STARTABLE;
			this.#host.update.activate(length);
			this.state = INSTALL_INSTALLED;
		} catch (error) {
			this.fail(error);
		}
	}

	/** It is given up; `refusal` says why if it was not over. */
	close(refusal: number): void {
		if (this.state >= INSTALL_INSTALLED) return;
		this.state = INSTALL_REFUSED;
		this.refusal = refusal;
		this.#inflater?.close();
		if (this.#hash !== undefined && refusal !== INTERRUPTED) this.keepPoint(false);
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

	/** The front is there: decides whether the rest is wanted. */
	private accept(): void {
		const { update, power } = this.#host;
		const front = this.#front;
		const running = this.#deps.info.firmwareVersion;
		let refusal = refusalOf(front, this.#deps, update, this.total);
		// A slow sender has no account here: it may not bring an old fault back.
		if (refusal === TAKEN && this.#isSlow && buildNumber(versionOf(front)) < buildNumber(running)) refusal = DOWNGRADE;
		if (refusal === TAKEN && isOnBattery(power) && isWeak(power?.batteryVoltage() ?? 0, power?.cells ?? 0))
			refusal = LOW_POWER;
		if (refusal !== TAKEN) {
			this.close(refusal);
			return;
		}
		this.#blame = NO_MEMORY;
		if (front[PACKED_FLAG]) this.#inflater = update.inflater();
		this.#blame = WRITE_FAILED;
		this.#hash = this.#deps.crypto.hash();
		this.total = uint32(front, FILE_LENGTH);
		this.#imageLength = uint32(front, IMAGE_LENGTH);
		this.state = front[PACKED_FLAG] ? INSTALL_LENGTH : INSTALL_PLAIN;
		this.goOn();
	}

	/** Leaps to where an interrupted file goes on, if it is this one. */
	private goOn(): void {
		const point = this.#deps.storage.get(POINT_KEY);
		if (point === undefined) return;
		if (this.#isSlow && point.length === POINT_LENGTH && holds(this.#front, DATA_HASH, point, HASH_LENGTH)) {
			this.received = uint32(point, POINT_RECEIVED);
			this.#offset = this.#pieceEnd = uint32(point, POINT_OFFSET);
			this.#isHashWhole = false;
		} else this.keepPoint(false);
	}

	/** Keeps that `received` bytes came, which end with a piece that is in flash; or that there is nothing to go on with. */
	private keepPoint(isThere: boolean, received = 0): void {
		const { storage } = this.#deps;
		try {
			if (!isThere) storage.delete(POINT_KEY);
			else if (this.#isSlow) {
				const point = this.#front.slice(DATA_HASH, DATA_HASH + POINT_LENGTH);
				putUint32(point, POINT_RECEIVED, received);
				putUint32(point, POINT_OFFSET, this.#offset);
				storage.set(POINT_KEY, point);
			}
		} catch {
			// It would begin anew, or find in the end that something else lies in flash.
		}
	}

	/** Up to the end of a sector. */
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
		} else if ((at + count) % PIECE_LENGTH === 0) this.keepPoint(true, this.received + count);
		return count;
	}

	/** Puts bytes into the unit, which is written when it is full; returns where the rest begins. */
	private fillUnit(bytes: Uint8Array, start: number, end: number): number {
		const stop = Math.min(end, start + WRITE_SIZE - this.#filled);
		for (let i = start; i < stop; i++) this.#unit[this.#filled++] = bytes[i];
		if (this.#filled === WRITE_SIZE) {
			this.#filled = 0;
			this.store(this.#unit, 0, WRITE_SIZE, WRITE_SIZE);
		}
		return stop;
	}

	/** `end`: where all of the file ends. */
	private takeLength(bytes: Uint8Array, start: number, end: number): number {
		const stop = Math.min(end, start + LENGTH_BYTES - this.#filled);
		for (let i = start; i < stop; i++) this.#unit[this.#filled++] = bytes[i];
		if (this.#filled === LENGTH_BYTES) {
			const left = this.total - this.received - (stop - start);
			this.#filled = 0;
			this.#pieceLeft = uint32(this.#unit, 0);
			this.#pieceEnd = Math.min(this.#pieceEnd + PIECE_LENGTH, this.#imageLength);
			this.state = INSTALL_PACKED;
			if (this.#pieceLeft === 0 || this.#pieceLeft > left) this.close(DAMAGED);
		}
		return stop - start;
	}

	/** Up to the end of a sector, or of the piece. */
	private takePacked(bytes: Uint8Array, start: number, end: number): number {
		const inflater = this.#inflater as Inflater;
		const stop = Math.min(end, start + this.#pieceLeft);
		let from = start;
		do {
			this.#blame = DAMAGED;
			from += inflater.write(bytes, from, stop);
			this.#blame = WRITE_FAILED;
			const { filled, isDone } = inflater;
			if (filled > this.#pieceEnd - this.#offset) this.close(DAMAGED);
			if (this.state === INSTALL_REFUSED || (filled < INFLATE_WINDOW && !isDone)) break;
			if (filled > 0) this.storePadded(inflater.ring, filled);
			inflater.empty();
			// What the piece's last bytes say may be more than the ring holds.
		} while (from - start === this.#pieceLeft && !inflater.isDone);
		this.#pieceLeft -= from - start;
		if (this.state === INSTALL_PACKED && (inflater.isDone || this.#pieceLeft === 0))
			this.endPiece(inflater, this.total - this.received - (from - start));
		return from - start;
	}

	/** `left`: bytes of the file behind the piece. */
	private endPiece(inflater: Inflater, left: number): void {
		const isLast = this.#pieceEnd === this.#imageLength;
		const isWhole = inflater.isDone && this.#pieceLeft === 0 && this.#offset === this.#pieceEnd;
		if (!isWhole || isLast !== (left === 0)) {
			this.close(DAMAGED);
			return;
		}
		inflater.reset();
		this.state = isLast ? INSTALL_WHOLE : INSTALL_LENGTH;
		if (!isLast) this.keepPoint(true, this.total - left);
	}

	/** Writes bytes[0..count), and erased ones up to a whole unit. */
	private storePadded(bytes: Uint8Array, count: number): void {
		const end = Math.ceil(count / WRITE_SIZE) * WRITE_SIZE;
		bytes.fill(ERASED, count, end);
		this.store(bytes, 0, end, count);
	}

	/** Writes whole units, `count` bytes of which are of the image, within a sector, which is erased when they begin it. */
	private store(bytes: Uint8Array, start: number, end: number, count: number): void {
		const at = this.#offset;
		if (at % ERASE_SIZE === 0) this.#slot.erase(at, ERASE_SIZE);
		this.#slot.write(at, bytes, start, end);
		this.#offset = at + count;
	}

	/** What the host has said of it is for the developer. */
	private fail(error: unknown): void {
		this.#deps.trace(`ota: ${error instanceof Error ? error.message : String(error)}`);
		this.close(this.#blame);
	}
}
