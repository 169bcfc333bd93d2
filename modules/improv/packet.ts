/**
 * Packets of Improv over serial (Improv Wi-Fi, serial standard 1.0): taken out of a line that carries text as well, and
 * made for one. For machine.ts.
 *
 *   offset  bytes  what
 *   0       6      "IMPROV"
 *   6       1      version, 1
 *   7       1      type, PACKET_…
 *   8       1      length of the data
 *   9       ...    data; of a command and of its result: command, length of the rest, texts with their lengths before them
 *   then    1      sum of all before it, modulo 256
 *
 * A line end stands before each packet of ours and behind it: the usual client passes over a packet that follows text on
 * its line, and takes a length of 10 for a line end, so that no result of ours is 10 bytes long.
 */
import { CONSOLE_ROOM, type TextCodec } from "../io/host.js";

/** From us. */
export const PACKET_STATE = 1;
export const PACKET_ERROR = 2;
export const PACKET_RESULT = 4;
/** To us. */
export const PACKET_COMMAND = 3;

const START: readonly number[] = Object.freeze([73, 77, 80, 82, 79, 86, 1]);
const HEADER = 9;
const DATA_LIMIT = 255;
const LINE_END = 10;

/** Finds packets in what arrives. Nothing that does not begin as one is held. */
export class PacketReader {
	readonly bytes = new Uint8Array(HEADER + DATA_LIMIT + 1);
	#length = 0;

	/** Of the packet that is whole. */
	get type(): number {
		return this.bytes[7];
	}

	/** Its data are bytes[DATA_AT..end). */
	get end(): number {
		return HEADER + this.bytes[8];
	}

	get isSound(): boolean {
		return sumOf(this.bytes, 0, this.end) === this.bytes[this.end];
	}

	/** The most bytes that may be given next: none of them is of the packet after this one. */
	get wanted(): number {
		return (this.#length < HEADER ? HEADER : this.end + 1) - this.#length;
	}

	/** Takes bytes[start..end), at most `wanted`; true: a packet is whole, and what comes next begins another one. */
	push(bytes: Uint8Array, start: number, end: number): boolean {
		this.bytes.set(bytes.subarray(start, end), this.#length);
		const hadHeader = this.#length >= HEADER;
		this.#length += end - start;
		if (!hadHeader) this.align();
		if (this.#length < HEADER || this.#length <= this.end) return false;
		this.#length = 0;
		return true;
	}

	/** What came of a packet so far is forgotten. */
	clear(): void {
		this.#length = 0;
	}

	/** Text of others, or noise, in front of what may be a packet. */
	private align(): void {
		let from = 0;
		while (from < this.#length && !this.mayBegin(from)) from++;
		this.bytes.copyWithin(0, from, this.#length);
		this.#length -= from;
	}

	private mayBegin(from: number): boolean {
		for (let i = 0; i < START.length && from + i < this.#length; i++)
			if (this.bytes[from + i] !== START[i]) return false;
		return from + START.length >= this.#length || this.bytes[from + START.length] <= PACKET_RESULT;
	}
}

/** Data of a packet that is read. */
export const DATA_AT = HEADER;

/** Makes one packet after another, each with its line ends. */
export class PacketWriter {
	readonly bytes = new Uint8Array(CONSOLE_ROOM);
	length = 0;
	readonly #text: TextCodec;

	constructor(text: TextCodec) {
		this.#text = text;
		this.bytes[0] = LINE_END;
		this.bytes.set(START, 1);
	}

	/** Data of one byte. */
	byte(type: number, value: number): void {
		this.begin(type);
		this.bytes[this.length++] = value;
		this.end();
	}

	/** A result; a text for which there is no room is cut. */
	result(command: number, texts: readonly string[]): void {
		const { bytes } = this;
		this.begin(PACKET_RESULT);
		const at = this.length;
		this.length += 2;
		for (const text of texts) {
			const encoded = this.#text.encode(text).subarray(0, bytes.length - this.length - 3);
			bytes[this.length++] = encoded.length;
			bytes.set(encoded, this.length);
			this.length += encoded.length;
		}
		// An empty text more.
		if (this.length - at === LINE_END) bytes[this.length++] = 0;
		bytes[at] = command;
		bytes[at + 1] = this.length - at - 2;
		this.end();
	}

	private begin(type: number): void {
		this.bytes[8] = type;
		this.length = 1 + HEADER;
	}

	private end(): void {
		const { bytes, length } = this;
		bytes[HEADER] = length - 1 - HEADER;
		bytes[length] = sumOf(bytes, 1, length);
		bytes[length + 1] = LINE_END;
		this.length = length + 2;
	}
}

function sumOf(bytes: Uint8Array, start: number, end: number): number {
	let sum = 0;
	for (let i = start; i < end; i++) sum += bytes[i];
	return sum & 0xff;
}
