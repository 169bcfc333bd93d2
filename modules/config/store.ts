/**
 * Settings store. The settings are in flash and, in decoded form, in memory. A change writes a whole entry with one
 * atomic `set`, so a power cut leaves either the old or the new entry.
 *
 * Format of an entry in flash (big-endian):
 *
 *   offset  bytes  content
 *   0       1      format version, 1
 *   1       1      version of the fields (schema.ts) in the firmware that wrote the entry
 *   2       ...    items up to the checksum: id (1), length of the value (2), value
 *   end-2   2      CRC-16/X.25 of everything before, little-endian
 *
 *   BOOLEAN 1 byte, 0 or 1 · INTEGER and CHOICE of integers 1 byte from -128 to 127, two's complement, otherwise 8
 *   bytes, IEEE 754 binary64 (exact for every integer that a field can have; the long form is valid for all) · TEXT and
 *   CHOICE of words UTF-8 · BYTES unchanged
 *
 * When an entry is rewritten, items with unknown ids, which newer firmware has written, are preserved. A setting whose
 * item is missing, invalid or unreadable has its initial value. `damaged` lists the keys of entries with invalid or
 * unreadable items. Such items remain in flash until the entry is written.
 *
 * Entries that change together are first stored as one value under TOGETHER_KEY: key length (1), key, length of the
 * entry (2, big-endian), entry, and so on, then the CRC as above. This commits the change: while the value under
 * TOGETHER_KEY exists, its entries take precedence over the entries under their own keys. ERASING_KEY exists from the
 * beginning of a factory reset until the parts have erased their data too (`endErasure`). If a power cut or a refused
 * write interrupts one of these two processes, it is continued before the next change and at the next start. The start
 * succeeds even if this fails.
 *
 * Limits: an entry has at most ENTRY_LIMIT bytes. If entries that change together exceed ENTRY_LIMIT in total, their
 * items with unknown ids are dropped.
 */
import { crc16 } from "../bytes/crc16.js";
import { equalConstantTime } from "../bytes/equal.js";
import { putUint16BE, putUint16LE, uint16BE, uint16LE } from "../bytes/integers.js";
import type { Storage, TextCodec } from "../io/host.js";
import {
	BOOLEAN,
	BYTES,
	CHOICE,
	checkField,
	type Entry,
	type Field,
	INTEGER,
	isSame,
	type Put,
	type Setting,
	type SettingField,
} from "./schema.js";
import { secureErase } from "./secure-erase.js";
import { StorageRefusal } from "./watched-storage.js";

/** Length of a value that every storage accepts (io/host.ts), bytes. */
export const ENTRY_LIMIT = 4000;

const ERASING_KEY = "erasing";

const TOGETHER_KEY = "together";

const FORMAT = 1;
const HEADER_LENGTH = 2;
const ITEM_HEADER_LENGTH = 3;
const CRC_LENGTH = 2;
/** Bytes of length fields for each entry under TOGETHER_KEY. */
const TOGETHER_HEADER_LENGTH = 3;

export interface ConfigListener {
	/**
	 * Called when a change has been written to flash. The fields `applied` must take effect even if they are not among
	 * the fields `changed`.
	 */
	settingsChanged(changed: readonly Field[], applied: readonly Field[]): void;
}

const NO_FIELDS: readonly Field[] = Object.freeze([]);

export class ConfigStore {
	readonly #storage: Storage;
	readonly #text: TextCodec;
	readonly entries: readonly Entry[];
	/** Values of the settings: one array for each entry, in the order of its fields. */
	readonly #values: Setting[][] = [];
	/** Items with unknown ids: one array for each entry. */
	readonly #unknown: Uint8Array[] = [];
	/** Shared empty array, because each further array would take six slots of XS memory. */
	readonly #nothing = new Uint8Array(0);
	#damaged: string[] = [];
	/** Value under TOGETHER_KEY whose entries are not yet all stored under their own keys; empty if it is damaged. */
	#pending: Uint8Array | undefined;
	/** True while ERASING_KEY exists. */
	#isErasing: boolean;
	/** True if a factory reset was interrupted before this start. The parts must then erase their data again. */
	readonly wasErasing: boolean;
	#isErased = false;
	#listener: ConfigListener | undefined;

