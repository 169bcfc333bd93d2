/**
 * Reader and writer of DNS messages (RFC 1035, 4.1). They work in the buffer of the message, and make no object or
 * string for a record or a name.
 *
 *   header      id 2, flags 2, then the counts of questions, answers, authorities, additionals, 2 each
 *   question    name, type 2, class 2
 *   record      name, type 2, class 2, time to live 4 (seconds), length of the data 2, data
 *   name        labels (length 1 to 63, and that many bytes), then 0 or a pointer (0xC000 + offset in the message)
 *   flags       bit 15 response, 14 to 11 opcode, 10 authoritative, 9 truncated, 8 recursion desired, 7 recursion
 *               available, 3 to 0 response code
 *   class       in multicast DNS, bit 15 requests a unicast reply (question) or flushes older records (record)
 *
 * The device's own names are stored in encoded form in one array, and identified by their offset in it. Limits: a name
 * has at most NAME_LIMIT bytes, and at most POINTER_LIMIT pointers, which must point backwards. The writer remembers at
 * most KNOWN_LABELS targets for pointers.
 */
import { putUint16BE, uint16BE } from "../bytes/integers.js";
export interface DNSDeps {
	/** Buffer for a datagram (io/datagrams.ts). */
	readonly buffer: Uint8Array;
	readonly reader: DNSReader;
}

export const TYPE_A = 1;
export const TYPE_PTR = 12;
export const TYPE_TXT = 16;
export const TYPE_AAAA = 28;
export const TYPE_SRV = 33;
export const TYPE_NSEC = 47;
export const TYPE_ANY = 255;

export const CLASS_IN = 1;
export const CLASS_ANY = 255;
/** Top bit of the class, which has a special meaning in multicast DNS. */
export const CLASS_TOP_BIT = 0x8000;

export const HEADER_LENGTH = 12;
export const FLAG_RESPONSE = 0x8000;
export const FLAG_AUTHORITATIVE = 0x0400;
export const FLAG_TRUNCATED = 0x0200;
export const FLAG_RECURSION_DESIRED = 0x0100;
export const FLAG_RECURSION_AVAILABLE = 0x0080;
export const OPCODE_MASK = 0x7800;
export const RESPONSE_CODE_MASK = 0x000f;

export const SECTION_ANSWER = 1;
export const SECTION_AUTHORITY = 2;
export const SECTION_ADDITIONAL = 3;

/**
 * Maximum size of a label, without its length byte, and of a name (NAME_LIMIT), with all length bytes and the final 0.
 */
export const LABEL_LIMIT = 63;
export const NAME_LIMIT = 255;
export const LABEL_KEYS = 64;
const POINTER_LIMIT = 16;
const POINTER = 0xc0;
const QUESTION_LENGTH = 4;
const RECORD_LENGTH = 10;
const KNOWN_LABELS = 32;

class Message {
	bytes: Uint8Array;
	length = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	u16(at: number): number {
		return uint16BE(this.bytes, at);
	}

	/**
	 * True if the name at `at` in the message equals the name at `from` in `names`. The case of ASCII letters is
	 * ignored.
	 */
	isName(at: number, names: Uint8Array, from: number): boolean {
		return this.compareName(at, names, from, true) === 0;
	}

	/**
	 * Compares the same two names as `isName`. Returns the difference of the first unequal bytes (message minus
	 * `names`), and never 0 for a malformed name.
	 */
	compareName(at: number, names: Uint8Array, from: number, anyCase = false): number {
		const { bytes, length } = this;
		let left = 0;
		let pointers = 0;
		for (let i = at, run = at, ours = from; i < length; i++) {
			const byte = bytes[i];
			if (left === 0 && byte >= POINTER) {
				const to = i + 1 < length ? this.u16(i) & 0x3fff : run;
				if (to >= run || to < HEADER_LENGTH || ++pointers > POINTER_LIMIT) return 1;
				i = to - 1;
				run = to;
				continue;
			}
			const other = names[ours++];
			// `lowerCase` does not change the length of a label, because lengths are lower than the codes of letters.
			if (byte !== other && !(anyCase && lowerCase(byte) === lowerCase(other))) return byte - other || 1;
			if (left > 0) left--;
			else if (byte === 0) return 0;
			else left = byte;
		}
		return 1;
	}
}

/** Returns a hash of the label that ignores case, 0 to LABEL_KEYS - 1. */
export function labelKey(bytes: Uint8Array, at: number): number {
	const length = bytes[at];
	return (length + 5 * lowerCase(bytes[at + 1]) + 11 * lowerCase(bytes[at + length])) % LABEL_KEYS;
}

