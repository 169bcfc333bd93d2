/**
 * Telegrams of a slave (EN 13757-3, 5): C, A and CI, a header, data records.
 *
 * | CI | header |
 * |---|---|
 * | 72 | identification (4, BCD), maker (2), version, medium, access number, status, configuration (2) |
 * | 7A | access number, status, configuration (2) |
 * | 78 | none |
 *
 * A record whose quantity has an OBIS code in EN 13757-1 is stored with this code; its storage number becomes the
 * billing period (group F), and its tariff becomes group E. Other records, such as maximum and minimum values and
 * subunits, get the bytes from DIF to VIFE in hex as their address. If there are several slaves, the number of the
 * slave is group B, or precedes the address.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { encodeHex, putHex } from "../bytes/hex.js";
import { NO_BYTES } from "../io/machine.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";
import { PART_ADDRESS, PART_UNIT, PART_VALUE, type RecordWriter } from "../readout/record-writer.js";
import { QuantityFinder } from "./quantities.js";
import { READ_MORE, READ_RECORD, READ_WRONG, RecordHeader } from "./record-header.js";
import { ValueText } from "./value.js";

const CI_AT = 2;
const CI_LONG = 0x72;
const CI_SHORT = 0x7a;
const CI_NONE = 0x78;
/** Offsets in a frame with a long header. */
const MAKER_AT = 7;
const MEDIUM_AT = 10;
const LONG_ACCESS_AT = 11;
/** Offset of the access number in a frame with a short header, and of the status and configuration after it. */
const SHORT_ACCESS_AT = 3;
const STATUS_OFFSET = 1;
const CONFIGURATION_OFFSET = 3;
const HEADER_END_OFFSET = 4;
/** Mask of the encryption mode in the high byte of the configuration (7.2.4). In old meters, this byte is arbitrary. */
const MODE_MASK = 0x1f;
/** Set of the modes that use AES, as bits: 5, 7, 8, 9, 10 and 13. */
const CIPHERED = 0x27a0;

const IDENT_LENGTH = 4;
const MAKER_LENGTH = 3;
const BEFORE_LETTER_A = 0x40;
const TARIFF_LIMIT = 63;
const STORAGE_LIMIT = 99;
/** Maximum number of bytes from DIF to VIFE that are used as an address. */
const HEAD_LIMIT = 22;
const NO_UNIT = 0;

export class SlaveTelegram {
	hasMore = false;
	/** True if the structure of a frame became invalid at some record, or if records were left out. */
	isCut = false;
	readonly #records: RecordWriter;
	protected readonly header = new RecordHeader();
	readonly #finder = new QuantityFinder();
	readonly #value = new ValueText();
	/** Groups A to F of the present record's OBIS code. */
	protected readonly groups = new Uint8Array(6);
	#medium = 0;
	/** Number of the slave, from 1 on; 0 if there is only one slave. */
	#slave = 0;

	constructor(records: RecordWriter) {
		this.#records = records;
	}

	begin(slave: number): void {
		this.#slave = slave;
		this.#medium = 0;
		this.isCut = false;
	}

	/**
	 * Writes the records of the frame `bytes`. `other` is the same frame, received another time; records with different
	 * values in it are left out. From the place where the structure of the two differs, all records are left out.
	 * `isFirst`: true for the slave's first frame.
	 *
	 * `earlier` is the frame before `other`, or empty. If all three differ, the slave sends its present values. A value
	 * that differs in `bytes` only is then taken from `other`, because two frames confirm it; a value that has differed
	 * each time is taken from `bytes`.
	 */
	write(bytes: Uint8Array, other: Uint8Array, isFirst: boolean, earlier: Uint8Array = NO_BYTES): void {
		const isLive = isSameHeader(earlier, bytes) && !isSameData(earlier, bytes) && !isSameData(earlier, other);
		if (bytes[CI_AT] === CI_LONG) this.#medium = bytes[MEDIUM_AT];
		if (isFirst) this.writeHeader(bytes);
		const { header } = this;
		let result = READ_RECORD;
		for (let at = dataAt(bytes); ; at = header.end) {
			result = header.read(bytes, at, bytes.length);
			if (result === READ_RECORD && !isSame(bytes, other, at, header.dataAt)) result = READ_WRONG;
			if (result !== READ_RECORD) break;
			const isConfirmed = isSame(bytes, other, at, header.end);
			const isMoving = isLive && isSame(bytes, earlier, at, header.dataAt);
			if (!isConfirmed && !isMoving) this.isCut = true;
			else if (!header.isFaulty)
				this.writeRecord(!isConfirmed && isSame(other, earlier, at, header.end) ? other : bytes);
		}
		this.hasMore = result === READ_MORE;
		if (result === READ_WRONG) this.isCut = true;
	}

