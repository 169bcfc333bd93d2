/**
 * The sending half of a connection: one buffer, filled from the reply's head and body only when it is empty and the
 * socket takes bytes, so that a slow reader never makes anything grow. Small replies leave in a single write.
 *
 *     chunk (RFC 9112, 7.1): 3 hex digits (so the buffer is at most FFF bytes), CRLF, data, CRLF; the end: "0" CRLF CRLF
 */
import type { Socket } from "../io/host.js";
import { type BodySource, type LiveBody, NOTHING_YET } from "./response.js";

const CHUNK_PREFIX = 5;
/** CRLF after the data, and the end of the body behind it. */
const CHUNK_SUFFIX = 7;

/** A chunk that has only so little room left goes out as it is. */
const SPARE = 320;

const CR = 0x0d;
const LF = 0x0a;
const ZERO = 0x30;

export class Outgoing {
	readonly #buffer: Uint8Array;
	#start = 0;
	#end = 0;
	/** Where the reply begins in the buffer, -1 when that has left. */
	#mark = -1;
	/** The source was not read yet. */
	#isFresh = false;
	/** The source had nothing when it was read last; it has something since. */
	#isWaiting = false;
	isAwake = false;
	#source: BodySource | undefined;
	#chunked = false;
	/** Bytes of the body still to come; Infinity when its length is not known. */
	#left = 0;

	constructor(size: number) {
		this.#buffer = new Uint8Array(size);
	}

	/** True when all there was has been given to the socket. */
	get isIdle(): boolean {
		return this.#start === this.#end && this.#source === undefined;
	}

	/** The body under way that comes as things happen, if it is one. */
	get live(): LiveBody | undefined {
		return this.#source?.live;
	}

	/** All there was has been given to the socket, and the source had nothing more. */
	get isWaiting(): boolean {
		return this.#isWaiting && this.#start === this.#end;
	}

	/** The source is read again by the next `pump`: it has something, or is to show that both ends are there. */
	resume(): void {
		if (!this.isAwake) this.live?.beat();
		this.isAwake = this.#isWaiting = false;
	}

	/** Sends `bytes` before anything that comes later. Throws a RangeError when they don't fit. */
	queue(bytes: Uint8Array): void {
		this.rewind();
		this.append(bytes);
	}

	/**
	 * A reply: its whole head, and a body of `length` bytes (Infinity: until the source ends), maybe in chunks. Throws a
	 * RangeError when the head doesn't fit. The source is first read by `pump`: what led to the reply and what the source
	 * calls don't fit on the stack of the microcontroller together.
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

	/** Takes back a reply of which nothing has left; false when something has. */
	revoke(): boolean {
		if (this.#mark < this.#start) return false;
		this.#end = this.#mark;
		this.close();
		return true;
	}

	/**
	 * Gives the socket what it takes, at most `writable` bytes; returns how many it will take after that. Throws what the
	 * source throws; `revoke` then clears away what there is of the reply.
	 */
	pump(socket: Socket, writable: number): number {
		let room = writable;
		if (this.#isFresh && room > 0) {
			// Head and beginning of the body go out together.
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

	/** Ends the body: nothing more is read from it. */
	close(): void {
		const source = this.#source;
		this.#source = undefined;
		this.#isFresh = this.#isWaiting = false;
		source?.close?.();
	}

	/** All has left: the buffer is free from its beginning. */
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
			// What did not fit behind something else may fit into an empty buffer.
			this.#isWaiting = count === NOTHING_YET && this.#end === 0;
			if (count === NOTHING_YET) return;
			if (count === 0) {
				// The client counts on the length it was told: the connection can't go on.
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
		// A source of units stops where the next one would be cut.
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

function hexDigit(value: number): number {
	return value + (value < 10 ? ZERO : 0x57);
}
