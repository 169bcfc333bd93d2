/**
 * The settings in flash and in memory. Values are decoded once, into one array per entry; a change writes the whole
 * entry by one atomic `set` of the storage, so a power cut leaves the old entry or the new one.
 *
 * An entry in flash (numbers high byte first):
 *
 *   offset  bytes  what
 *   0       1      format version, 1
 *   1       1      version of the entry's fields in the firmware that wrote it
 *   2       ...    items, to the check: id (1), length of the value (2), value
 *   end-2   2      CRC-16/X.25 of everything before, low byte first
 *
 *   BOOLEAN 1 byte, 0 or 1 · INTEGER and CHOICE of integers 8 bytes, IEEE 754 binary64 (exact for every integer that
 *   a field can have) · TEXT and CHOICE of words UTF-8 · BYTES as they are
 *
 * Items of unknown ids (written by a newer firmware) are kept when the entry is rewritten. A missing item is the field's
 * initial value. So is one that the field doesn't allow, and an entry that can't be read counts as missing: both stand in
 * `damaged`, and stay in flash until that entry is written.
 *
 * Entries that must change together go into the storage as one value first, under TOGETHER_KEY: key length (1), key,
 * length of the entry (2, high byte first), entry, and so on, then the CRC as above. With that the change is made: while
 * it is there it counts, each entry in it in place of the one under its own key. Under ERASING_KEY stands, as long as
 * that takes, that everything is erased. What of either has not been carried out, since the power was cut or flash
 * refused, is tried again at the next start and before the next change; a start goes on without.
 *
 * Limits: an entry has at most ENTRY_LIMIT bytes, and so have those that change together; memory holds the values and what unknown items there are.
 */
import { crc16 } from "../bytes/crc16.js";
import { equalConstantTime } from "../bytes/equal.js";
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
import { wipe } from "./wipe.js";

/** The longest value that every storage takes (io/host.ts). */
export const ENTRY_LIMIT = 4000;

/** Stands in the storage while everything is being deleted. */
const ERASING_KEY = "erasing";

/** Holds entries that are being changed together. */
const TOGETHER_KEY = "together";

const FORMAT = 1;
const HEADER_LENGTH = 2;
const ITEM_HEADER_LENGTH = 3;
const CRC_LENGTH = 2;
/** Bytes that an entry takes among others, beside its key and itself. */
const TOGETHER_HEADER_LENGTH = 3;

/** An entry in the format of the flash. */
interface Packed {
	readonly entry: Entry;
	readonly bytes: Uint8Array;
}

const NO_ENTRIES: readonly Packed[] = Object.freeze([]);

/** A change of one entry on its way into the storage. */
interface Write extends Packed {
	readonly position: number;
	readonly values: Setting[];
	/** False: a damaged entry is written as it was read. */
	changed: boolean;
	/** Once it is known that it is needed. */
	bytes: Uint8Array;
}

/** Is told after each change of settings, when flash has it. */
export interface ConfigListener {
	/**
	 * The settings `changed` have other values now. Those in `applied`, changed or not, are what somebody wants to take
	 * effect at once.
	 */
	settingsChanged(changed: readonly Field[], applied: readonly Field[]): void;
}

const NO_FIELDS: readonly Field[] = Object.freeze([]);

export class ConfigStore {
	readonly #storage: Storage;
	readonly #text: TextCodec;
	/** All settings. */
	readonly entries: readonly Entry[];
	/** Per entry, the values of its fields in their order. */
	readonly #values: Setting[][] = [];
	/** Per entry, the items of unknown ids, one after another. */
	readonly #unknown: Uint8Array[] = [];
	/** One for all, since there are many: an array takes six slots. */
	readonly #nothing = new Uint8Array(0);
	#damaged: string[] = [];
	/** The entries of TOGETHER_KEY that wait to be written under their own keys. */
	#pending: readonly Packed[] | undefined;
	/** ERASING_KEY is there, from before this start. */
	#isErasing: boolean;
	/** It was there at the start: a reset was cut, which all that it is to erase goes on with. */
	readonly wasErasing: boolean;
	#isErased = false;
	#listener: ConfigListener | undefined;

