/**
 * Packs values into records like those of IEC 62056-21 (record-writer.ts), and the objects that the meter refuses into
 * a list:
 *
 *   missing   10 bytes per object: A B C D E F, class, attribute, reason (2, big-endian; dlms/reasons.ts)
 */
import { putUint16BE, uint16BE } from "../bytes/integers.js";
import { entryAt } from "../dlms/plan.js";
import { ATTRIBUTE_VALUE, POLL_ATTRIBUTE, POLL_CODE_LENGTH, POLL_ENTRY_SIZE, POLL_LIMIT } from "../dlms/poll-list.js";
import type { ReadingSink } from "../dlms/reading.js";
import { OBIS_TEXT_LIMIT, OBISCode } from "../obis/code.js";
import type { RecordWriter } from "../readout/record-writer.js";

export const MISSING_SIZE = POLL_ENTRY_SIZE + 2;

export class DLMSRecords implements ReadingSink {
	readonly list: Uint8Array;
	readonly #writer: RecordWriter;
	readonly #missing = new Uint8Array(POLL_LIMIT * MISSING_SIZE);
	#missingEnd = 0;

	constructor(writer: RecordWriter, list: Uint8Array) {
		this.#writer = writer;
		this.list = list;
	}

	begin(): void {
		this.#missingEnd = 0;
		this.#writer.begin();
	}

	keep(): void {
		this.#writer.endBlock(true);
	}

	get missing(): Uint8Array {
		return this.#missing.slice(0, this.#missingEnd);
	}

	beginObject(_position: number, list: Uint8Array, at: number): void {
		if (list[at + POLL_ATTRIBUTE] === ATTRIBUTE_VALUE) this.#writer.beginCode(list, at);
		else this.#writer.beginAttribute(list, at);
	}

	value(text: Uint8Array, length: number, unit: number): void {
		this.#writer.value(text, length, unit);
	}

	endObject(): void {}

	refused(position: number, reason: number): void {
		const at = this.#missingEnd;
		const from = entryAt(position);
		if (at + MISSING_SIZE > this.#missing.length) return;
		this.#missing.set(this.list.subarray(from, from + POLL_ENTRY_SIZE), at);
		putUint16BE(this.#missing, at + POLL_ENTRY_SIZE, reason);
		this.#missingEnd += MISSING_SIZE;
	}
}

export class MissingCursor {
	readonly #bytes: Uint8Array;
	#next = 0;
	/** OBIS code as text, without `*255`. Its length is `length`. */
	readonly text = new Uint8Array(OBIS_TEXT_LIMIT);
	length = 0;
	classId = 0;
	attribute = 0;
	reason = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	next(): boolean {
		const at = this.#next;
		const bytes = this.#bytes;
		if (at >= bytes.length) return false;
		const code = new OBISCode();
		code.setGroups(bytes, at);
		code.encode(this.text, 0);
		this.length = code.longEnd;
		this.classId = bytes[at + POLL_CODE_LENGTH];
		this.attribute = bytes[at + POLL_CODE_LENGTH + 1];
		this.reason = uint16BE(bytes, at + POLL_ENTRY_SIZE);
		this.#next = at + MISSING_SIZE;
		return true;
	}
}