function lowerCase(byte: number): number {
	return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/** Reads an untrusted message: call `open`, then read the questions, then the records. Never throws. */
export class DNSReader extends Message {
	/** True if the message ends too early or a name is malformed. Nothing more can be read then. */
	isBroken = false;
	/**
	 * Position of the name of the last question or record. The data of a record are the bytes from `dataAt` to before
	 * `at`.
	 */
	nameAt = 0;
	type = 0;
	class = 0;
	dataAt = 0;
	at = 0;
	#question = 0;
	#record = 0;

	/**
	 * Begins to read a message. The bytes must not change while it is read. Returns false if the header is incomplete.
	 */
	open(bytes: Uint8Array, length: number): boolean {
		this.bytes = bytes;
		this.length = length;
		this.isBroken = length < HEADER_LENGTH;
		if (this.isBroken) return false;
		this.rewind();
		return true;
	}

	get id(): number {
		return this.u16(0);
	}

	get flags(): number {
		return this.u16(2);
	}

	get questions(): number {
		return this.u16(4);
	}

	get authorities(): number {
		return this.u16(8);
	}

	get records(): number {
		return this.u16(6) + this.u16(8) + this.u16(10);
	}

	get ttl(): number {
		return this.u16(this.dataAt - 6) * 0x10000 + this.u16(this.dataAt - 4);
	}

	get section(): number {
		const answers = this.u16(6);
		if (this.#record <= answers) return SECTION_ANSWER;
		return this.#record <= answers + this.authorities ? SECTION_AUTHORITY : SECTION_ADDITIONAL;
	}

	rewind(): void {
		this.at = HEADER_LENGTH;
		this.#question = 0;
		this.#record = 0;
		this.isBroken = false;
	}

	/** Reads the next question. Returns false if no question is left or the message is malformed. */
	nextQuestion(): boolean {
		if (this.isBroken || this.#question >= this.questions) return false;
		this.#question++;
		return this.readName(QUESTION_LENGTH);
	}

	/**
	 * Reads the next record, after skipping unread questions. Returns false if no record is left or the message is
	 * malformed.
	 */
	nextRecord(): boolean {
		while (this.nextQuestion());
		if (this.isBroken || this.#record >= this.records) return false;
		this.#record++;
		if (!this.readName(RECORD_LENGTH)) return false;
		this.dataAt = this.at;
		this.at += this.u16(this.at - 2);
		this.isBroken = this.at > this.length || this.at > this.bytes.length;
		return !this.isBroken;
	}

	/** Returns the `labelKey` of the first label of a name; 0 if the name is malformed. */
	keyOf(at: number): number {
		const { bytes, length } = this;
		let i = at;
		for (let pointers = 0; i + 1 < length && bytes[i] >= POINTER; pointers++) {
			const to = this.u16(i) & 0x3fff;
			if (to >= i || pointers > POINTER_LIMIT) return 0;
			i = to;
		}
		return i + bytes[i] < length ? labelKey(bytes, i) : 0;
	}

	/**
	 * Reads a name, and the type and the class after it. Skips `length` bytes after the name, which include type and
	 * class.
	 */
	private readName(length: number): boolean {
		this.nameAt = this.at;
		const end = this.endOfName(this.at);
		this.isBroken = end < 0 || end + length > this.length;
		if (this.isBroken) return false;
		this.type = this.u16(end);
		this.class = this.u16(end + 2);
		this.at = end + length;
		return true;
	}

	private endOfName(at: number): number {
		const { bytes, length } = this;
		const end = Math.min(length, at + NAME_LIMIT);
		for (let i = at; i < end; i += bytes[i] + 1) {
			const first = bytes[i];
			if (first === 0) return i + 1;
			if (first > LABEL_LIMIT) {
				if (first < POINTER || i + 1 >= length) return -1;
				const to = this.u16(i) & 0x3fff;
				return to < at && to >= HEADER_LENGTH ? i + 2 : -1;
			}
		}
		return -1;
	}
}

/**
 * Writes a message. Call `begin`, write the questions, and then call `startRecord`, `startData`, write the data, and
 * call `endRecord` for each record. A question or record that does not fit is removed.
 */
export class DNSWriter extends Message {
	readonly #names: Uint8Array;
	/**
	 * Targets for pointers: first the offsets of KNOWN_LABELS labels in the message, then the offsets of the same
	 * labels in `#names`.
	 */
	readonly #known = new Uint16Array(KNOWN_LABELS * 2);
	#knownCount = 0;
	#start = 0;
	#startKnown = 0;
	#dataAt = 0;
	#isFull = false;

	constructor(bytes: Uint8Array, names: Uint8Array) {
		super(bytes);
		this.#names = names;
	}

	begin(id: number, flags: number): void {
		this.#isFull = false;
		this.bytes.fill(0, 0, HEADER_LENGTH);
		this.length = 0;
		this.put16(id);
		this.put16(flags);
		this.length = HEADER_LENGTH;
		this.#knownCount = 0;
	}

	question(nameAt: number, type: number, dnsClass: number): boolean {
		this.start();
		this.name(nameAt);
		this.put16(type);
		this.put16(dnsClass);
		return this.end(4);
	}

	/**
	 * Copies the question of the message `from`, which has one question without a pointer. Reader and writer may use
	 * the same buffer.
	 */
	copyQuestion(from: DNSReader): void {
		this.start();
		this.put(from.bytes, HEADER_LENGTH, from.at);
		this.end(4);
	}

	startRecord(nameAt: number, type: number, dnsClass: number): void {
		this.start();
		this.name(nameAt);
		this.put16(type);
		this.put16(dnsClass);
	}

	startData(ttl: number): void {
		this.put16(Math.floor(ttl / 0x10000));
		this.put16(ttl & 0xffff);
		this.put16(0);
		this.#dataAt = this.length;
	}

	/** Ends a record. If it does not fit, removes it and returns false. */
	endRecord(section: number): boolean {
		if (!this.#isFull) this.set16(this.#dataAt - 2, this.length - this.#dataAt);
		return this.end(4 + section * 2);
	}

	put8(value: number): void {
		if (this.hasRoom(1)) this.bytes[this.length++] = value;
	}

	put16(value: number): void {
		if (!this.hasRoom(2)) return;
		this.set16(this.length, value);
		this.length += 2;
	}

	put(bytes: Uint8Array, start: number, end: number): void {
		if (!this.hasRoom(end - start)) return;
		for (let i = start; i < end; i++) this.bytes[this.length++] = bytes[i];
	}

	/**
	 * Writes the name at `nameAt`. If the message already has a suffix of the name, a pointer replaces the suffix,
	 * unless `mayPoint` is false.
	 */
	name(nameAt: number, mayPoint = true): void {
		const names = this.#names;
		let at = nameAt;
		while (names[at] > 0) {
			const to = mayPoint ? this.find(at) : 0;
			if (to > 0) {
				this.put16((POINTER << 8) | to);
				return;
			}
			if (this.#knownCount < KNOWN_LABELS) {
				this.#known[KNOWN_LABELS + this.#knownCount] = at;
				this.#known[this.#knownCount++] = this.length;
			}
			const end = at + names[at] + 1;
			this.put(names, at, end);
			at = end;
		}
		this.put(names, at, at + 1);
	}

	private find(nameAt: number): number {
		const { bytes } = this;
		const names = this.#names;
		const count = this.#knownCount;
		for (let i = 0; i < count; i++) if (this.#known[KNOWN_LABELS + i] === nameAt) return this.#known[i];
		for (let i = 0; i < count; i++) {
			const at = this.#known[i];
			if (bytes[at + 1] === names[nameAt + 1] && this.compareName(at, names, nameAt) === 0) return at;
		}
		return 0;
	}

	private hasRoom(count: number): boolean {
		if (this.length + count > this.bytes.length) this.#isFull = true;
		return !this.#isFull;
	}

	private set16(at: number, value: number): void {
		putUint16BE(this.bytes, at, value);
	}

	private start(): void {
		this.#isFull = false;
		this.#start = this.length;
		this.#startKnown = this.#knownCount;
	}

	private end(countAt: number): boolean {
		if (this.#isFull) {
			this.length = this.#start;
			this.#knownCount = this.#startKnown;
			return false;
		}
		this.set16(countAt, this.u16(countAt) + 1);
		return true;
	}
}

/** Writes an encoded name and returns the end. `text` has ASCII labels, separated by dots. */
export function putName(into: Uint8Array, at: number, text: string): number {
	let end = at;
	for (const label of text.split(".")) end = putLabel(into, end, label);
	into[end] = 0;
	return end + 1;
}

/** Writes an encoded label and returns the end. `text` is ASCII. */
export function putLabel(into: Uint8Array, at: number, text: string): number {
	into[at] = text.length;
	for (let i = 0; i < text.length; i++) into[at + 1 + i] = text.charCodeAt(i);
	return at + 1 + text.length;
}
