/**
 * Sending half of a connection. It has one buffer, which is filled again when it is empty and the socket accepts bytes.
 * So a slow client needs no more memory than a fast one.
 *
 *     chunk (RFC 9112, 7.1): length in 3 hex digits (at most FFF bytes), CRLF, data, CRLF; end: "0" CRLF CRLF
 */
import { hexDigit } from "../bytes/hex.js";
import type { Socket } from "../io/host.js";
import { type BodySource, type LiveBody, NOTHING_YET } from "./response.js";

const CHUNK_PREFIX = 5;
/** Number of bytes for the CRLF after the data, and for the end of the body. */
const CHUNK_SUFFIX = 7;

/** If a chunk has less room than this, bytes, it is sent without reading more data into it. */
const SPARE = 320;

const CR = 0x0d;
const LF = 0x0a;
const ZERO = 0x30;

export class SendBuffer {
	readonly #buffer: Uint8Array;
	#start = 0;
	#end = 0;
	/** Start of the reply in the buffer. Only valid while no byte of the reply was sent. */
	#mark = -1;
	#isFresh = false;
	/** True if the last read returned no data. `isAwake` is true if the source has reported data since then. */
	#isWaiting = false;
	isAwake = false;
	#source: BodySource | undefined;
	#chunked = false;
	#left = 0;

	constructor(size: number) {
		this.#buffer = new Uint8Array(size);
	}

	get isIdle(): boolean {
		return this.#start === this.#end && this.#source === undefined;
	}

	get live(): LiveBody | undefined {
		return this.#source?.live;
	}

	get isWaiting(): boolean {
		return this.#isWaiting && this.#start === this.#end;
	}

	/** Makes the next `pump` read the source again. If the source has not reported data, calls its `beat` first. */
	resume(): void {
		if (!this.isAwake) this.live?.beat();
		this.isAwake = this.#isWaiting = false;
	}

	/** Queues bytes to send. Throws a RangeError if they do not fit the buffer. */
	queue(bytes: Uint8Array): void {
		this.rewind();
		this.append(bytes);
	}

	/**
	 * Begins a reply. `length` is the length of the body; Infinity if the body lasts until the source ends. Throws a
	 * RangeError if the head does not fit the buffer. The source is not read here but in `pump`, because the
	 * microcontroller's stack would overflow.
	 */
	begin(head: Uint8Array, body: BodySource | undefined, length: number, chunked: boolean): void {
		this.rewind();
		this.#mark = this.#end;
		this.#source = body;
		this.#chunked = chunked;
		this.#left = length;
		this.append(head);
		this.#isFresh = true;
	}

	/** Removes a reply that was not sent yet. Returns false if a byte of it was sent. */
	revoke(): boolean {
		if (this.#mark < this.#start) return false;
		this.#end = this.#mark;
		this.close();
		return true;
	}

	/**
	 * Writes to the socket, which accepts `writable` bytes. Returns how many more bytes it accepts. Throws what the
	 * source throws; call `revoke` then.
	 */
	pump(socket: Socket, writable: number): number {
		let room = writable;
		if (this.#isFresh && room > 0) {
			this.#isFresh = false;
			this.fill();
		}
		while (room > 0) {
			if (this.#start === this.#end) {
				this.rewind();
				this.fill();
				if (this.#end === 0) break;
			}
			const end = Math.min(this.#end, this.#start + room);
			const start = this.#start;
			this.#start = end;
			room = socket.write(this.#buffer, start, end);
		}
		return room;
	}

	close(): void {
		const source = this.#source;
		this.#source = undefined;
		this.#isFresh = this.#isWaiting = false;
		source?.close?.();
	}

	private rewind(): void {
		if (this.#start < this.#end) return;
		this.#start = this.#end = 0;
		this.#mark = -1;
	}

	private append(bytes: Uint8Array): void {
		if (bytes.length > this.#buffer.length - this.#end) throw new RangeError("Head of the reply is too long");
		this.#buffer.set(bytes, this.#end);
		this.#end += bytes.length;
	}

	private fill(): void {
		const source = this.#source;
		if (source === undefined) return;
		if (this.#chunked) this.fillChunk(source);
		else this.fillPlain(source);
	}

	private fillPlain(source: BodySource): void {
		const limit = this.#buffer.length;
		while (this.#left > 0 && this.#end < limit) {
			const count = source.read(this.#buffer, this.#end, Math.min(limit, this.#end + this.#left));
			// If the buffer is not empty, the data may only be too long for the rest of it. The source is then read
			// again when the buffer is empty.
			this.#isWaiting = count === NOTHING_YET && this.#end === 0;
			if (count === NOTHING_YET) return;
			if (count === 0) {
				// The body is shorter than the length that was announced, so the connection must end.
				if (this.#left !== Number.POSITIVE_INFINITY) throw new Error("Body ended before its length");
				this.#left = 0;
			}
			this.#end += count;
			this.#left -= count;
		}
		if (this.#left === 0) this.close();
	}

	private fillChunk(source: BodySource): void {
		const buffer = this.#buffer;
		const first = this.#end + CHUNK_PREFIX;
		const limit = buffer.length - CHUNK_SUFFIX;
		let at = first;
		let count = 1;
		// Some sources return their data in units, so the source is read again while there is room.
		for (let room = limit - at; count > 0 && room > 0; room = limit - at) {
			if (at > first && room < SPARE) break;
			count = source.read(buffer, at, limit);
			at += Math.max(0, count);
		}
		this.#isWaiting = count === NOTHING_YET && at === CHUNK_PREFIX;
		if (at > first) {
			const size = at - first;
			for (let digit = 0; digit < 3; digit++) buffer[this.#end++] = hexDigit((size >> (8 - 4 * digit)) & 15);
			buffer[this.#end++] = CR;
			buffer[this.#end++] = LF;
			this.#end = at;
			buffer[this.#end++] = CR;
			buffer[this.#end++] = LF;
		}
		if (count !== 0) return;
		buffer[this.#end++] = ZERO;
		for (let i = 0; i < 2; i++) {
			buffer[this.#end++] = CR;
			buffer[this.#end++] = LF;
		}
		this.close();
	}
}