	/**
	 * Loads everything, whatever stands in flash, and writes nothing that must be written. `entries` stand at the positions
	 * that their fields name.
	 */
	constructor(storage: Storage, text: TextCodec, entries: readonly Entry[]) {
		this.#storage = storage;
		this.#text = text;
		this.entries = entries;
		this.#isErasing = this.wasErasing = this.read(ERASING_KEY) !== undefined;
		if (!this.#isErasing) this.#pending = this.readTogether();
		for (const entry of entries) this.load(entry, this.#isErasing ? undefined : this.bytesOf(entry));
		try {
			this.finish();
		} catch {
			// Flash refuses: the next start tries it again, and so does the next change.
		}
	}

	/**
	 * Forgets every setting, as a factory reset does: none is in flash afterwards, and after a restart each is as it was
	 * at first. A power cut on the way doesn't leave a half: the next start goes on with it. Until the restart the values
	 * in memory stay as they were, and `change` throws, so that no old value can be written back. Throws what the storage throws,
	 * when it has forgotten nothing or not all.
	 */
	erase(): void {
		try {
			this.#storage.set(ERASING_KEY, this.#nothing);
			this.#isErased = true;
		} catch {
			// A flash that is full takes no mark, and gets room by what follows.
		}
		this.deleteAll();
		this.#isErased = true;
	}

	/** `erase` has begun: nothing can be set any more. */
	get isErased(): boolean {
		return this.#isErased;
	}

	/** The mark goes last. */
	private deleteAll(): void {
		for (const entry of this.entries) wipe(this.#storage, entry.key);
		wipe(this.#storage, TOGETHER_KEY);
		this.#storage.delete(ERASING_KEY);
	}

	/** Keys of which something in flash could not be used, and that have not been written since. */
	get damaged(): readonly string[] {
		return this.#damaged;
	}

	/** Sets aside bytes that whoever knows their inside can't use; to be called before anybody gets them. */
	verify(field: SettingField<Uint8Array>, isUsable: (bytes: Uint8Array) => boolean): void {
		if (isUsable(this.get(field))) return;
		this.#values[field.entry][this.positionOf(field)] = this.initial(field);
		this.setAside(this.entries[field.entry].key);
	}

	private setAside(key: string): void {
		if (!this.#damaged.includes(key)) this.#damaged.push(key);
	}

	/** From now on `listener` is told of changes; there is one at most. */
	listen(listener: ConfigListener): void {
		this.#listener = listener;
	}

	/** Bytes stay the store's: don't change them. */
	get<Value extends Setting>(field: SettingField<Value>): Value {
		// The one place that knows where values are, and that each has passed its field's check.
		return this.#values[field.entry][this.positionOf(field)] as Value;
	}

	/**
	 * Changes settings, maybe of several entries: all of them change or none, also when the power is cut. Returns whether
	 * anything changed; if not, nothing is written. Bytes given are the store's from then on. `apply`: they are to take
	 * effect at once, even those that stay as they are. Throws a RangeError for a value that its field doesn't allow, and
	 * what the storage throws; nothing has changed then.
	 */
	change(puts: readonly Put[], apply = false): boolean {
		if (this.#isErased) throw new Error("config: erased, and not started anew yet");
		const changed: Field[] = [];
		const writes = this.prepare(puts, changed);
		if (writes.length > 0) this.write(writes);
		for (const { position, entry, values } of writes) {
			this.#values[position] = values;
			if (this.#damaged.includes(entry.key)) this.#damaged = this.#damaged.filter((other) => other !== entry.key);
		}
		if (changed.length > 0 || apply)
			this.#listener?.settingsChanged(changed, apply ? puts.map((one) => one.field) : NO_FIELDS);
		return changed.length > 0;
	}

	/** As `change`, for what can be found out again: nothing happens on the way to a restart, or when flash refuses. */
	note(puts: readonly Put[]): void {
		try {
			if (!this.#isErased) this.change(puts);
		} catch (error) {
			if (error instanceof RangeError) throw error;
		}
	}

	/** What is to be written; puts into `changed` the fields whose values will be other ones. */
	private prepare(puts: readonly Put[], changed: Field[]): Write[] {
		const writes: Write[] = [];
		for (const { field, value } of puts) {
			const write = this.writeOf(field, writes);
			if (value === undefined) continue;
			const index = this.positionOf(field);
			if (index < 0 || !checkField(field, value)) throw new RangeError(`config: ${write.entry.key} ${field.name}`);
			if (!isSame(write.values[index], value)) {
				write.changed = true;
				changed.push(field);
			}
			write.values[index] = value;
		}
		const needed = writes.filter((write) => write.changed || this.#damaged.includes(write.entry.key));
		let length = CRC_LENGTH;
		for (const write of needed) {
			write.bytes = this.encode(write.entry, write.values, this.#unknown[write.position]);
			length += write.bytes.length + TOGETHER_HEADER_LENGTH + write.entry.key.length;
		}
		// All together are one value of the storage, for which what a newer firmware left may be too much.
		if (needed.length < 2 || length <= ENTRY_LIMIT) return needed;
		for (const write of needed) write.bytes = this.encode(write.entry, write.values, this.#nothing);
		return needed;
	}

	/** The write that the field's value goes into, begun if there is none yet. */
	private writeOf(field: SettingField, writes: Write[]): Write {
		const position = field.entry;
		let write = writes.find((one) => one.position === position);
		if (write === undefined) {
			const values = this.#values[position].slice();
			write = { position, entry: this.entries[position], values, changed: false, bytes: this.#nothing };
			writes.push(write);
		}
		return write;
	}

	/** Where a field's value is among those of its entry. */
	private positionOf(field: SettingField): number {
		return this.entries[field.entry].fields.indexOf(field);
	}

	/** Nothing has changed when it throws. */
	private write(writes: readonly Write[]): void {
		this.finish();
		if (writes.length === 1) {
			this.#storage.set(writes[0].entry.key, writes[0].bytes);
			return;
		}
		this.#storage.set(TOGETHER_KEY, this.pack(writes));
		this.#pending = writes;
		try {
			this.finish();
		} catch {
			// The change is made all the same: it counts from where it stands.
		}
	}

	/** Carries out what ERASING_KEY or TOGETHER_KEY says. */
	private finish(): void {
		if (this.#isErasing) this.deleteAll();
		this.#isErasing = false;
		if (this.#pending === undefined) return;
		for (const { entry, bytes } of this.#pending) this.#storage.set(entry.key, bytes);
		this.#storage.delete(TOGETHER_KEY);
		this.#pending = undefined;
	}

	private pack(writes: readonly Write[]): Uint8Array {
		const keys = writes.map(({ entry }) => this.#text.encode(entry.key));
		let length = CRC_LENGTH;
		for (let i = 0; i < writes.length; i++) length += 1 + keys[i].length + 2 + writes[i].bytes.length;
		const packed = new Uint8Array(length);
		let at = 0;
		for (let i = 0; i < writes.length; i++) {
			const { bytes } = writes[i];
			packed[at] = keys[i].length;
			packed.set(keys[i], at + 1);
			at += 1 + keys[i].length;
			packed[at] = bytes.length >> 8;
			packed[at + 1] = bytes.length;
			packed.set(bytes, at + 2);
			at += 2 + bytes.length;
		}
		seal(packed);
		return packed;
	}

	/** The entries that TOGETHER_KEY has for this firmware; none when it is damaged, undefined when it is not there. */
	private readTogether(): readonly Packed[] | undefined {
		const packed = this.read(TOGETHER_KEY);
		if (packed === undefined) return undefined;
		const end = isSealed(packed) ? packed.length - CRC_LENGTH : -1;
		const entries: Packed[] = [];
		let at = 0;
		while (at < end) {
			const length = at + 1 + packed[at];
			const key = packed.subarray(at + 1, length);
			const start = length + 2;
			at = start + ((packed[length] << 8) | packed[length + 1]);
			const entry = this.entries.find((one) => equalConstantTime(this.#text.encode(one.key), key));
			if (entry !== undefined) entries.push({ entry, bytes: packed.slice(start, at) });
		}
		if (at === end && entries.every(({ bytes }) => isSound(bytes))) return entries;
		this.setAside(TOGETHER_KEY);
		return NO_ENTRIES;
	}

	private initial(field: Field): Setting {
		return field.initial ?? this.#nothing;
	}

	/** As flash has them; undefined when it has none, or they can't be read. */
	private read(key: string): Uint8Array | undefined {
		try {
			return this.#storage.get(key);
		} catch {
			this.setAside(key);
			return undefined;
		}
	}

	private bytesOf(entry: Entry): Uint8Array | undefined {
		return this.#pending?.find((one) => one.entry === entry)?.bytes ?? this.read(entry.key);
	}

	private load(entry: Entry, bytes: Uint8Array | undefined): void {
		const values: Setting[] = entry.fields.map((field) => this.initial(field));
		const sound = bytes !== undefined && isSound(bytes);
		if (bytes !== undefined && !sound) this.setAside(entry.key);
		this.#values.push(values);
		this.#unknown.push(sound ? this.readItems(entry, bytes, values) : this.#nothing);
	}

	/** Fills `values` from the items of a sound entry; returns the items that have no field. */
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

	/** The value, not yet checked against the field; undefined when the bytes can't be one. */
	private decode(field: Field, bytes: Uint8Array): unknown {
		if (field.kind === BYTES) return bytes.length === 0 ? this.#nothing : bytes;
		if (field.kind === BOOLEAN) return bytes.length === 1 && bytes[0] < 2 ? bytes[0] === 1 : undefined;
		if (isNumeric(field)) return bytes.length === 8 ? new DataView(bytes.buffer).getFloat64(0) : undefined;
		try {
			return this.#text.decode(bytes);
		} catch {
			// Not UTF-8, although the check was right: as bad as a value out of range.
			return undefined;
		}
	}

	private encodeValue(value: Setting): Uint8Array {
		if (value instanceof Uint8Array) return value;
		if (typeof value === "string") return this.#text.encode(value);
		if (typeof value === "boolean") return Uint8Array.of(value ? 1 : 0);
		const bytes = new Uint8Array(8);
		new DataView(bytes.buffer).setFloat64(0, value);
		return bytes;
	}

	private encode(entry: Entry, values: readonly Setting[], unknown: Uint8Array): Uint8Array {
		const encoded = values.map((value) => this.encodeValue(value));
		let length = HEADER_LENGTH + CRC_LENGTH;
		for (const value of encoded) length += ITEM_HEADER_LENGTH + value.length;
		// What a newer firmware left may go when there is no room: the settings of the running one come first.
		const kept = length + unknown.length <= ENTRY_LIMIT ? unknown : this.#nothing;

		const bytes = new Uint8Array(length + kept.length);
		bytes[0] = FORMAT;
		bytes[1] = entry.version;
		let at = HEADER_LENGTH;
		for (let i = 0; i < encoded.length; i++) {
			const value = encoded[i];
			bytes[at] = entry.fields[i].id;
			bytes[at + 1] = value.length >> 8;
			bytes[at + 2] = value.length;
			bytes.set(value, at + ITEM_HEADER_LENGTH);
			at += ITEM_HEADER_LENGTH + value.length;
		}
		bytes.set(kept, at);
		seal(bytes);
		return bytes;
	}
}

/** Whether the bytes are an entry: our format, the right check, items that end where it begins. */
function isSound(bytes: Uint8Array): boolean {
	const end = bytes.length - CRC_LENGTH;
	if (end < HEADER_LENGTH || bytes.length > ENTRY_LIMIT || bytes[0] !== FORMAT) return false;
	if (!isSealed(bytes)) return false;
	let at = HEADER_LENGTH;
	while (at + ITEM_HEADER_LENGTH <= end) at = endOfItem(bytes, at);
	return at === end;
}

/** Puts the check into the last two bytes. */
function seal(bytes: Uint8Array): void {
	const end = bytes.length - CRC_LENGTH;
	const check = crc16(bytes, 0, end);
	bytes[end] = check;
	bytes[end + 1] = check >> 8;
}

function isSealed(bytes: Uint8Array): boolean {
	const end = bytes.length - CRC_LENGTH;
	return end > 0 && crc16(bytes, 0, end) === (bytes[end] | (bytes[end + 1] << 8));
}

function endOfItem(bytes: Uint8Array, at: number): number {
	return at + ITEM_HEADER_LENGTH + ((bytes[at + 1] << 8) | bytes[at + 2]);
}

function isNumeric(field: Field): boolean {
	return field.kind === INTEGER || (field.kind === CHOICE && typeof field.choices[0] === "number");
}
