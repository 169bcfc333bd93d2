/**
 * GET requests and responses, including block transfer (IEC 62056-5-3, 7.3 and 9.3.6).
 *
 *   request   C0 01 C1 <attribute>                    one attribute: class(2) code(6) attribute(1) 00
 *             C0 02 C1 <block number(4)>              the block after this one
 *             C0 03 C1 n <attribute>…                 n attributes
 *   response  C4 01 id 00 <data>  |  01 <reason>
 *             C4 02 id last <number(4)> 00 len <piece>  |  01 <reason>
 *             C4 03 id n  { 00 <data> | 01 <reason> }…
 *
 * The pieces of all blocks are joined. Joined, they are the data or, for a list, everything after the id. A wrong block
 * number ends the transfer. Limit: JOINED_LIMIT joined bytes; bytes that `drop` has removed are not counted.
 */
import { putUint32BE } from "../bytes/integers.js";
import type { Cursor } from "./cursor.js";
import { POLL_CLASS, POLL_CODE_LENGTH } from "./poll-list.js";

export const GET_REQUEST = 0xc0;
export const GET_RESPONSE = 0xc4;

export const JOINED_LIMIT = 2048;

export const ATTRIBUTE_LENGTH = 10;
export const NORMAL_HEAD = 3;
/** Number of bytes before the attributes in a list request. */
export const LIST_HEAD = 4;

const NORMAL = 1;
const BLOCK = 2;
const LIST = 3;
/** Invoke id and priority: number 1 (because only one request is pending at a time), confirmed, high priority. */
const INVOKE = 0xc1;
const CHOICE_DATA = 0;

/** Result of `take`: `result` is at the data of an attribute. */
export const GET_DATA = 1;
/** Result of `take`: the meter refuses the attribute, for the reason in `reason`. */
export const GET_REFUSED = 2;
/** Result of `take`: `result` is at the first of `count` results. */
export const GET_RESULTS = 3;
export const GET_NEXT = 4;
export const GET_BROKEN = 5;
export const GET_TOO_LONG = 6;

export function putObject(into: Uint8Array, at: number, list: ArrayLike<number>, from: number): number {
	into[at] = 0;
	into[at + 1] = list[from + POLL_CLASS];
	for (let i = 0; i < POLL_CODE_LENGTH; i++) into[at + 2 + i] = list[from + i];
	return at + 2 + POLL_CODE_LENGTH;
}

/** Writes the number of an attribute that is read without selective access. */
export function putAttribute(into: Uint8Array, at: number, attribute: number): number {
	into[at] = attribute;
	into[at + 1] = 0;
	return at + 2;
}

export function putNormalHead(into: Uint8Array, at: number): number {
	return putHead(into, at, NORMAL);
}

/** Writes the head of a list request. `count`, the number of attributes, must be below 128. */
export function putListHead(into: Uint8Array, at: number, count: number): number {
	into[putHead(into, at, LIST)] = count;
	return at + LIST_HEAD;
}

function putHead(into: Uint8Array, at: number, type: number): number {
	into[at] = GET_REQUEST;
	into[at + 1] = type;
	into[at + 2] = INVOKE;
	return at + NORMAL_HEAD;
}

export class GetResponse {
	/** Cursor, which is at the result after GET_DATA and GET_RESULTS. */
	readonly result: Cursor;
	reason = 0;
	/** Number of results; valid after GET_RESULTS. */
	count = 0;
	#block = 0;
	#joined: Uint8Array | undefined;
	#length = 0;

	constructor(result: Cursor) {
		this.result = result;
	}

	begin(): void {
		this.#block = 0;
		this.#length = 0;
	}

	/** After GET_NEXT: sets `result` to the blocks that were joined so far. */
	look(): void {
		if (this.#joined !== undefined) this.result.set(this.#joined, 0, this.#length);
	}

	/** Removes the first `count` of the joined bytes. */
	drop(count: number): void {
		this.#joined?.copyWithin(0, count, this.#length);
		this.#length -= count;
	}

	putNext(into: Uint8Array, at: number): number {
		return putUint32BE(into, putHead(into, at, BLOCK), this.#block);
	}

	/** Takes a response and returns GET_…. `list` is true if the request was for a list. */
	take(list: boolean): number {
		const cursor = this.result;
		cursor.expect(GET_RESPONSE);
		const type = cursor.u8();
		cursor.u8();
		if (cursor.failed) return GET_BROKEN;
		if (type === BLOCK) return this.takeBlock(list);
		if (this.#block !== 0) return GET_BROKEN;
		if (type === NORMAL) return this.takeChoice();
		return type === LIST && list ? this.openList() : GET_BROKEN;
	}

	private takeChoice(): number {
		const cursor = this.result;
		if (cursor.u8() === CHOICE_DATA) return cursor.failed ? GET_BROKEN : GET_DATA;
		this.reason = cursor.u8();
		return cursor.failed ? GET_BROKEN : GET_REFUSED;
	}

	private openList(): number {
		this.count = this.result.length();
		return this.result.failed ? GET_BROKEN : GET_RESULTS;
	}

	private takeBlock(list: boolean): number {
		const cursor = this.result;
		const last = cursor.u8() !== 0;
		const number = cursor.u32();
		const choice = this.takeChoice();
		if (choice !== GET_DATA) return choice;
		const length = cursor.length();
		const start = cursor.skip(length);
		if (cursor.failed || number !== this.#block + 1 || (length === 0 && !last)) return GET_BROKEN;
		if (this.#length + length > JOINED_LIMIT) return GET_TOO_LONG;
		this.#block = number;
		this.#joined ??= new Uint8Array(JOINED_LIMIT);
		this.#joined.set(cursor.bytes.subarray(start, start + length), this.#length);
		this.#length += length;
		if (!last) return GET_NEXT;
		cursor.set(this.#joined, 0, this.#length);
		return list ? this.openList() : GET_DATA;
	}
}
