/**
 * Parses an SML telegram byte by byte, and records the values of GetList responses (SML 1.04: BSI TR-03109-1, annex IV,
 * part b, 5 for messages and 6 for the encoding).
 *
 * | depth | list of | content |
 * |---|---|---|
 * | 1 | 6 | message: transaction, group, abort, body, check, 00 |
 * | 2 | 2 | body: tag, content |
 * | 3 | 7 | content of 0701, GetList response: client, server id, list name, time, values, signature, time |
 * | 4 | any | values |
 * | 5 | 7 | value: code, status, time, unit, scaler, value, signature |
 *
 * An element begins with type and length: bit 7 means that another such byte follows, bits 4 to 6 are the type (0
 * octets, 4 boolean, 5 integer, 6 unsigned, 7 list), and bits 0 to 3 are the length including these bytes, or the
 * number of elements of a list. 01 is an omitted element. Integers have 1 to 8 bytes. Times, signatures and other
 * messages are skipped. Any other structure makes the file invalid.
 *
 * Some meters send wrong signs, which are corrected with the status word of their energy registers:
 *
 * - DZG DVS7412, DWS7412: the meter sends too few bytes for a large power, so that it looks negative. In the status
 *   word (FNN), bit 11 means that the meter exports, and bits 12 to 14 mean that its phases do. A negative value of one
 *   to three bytes is interpreted as unsigned if the bits are clear: bit 11 for 16.7.0, all four bits for 36.7.0,
 *   56.7.0 and 76.7.0.
 * - EMH ED300L: 15.7.0 is sent without a sign, and is negative if bit 5 of the status word is set. 16.7.0 is sent with
 *   a sign, as by Iskra's MT175.
 *
 * Limits: DEPTH_LIMIT nested lists, TYPE_LIMIT bytes of type and length, VALUE_SIZE bytes of a recorded value.
 */
import { CRC16_START, stepCRC16 } from "../bytes/crc16.js";
import { putInteger } from "../bytes/decimal.js";
import { putOctets, TEXT_LIMIT } from "../bytes/octets.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { isCheckRight } from "./check.js";

const DEPTH_LIMIT = 10;
/** Index in `#index` at which its second half begins. */
const LEFT = DEPTH_LIMIT + 1;
const TYPE_LIMIT = 4;
/** Number of bytes that are stored of a server id; a regular one has 10. */
const ID_SIZE = 16;
/** Number of bytes that are stored of a value; a public key has 48. */
const VALUE_SIZE = TEXT_LIMIT / 2;
const CODE_SIZE = 6;
/** Offsets of the areas in `#work`: text of a value, element, code, server id. */
const BYTES_AT = TEXT_LIMIT;
const CODE_AT = BYTES_AT + VALUE_SIZE;
const ID_AT = CODE_AT + CODE_SIZE;

const TYPE_OCTETS = 0x00;
const TYPE_BOOLEAN = 0x40;
const TYPE_INTEGER = 0x50;
const TYPE_UNSIGNED = 0x60;
const TYPE_LIST = 0x70;

const GET_LIST_RESPONSE = 0x0701;

/** Depths of nesting, and indexes of elements at these depths. */
const MESSAGE = 1;
const MESSAGE_BODY = 3;
const MESSAGE_CHECK = 4;
const MESSAGE_END = 5;
const BODY = 2;
const RESPONSE = 3;
const SERVER_ID = 1;
const VALUES = 4;
const ENTRY = 5;
const CODE = 0;
const STATUS = 1;
const UNIT = 3;
const SCALER = 4;
const VALUE = 5;

const UNIT_NONE = 255;
const UNIT_WATT = 27;
const NO_STATUS = -1;
/** Makers, as the three letters in the server id. */
const DZG = 0x445a47;
const EMH = 0x454d48;
const EMH_EXPORTS = 1 << 5;
const EXPORTS = 1 << 11;
const PHASES_EXPORT = 7 << 12;

const MINUS = 0x2d;
const DIGIT_0 = 0x30;

export class SMLFile {
	isBroken = false;
	isWrong = false;
	serverIdLength = 0;
	readonly #records: RecordWriter;
	/** Number of elements that were read at each depth; from LEFT on, number of elements that must follow. */
	readonly #index = new Uint16Array(2 * LEFT);
	#depth = 0;
	#typeBytes = 0;
	#type = 0;
	#length = 0;
	#remaining = 0;
	/** Number of bytes of the present element that were received. Those beyond VALUE_SIZE are not stored. */
	#size = 0;
	/** One array for the four areas, to save XS slots. */
	readonly #work = new Uint8Array(ID_AT + ID_SIZE);
	#register = CRC16_START;
	#count = 0;
	#tag = 0;
	#maker = 0;
	#hasCode = false;
	/**
	 * Last status word that was received. It also applies to the values after it, because only energy registers have a
	 * status.
	 */
	#status = NO_STATUS;
	#unit = UNIT_NONE;
	#scaler = 0;