	/**
	 * Loads all settings, even if the flash is damaged, and continues what was interrupted. The member `entry` of each
	 * field must be the index of its entry in `entries`.
	 */
	constructor(storage: Storage, text: TextCodec, entries: readonly Entry[]) {
		this.#storage = storage;
		this.#text = text;
		this.entries = entries;
		this.#isErasing = this.wasErasing = this.read(ERASING_KEY) !== undefined;
		if (!this.#isErasing) this.#pending = this.readTogether();
		for (const entry of entries) this.load(entry, this.#isErasing ? undefined : this.bytesOf(entry));
		try {
			// The mark stays until the parts have erased their data too.
			if (this.#isErasing) this.deleteAll();
			else this.finish();
		} catch {
			// The flash has refused a write. The next change or the next start tries again.
		}
	}

	/**
	 * Erases all settings for a factory reset. The next start uses initial values; if the erasure was interrupted, it
	 * first completes it. Until the restart the values stay in memory, and `change` throws. Call `endErasure` when all
	 * other data have been erased. Throws what the storage throws; settings may then remain in flash.
	 */
	erase(): void {
		this.mark();
		this.deleteAll();
		this.#isErased = true;
		if (!this.#isErasing) this.mark();
	}

	/** Ends a factory reset, also one that was interrupted before this start. Throws what the storage throws. */
	endErasure(): void {
		this.deleteAll();
		this.#storage.delete(ERASING_KEY);
		this.#isErasing = false;
	}

	private mark(): void {
		try {
			this.#storage.set(ERASING_KEY, this.#nothing);
			this.#isErasing = this.#isErased = true;
		} catch {
			// The flash is full and refuses this write. The deletions make room for the second attempt.
		}
	}

	get isErased(): boolean {
		return this.#isErased;
	}

	private deleteAll(): void {
		for (const entry of this.entries) secureErase(this.#storage, entry.key);
		secureErase(this.#storage, TOGETHER_KEY);
	}

	get damaged(): readonly string[] {
		return this.#damaged;
	}

	/**
	 * If `isUsable` rejects the value of the field, sets the field to its initial value, and adds the key of its entry
	 * to `damaged`. Call it before any other access to the field.
	 */
	verify(field: SettingField<Uint8Array>, isUsable: (bytes: Uint8Array) => boolean): void {
		if (isUsable(this.get(field))) return;
		this.#values[field.entry][this.positionOf(field)] = this.initial(field);
		this.setAside(this.entries[field.entry].key);
	}

	private setAside(key: string): void {
		if (!this.#damaged.includes(key)) this.#damaged.push(key);
	}

	listen(listener: ConfigListener): void {
		this.#listener = listener;
	}

	/** Returns the value of a setting. If it is a byte array, the caller must not modify it. */
	get<Value extends Setting>(field: SettingField<Value>): Value {
		// The type is right, because each stored value has passed the check of its field.
		return this.#values[field.entry][this.positionOf(field)] as Value;
	}

	/**
	 * Changes settings in one or more entries atomically, even if the power is cut meanwhile. Returns whether a value
	 * has changed; if none has, nothing is written. The store takes ownership of byte arrays. With `apply`, the
	 * listener applies unchanged settings too. Throws a RangeError for an invalid value, and what the storage throws;
	 * in both cases nothing has changed.
	 */
	change(puts: readonly Put[], apply = false): boolean {
		if (this.#isErased) throw new Error("config: erased, and not restarted yet");
		const changed: Field[] = [];
		const positions = this.check(puts, changed);
		if (positions.length > 0) this.write(positions, puts);
		for (const position of positions) {
			this.#values[position] = this.after(position, puts);
			const { key } = this.entries[position];
			if (this.#damaged.includes(key)) this.#damaged = this.#damaged.filter((other) => other !== key);
		}
		if (changed.length > 0 || apply)
			this.#listener?.settingsChanged(changed, apply ? puts.map((one) => one.field) : NO_FIELDS);
		return changed.length > 0;
	}

	/**
	 * Like `change`, but for data that can be determined again. It has no effect between an erasure and the restart,
	 * and does not throw if the storage refuses the write.
	 */
	note(puts: readonly Put[]): void {
		try {
			if (!this.#isErased) this.change(puts);
		} catch (error) {
			if (!(error instanceof StorageRefusal)) throw error;
		}
	}

	/** Returns the positions of the entries to write, and adds the fields whose value changes to `changed`. */
	private check(puts: readonly Put[], changed: Field[]): number[] {
		const positions: number[] = [];
		for (const { field, value } of puts) {
			const { key } = this.entries[field.entry];
			let isNeeded = this.#damaged.includes(key);
			if (value !== undefined) {
				const index = this.positionOf(field);
				if (index < 0 || !checkField(field, value)) throw new RangeError(`config: ${key} ${field.name}`);
				if (!isSame(this.#values[field.entry][index], value)) {
					isNeeded = true;
					changed.push(field);
				}
			}
			if (isNeeded && !positions.includes(field.entry)) positions.push(field.entry);
		}
		return positions;
	}

	/** Values of an entry after the change. They are made anew for each use: for all entries, they take 300 XS slots. */
	private after(position: number, puts: readonly Put[]): Setting[] {
		const values = this.#values[position].slice();
		for (const { field, value } of puts)
			if (field.entry === position && value !== undefined) values[this.positionOf(field)] = value;
		return values;
	}

	private positionOf(field: SettingField): number {
		return this.entries[field.entry].fields.indexOf(field);
	}

	/** Writes the entries to flash. If it throws, nothing has changed. */
	private write(positions: readonly number[], puts: readonly Put[]): void {
		this.finish();
		if (positions.length === 1) {
			const [position] = positions;
			this.#storage.set(this.entries[position].key, this.encode(position, puts, true));
			return;
		}
		const packed = this.pack(positions, puts);
		this.#storage.set(TOGETHER_KEY, packed);
		this.#pending = packed;
		try {
			this.finish();
		} catch {
			// The error can be ignored, because the change is already committed under TOGETHER_KEY.
		}
	}

	private finish(): void {
		if (this.#isErasing) this.endErasure();
		const packed = this.#pending;
		if (packed === undefined) return;
		for (const { key } of this.entries) {
			const bytes = this.entryIn(packed, key);
			if (bytes !== undefined) this.#storage.set(key, bytes);
		}
		this.#storage.delete(TOGETHER_KEY);
		this.#pending = undefined;
	}

	/** Returns the value under TOGETHER_KEY. If it is too long, items with unknown ids are dropped. */
	private pack(positions: readonly number[], puts: readonly Put[]): Uint8Array {
		let length = this.lengthOf(positions, puts, true);
		const hasUnknown = length <= ENTRY_LIMIT;
		if (!hasUnknown) length = this.lengthOf(positions, puts, false);
		const packed = new Uint8Array(length);
		let at = 0;
		for (const position of positions) {
			const key = this.#text.encode(this.entries[position].key);
			const bytes = this.encode(position, puts, hasUnknown);
			packed[at] = key.length;
			packed.set(key, at + 1);
			at += 1 + key.length;
			putUint16BE(packed, at, bytes.length);
			packed.set(bytes, at + 2);
			at += 2 + bytes.length;
		}
		seal(packed);
		return packed;
	}

	private lengthOf(positions: readonly number[], puts: readonly Put[], hasUnknown: boolean): number {
		let length = CRC_LENGTH;
		for (const position of positions) {
			const { key } = this.entries[position];
			length += TOGETHER_HEADER_LENGTH + key.length + this.encode(position, puts, hasUnknown).length;
		}
		return length;
	}

	/** Returns the value under TOGETHER_KEY: empty if it is damaged, undefined if it is absent. */
	private readTogether(): Uint8Array | undefined {
		const packed = this.read(TOGETHER_KEY);
		if (packed === undefined) return undefined;
		const isWhole = isSealed(packed) && endOfEntries(packed) === packed.length - CRC_LENGTH;
		const isReadable = ({ key }: Entry) => {
			const bytes = this.entryIn(packed, key);
			return bytes === undefined || isSound(bytes);
		};
		if (isWhole && this.entries.every(isReadable)) return packed;
		this.setAside(TOGETHER_KEY);
		return this.#nothing;
	}

	/** Returns the entry with this key in a value under TOGETHER_KEY, or undefined. */
	private entryIn(packed: Uint8Array, key: string): Uint8Array | undefined {
		const wanted = this.#text.encode(key);
		for (let at = 0; at < packed.length - CRC_LENGTH; ) {
			const end = endOfEntry(packed, at);
			const length = packed[at];
			const start = at + TOGETHER_HEADER_LENGTH + length;
			if (equalConstantTime(packed.subarray(at + 1, at + 1 + length), wanted)) return packed.slice(start, end);
			at = end;
		}
		return undefined;
	}

	private initial(field: Field): Setting {
		return field.initial ?? this.#nothing;
	}

	private read(key: string): Uint8Array | undefined {
		try {
			return this.#storage.get(key);
		} catch {
			this.setAside(key);
			return undefined;
		}
	}

	private bytesOf(entry: Entry): Uint8Array | undefined {
		const pending = this.#pending && this.entryIn(this.#pending, entry.key);
		return pending ?? this.read(entry.key);
	}

	private load(entry: Entry, bytes: Uint8Array | undefined): void {
		const values: Setting[] = entry.fields.map((field) => this.initial(field));
		const sound = bytes !== undefined && isSound(bytes);
		if (bytes !== undefined && !sound) this.setAside(entry.key);
		this.#values.push(values);
		this.#unknown.push(sound ? this.readItems(entry, bytes, values) : this.#nothing);
	}

	/** Decodes the items of an entry to `values`. Returns the items with unknown ids. */
	private readItems(entry: Entry, bytes: Uint8Array, values: Setting[]): Uint8Array {
		const unknown = new Uint8Array(bytes.length);
		let unknownLength = 0;
		const end = bytes.length - CRC_LENGTH;
		let at = HEADER_LENGTH;
		while (at < end) {
			const next = endOfItem(bytes, at);
			const index = entry.fields.findIndex((field) => field.id === bytes[at]);
			if (index < 0) {
				unknown.set(bytes.subarray(at, next), unknownLength);
				unknownLength += next - at;
			} else {
				const value = this.decode(entry.fields[index], bytes.slice(at + ITEM_HEADER_LENGTH, next));
				if (checkField(entry.fields[index], value)) values[index] = value;
				else this.setAside(entry.key);
			}
			at = next;
		}
		return unknownLength === 0 ? this.#nothing : unknown.slice(0, unknownLength);
	}

	/**
	 * Returns the decoded value, or undefined if the bytes are invalid. The bounds of the field are not checked here.
	 */
	private decode(field: Field, bytes: Uint8Array): unknown {
		if (field.kind === BYTES) return bytes.length === 0 ? this.#nothing : bytes;
		if (field.kind === BOOLEAN) return bytes.length === 1 && bytes[0] < 2 ? bytes[0] === 1 : undefined;
		if (isNumeric(field)) {
			const view = new DataView(bytes.buffer);
			if (bytes.length === 1) return view.getInt8(0);
			return bytes.length === 8 ? view.getFloat64(0) : undefined;
		}
		try {
			return this.#text.decode(bytes);
		} catch {
			// If the bytes are not UTF-8, the value is treated like a value that is out of range.
			return undefined;
		}
	}

	private encodeValue(value: Setting): Uint8Array {
		if (value instanceof Uint8Array) return value;
		if (typeof value === "string") return this.#text.encode(value);
		if (typeof value === "boolean") return Uint8Array.of(value ? 1 : 0);
		// All settings of a backup must fit one value, so a small integer has one byte.
		if (Number.isInteger(value) && value >= -128 && value < 128) return Uint8Array.of(value & 0xff);
		const bytes = new Uint8Array(8);
		new DataView(bytes.buffer).setFloat64(0, value);
		return bytes;
	}

	/** Encodes an entry after the change, with `hasUnknown` also the items of newer firmware. */
	private encode(position: number, puts: readonly Put[], hasUnknown: boolean): Uint8Array {
		const entry = this.entries[position];
		const unknown = hasUnknown ? this.#unknown[position] : this.#nothing;
		const encoded = this.after(position, puts).map((value) => this.encodeValue(value));
		let length = HEADER_LENGTH + CRC_LENGTH;
		for (const value of encoded) length += ITEM_HEADER_LENGTH + value.length;
		// If there is no room for items with unknown ids, they are dropped, because the settings of the running
		// firmware are more important.
		const unknownItems = length + unknown.length <= ENTRY_LIMIT ? unknown : this.#nothing;

		const bytes = new Uint8Array(length + unknownItems.length);
		bytes[0] = FORMAT;
		bytes[1] = entry.version;
		let at = HEADER_LENGTH;
		for (let i = 0; i < encoded.length; i++) {
			const value = encoded[i];
			bytes[at] = entry.fields[i].id;
			putUint16BE(bytes, at + 1, value.length);
			bytes.set(value, at + ITEM_HEADER_LENGTH);
			at += ITEM_HEADER_LENGTH + value.length;
		}
		bytes.set(unknownItems, at);
		seal(bytes);
		return bytes;
	}
}

/** Returns whether the format version and the checksum are right, and the last item ends just before the checksum. */
function isSound(bytes: Uint8Array): boolean {
	const end = bytes.length - CRC_LENGTH;
	if (end < HEADER_LENGTH || bytes.length > ENTRY_LIMIT || bytes[0] !== FORMAT) return false;
	if (!isSealed(bytes)) return false;
	let at = HEADER_LENGTH;
	while (at + ITEM_HEADER_LENGTH <= end) at = endOfItem(bytes, at);
	return at === end;
}

function seal(bytes: Uint8Array): void {
	const end = bytes.length - CRC_LENGTH;
	putUint16LE(bytes, end, crc16(bytes, 0, end));
}

function isSealed(bytes: Uint8Array): boolean {
	const end = bytes.length - CRC_LENGTH;
	return end > 0 && crc16(bytes, 0, end) === uint16LE(bytes, end);
}

function endOfItem(bytes: Uint8Array, at: number): number {
	return at + ITEM_HEADER_LENGTH + uint16BE(bytes, at + 1);
}

/** Returns the end of the entry at `at` in a value under TOGETHER_KEY; NaN beyond its end. */
function endOfEntry(packed: Uint8Array, at: number): number {
	const start = at + TOGETHER_HEADER_LENGTH + packed[at];
	return start + uint16BE(packed, start - 2);
}

function endOfEntries(packed: Uint8Array): number {
	let at = 0;
	while (at < packed.length - CRC_LENGTH) at = endOfEntry(packed, at);
	return at;
}

function isNumeric(field: Field): boolean {
	return field.kind === INTEGER || (field.kind === CHOICE && typeof field.choices[0] === "number");
}