	private writeHeader(bytes: Uint8Array): void {
		const ident = identOf(bytes);
		if (ident.length > 0) this.writeText(1, ident.subarray(MAKER_LENGTH));
		if (bytes[CI_AT] === CI_NONE) return;
		const status = new Uint8Array(2);
		putHex(status, 0, bytes[accessAt(bytes) + STATUS_OFFSET]);
		this.writeText(5, status);
	}

	private writeText(d: number, text: Uint8Array): void {
		this.#records.beginCode(Uint8Array.of(0, this.#slave, 96, d, 0, BILLING_PERIOD_CURRENT), 0);
		this.#records.value(text, text.length, NO_UNIT);
	}

	private writeRecord(bytes: Uint8Array): void {
		const records = this.#records;
		const { header } = this;
		const finder = this.#finder;
		const value = this.#value;
		finder.find(header.quantity, header.scaling);
		if (!value.read(bytes, header, finder.exponent)) return;
		if (this.hasCode()) records.beginCode(this.groups, 0);
		else this.beginAddress(bytes);
		records.beginValue();
		records.text(PART_VALUE, value.bytes, 0, value.length);
		if (value.isNumber && header.hasUnit) this.writeUnit(bytes);
		records.endValue();
	}

	protected hasCode(): boolean {
		const { groups } = this;
		const { tariff, storage, isPlain, isBackward } = this.header;
		if (!isPlain || tariff > TARIFF_LIMIT || storage > STORAGE_LIMIT) return false;
		if (!this.#finder.code(this.#medium, isBackward, groups)) return false;
		if (tariff > 0 && (groups[0] === 0 || groups[4] > 0)) return false;
		groups[1] = this.#slave;
		groups[4] += tariff;
		groups[5] = storage === 0 ? BILLING_PERIOD_CURRENT : storage;
		return true;
	}

	private beginAddress(bytes: Uint8Array): void {
		const records = this.#records;
		const { start, headEnd } = this.header;
		const head = encodeHex(bytes.subarray(start, Math.min(headEnd, start + HEAD_LIMIT)));
		const prefix = asciiBytes(this.#slave > 0 ? `${this.#slave}:` : "");
		records.beginLine();
		records.beginSet();
		records.text(PART_ADDRESS, prefix, 0, prefix.length);
		records.text(PART_ADDRESS, head, 0, head.length);
	}

	private writeUnit(bytes: Uint8Array): void {
		const { unitAt, unitEnd } = this.header;
		const { unit } = this.#finder;
		if (unit !== "") this.#records.text(PART_UNIT, asciiBytes(unit), 0, unit.length);
		for (let i = unitEnd - 1; i >= unitAt; i--) {
			if (bytes[i] > 0x20 && bytes[i] !== 0x7f) this.#records.text(PART_UNIT, bytes, i, i + 1);
		}
	}
}

/** Returns the maker's three letters and the identification, in ASCII; empty if the frame has none. */
export function identOf(bytes: Uint8Array): Uint8Array {
	if (bytes[CI_AT] !== CI_LONG) return NO_BYTES;
	const ident = new Uint8Array(MAKER_LENGTH + 2 * IDENT_LENGTH);
	const maker = bytes[MAKER_AT] + bytes[MAKER_AT + 1] * 256;
	for (let i = 0; i < MAKER_LENGTH; i++) ident[i] = BEFORE_LETTER_A + ((maker >> (10 - 5 * i)) & 31);
	for (let i = 0; i < IDENT_LENGTH; i++) putHex(ident, MAKER_LENGTH + 2 * i, bytes[MAKER_AT - 1 - i]);
	return ident;
}

export function isReadable(bytes: Uint8Array): boolean {
	const ci = bytes[CI_AT];
	if (ci === CI_NONE) return true;
	if ((ci !== CI_LONG && ci !== CI_SHORT) || dataAt(bytes) > bytes.length) return false;
	return ((CIPHERED >> (bytes[accessAt(bytes) + CONFIGURATION_OFFSET] & MODE_MASK)) & 1) === 0;
}

/** Returns true if two receptions of a frame have the same length and the same header apart from the access number. */
export function isSameHeader(bytes: Uint8Array, other: Uint8Array): boolean {
	const at = accessAt(bytes);
	return bytes.length === other.length && isSame(bytes, other, 0, at) && isSame(bytes, other, at + 1, dataAt(bytes));
}

/** Returns true if two receptions of a frame with the same header have the same data. */
export function isSameData(bytes: Uint8Array, other: Uint8Array): boolean {
	return isSame(bytes, other, dataAt(bytes), bytes.length);
}

export function isSame(bytes: Uint8Array, other: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (bytes[i] !== other[i]) return false;
	return true;
}

function accessAt(bytes: Uint8Array): number {
	return bytes[CI_AT] === CI_LONG ? LONG_ACCESS_AT : SHORT_ACCESS_AT;
}

function dataAt(bytes: Uint8Array): number {
	return bytes[CI_AT] === CI_NONE ? SHORT_ACCESS_AT : accessAt(bytes) + HEADER_END_OFFSET;
}