	constructor(records: RecordWriter) {
		this.#records = records;
	}

	begin(): void {
		this.isBroken = this.isWrong = false;
		this.serverIdLength = this.#maker = 0;
		this.#depth = this.#typeBytes = this.#remaining = 0;
		this.#status = NO_STATUS;
		this.#records.begin();
	}

	get serverId(): Uint8Array {
		return this.#work.subarray(ID_AT, ID_AT + this.serverIdLength);
	}

	get isComplete(): boolean {
		return !this.isBroken && this.#depth + this.#typeBytes === 0;
	}

	parse(byte: number): void {
		if (this.isBroken) return;
		if (this.#depth !== MESSAGE || this.#index[MESSAGE] < MESSAGE_CHECK) {
			this.#register = stepCRC16(this.#register, byte);
			this.#count++;
		}
		if (this.#remaining === 0) this.parseType(byte);
		else {
			if (this.#size < VALUE_SIZE) this.#work[BYTES_AT + this.#size] = byte;
			this.#size++;
			if (--this.#remaining === 0) this.closeElement();
		}
	}

	private parseType(byte: number): void {
		if (this.#typeBytes === 0) {
			if (byte === 0) {
				// A zero byte at the end of a message completes it; between messages it is padding.
				if (this.#depth === MESSAGE && this.#index[MESSAGE] === MESSAGE_END) this.#depth = 0;
				else this.isBroken = this.#depth > 0;
				return;
			}
			if (this.#depth === 0) {
				this.#register = stepCRC16(CRC16_START, byte);
				this.#count = 1;
			}
			this.#type = byte & 0x70;
			this.#length = 0;
		}
		this.#length = this.#length * 16 + (byte & 0x0f);
		this.#typeBytes++;
		if (byte >= 0x80) {
			this.isBroken = this.#typeBytes === TYPE_LIMIT;
			return;
		}
		const size = this.#length - this.#typeBytes;
		this.#typeBytes = this.#size = 0;
		if (this.#type === TYPE_LIST) this.openList();
		else if (size < 0 || this.#depth === 0 || !isSize(this.#type, size)) this.isBroken = true;
		else {
			this.#remaining = size;
			if (size === 0) this.closeElement();
		}
	}

	private openList(): void {
		const depth = this.#depth;
		const length = this.#length;
		let expected = length;
		if (depth === 0) expected = 6;
		else {
			const index = this.#index[depth];
			if (depth === MESSAGE) expected = index === MESSAGE_BODY ? 2 : -1;
			else if (depth === BODY) expected = index === 0 ? -1 : this.#tag === GET_LIST_RESPONSE ? 7 : length;
			else if (this.isInValues) {
				if (depth === RESPONSE + 1) expected = 7;
				else if (depth === ENTRY && (index === CODE || index === STATUS || index === UNIT || index === SCALER))
					expected = -1;
			} else if (depth === RESPONSE && this.#tag === GET_LIST_RESPONSE && index === SERVER_ID) expected = -1;
		}
		if (length !== expected || depth === DEPTH_LIMIT) {
			this.isBroken = true;
			return;
		}
		if (depth === 0) this.#tag = 0;
		else if (depth === RESPONSE + 1) {
			this.#hasCode = false;
			this.#unit = UNIT_NONE;
			this.#scaler = 0;
		}
		this.#depth = depth + 1;
		this.#index[LEFT + depth + 1] = length;
		this.#index[depth + 1] = 0;
		if (length === 0) this.closeList();
	}

	private get isInValues(): boolean {
		return this.#tag === GET_LIST_RESPONSE && this.#depth >= RESPONSE && this.#index[RESPONSE] === VALUES;
	}

	private closeElement(): void {
		const depth = this.#depth;
		const index = this.#index[depth];
		if (depth === MESSAGE) {
			if (index === MESSAGE_BODY || index === MESSAGE_END) this.isBroken = true;
			// Some meters omit the first byte of the checksum if it is 00.
			else if (index === MESSAGE_CHECK && !isCheckRight(this.#register, this.#count, this.number)) this.isWrong = true;
		} else if (depth === BODY) {
			if (index === 0) this.#tag = this.number;
			else this.isBroken = true;
		} else if (this.#tag === GET_LIST_RESPONSE) {
			if (depth === RESPONSE) {
				if (index === VALUES) this.isBroken = true;
				else if (index === SERVER_ID) this.storeServerId();
			} else if (this.isInValues) {
				if (depth === RESPONSE + 1) this.isBroken = true;
				else if (depth === ENTRY) this.closeField(index);
			}
		}
		this.closeList();
	}

	private closeList(): void {
		do {
			this.#index[this.#depth]++;
			if (--this.#index[LEFT + this.#depth] > 0) return;
			this.#depth--;
		} while (this.#depth > 0);
	}

	private closeField(index: number): void {
		const size = this.#size;
		if (index === CODE) {
			this.#hasCode = this.#type === TYPE_OCTETS && size === CODE_SIZE;
			this.#work.copyWithin(CODE_AT, BYTES_AT, BYTES_AT + CODE_SIZE);
		} else if (size === 0) return;
		else if (index === STATUS) this.#status = this.number;
		else if (index === UNIT) this.#unit = this.number;
		else if (index === SCALER) this.#scaler = (this.#work[BYTES_AT + size - 1] << 24) >> 24;
		else if (index === VALUE && this.#hasCode) this.putValue();
	}

	private putValue(): void {
		const work = this.#work;
		const size = this.#size;
		const type = this.#type;
		if (size > VALUE_SIZE) {
			this.#records.overflow = true;
			return;
		}
		let unit = UNIT_NONE;
		let length = 1;
		if (type === TYPE_OCTETS) length = putOctets(work, BYTES_AT, BYTES_AT + size, work);
		else if (type === TYPE_BOOLEAN) work[0] = DIGIT_0 + (work[BYTES_AT] === 0 ? 0 : 1);
		else {
			unit = this.#unit;
			const isSigned = type === TYPE_INTEGER && !this.isUnsignedPower;
			const element = { bytes: work, start: BYTES_AT, end: BYTES_AT + size };
			length = putInteger(element, isSigned, this.#scaler, work);
			if (this.lacksSign && work[0] !== MINUS) {
				work.copyWithin(1, 0, length++);
				work[0] = MINUS;
			}
		}
		this.#records.beginCode(work, CODE_AT);
		this.#records.value(work, length, unit);
	}

	private isPowerOf(maker: number): boolean {
		const isPower = this.#unit === UNIT_WATT && this.#work[CODE_AT + 3] === 7 && this.#work[CODE_AT + 4] === 0;
		return isPower && this.#maker === maker && this.#status !== NO_STATUS;
	}

	/** True if the top bit of a DZG meter's power was taken for a sign. */
	private get isUnsignedPower(): boolean {
		if (this.#work[BYTES_AT] < 0x80 || this.#size > 3 || !this.isPowerOf(DZG)) return false;
		const c = this.#work[CODE_AT + 2];
		const isPhase = c === 36 || c === 56 || c === 76;
		if (c !== 16 && !isPhase) return false;
		return (this.#status & (isPhase ? EXPORTS | PHASES_EXPORT : EXPORTS)) === 0;
	}

	/** True if an EMH meter exports, and the present value is a power without a sign. */
	private get lacksSign(): boolean {
		return this.#work[CODE_AT + 2] === 15 && this.isPowerOf(EMH) && (this.#status & EMH_EXPORTS) !== 0;
	}

	/** Stores the server id and its maker: 0A 01 'E' 'M' 'H' …, or 06 'E' 'M' 'H' … in older meters. */
	private storeServerId(): void {
		const work = this.#work;
		const at = BYTES_AT + (work[BYTES_AT] === 6 ? 1 : 2);
		this.#maker = (work[at] << 16) | (work[at + 1] << 8) | work[at + 2];
		this.serverIdLength = Math.min(this.#size, ID_SIZE);
		work.copyWithin(ID_AT, BYTES_AT, BYTES_AT + ID_SIZE);
	}

	private get number(): number {
		let number = 0;
		for (let i = Math.max(0, this.#size - 4); i < this.#size; i++) number = number * 256 + this.#work[BYTES_AT + i];
		return number;
	}
}

function isSize(type: number, size: number): boolean {
	if (type === TYPE_INTEGER || type === TYPE_UNSIGNED) return size >= 1 && size <= 8;
	return type === TYPE_OCTETS || (type === TYPE_BOOLEAN && size === 1);
}
