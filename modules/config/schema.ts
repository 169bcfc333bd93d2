/**
 * What a setting is: what it is called, what it may be, what it starts as. The settings themselves are frozen tables in
 * the `fields.ts` of the parts, all together in parts.ts. For config/store.ts, which keeps the values, and
 * api/validate.ts, which reads and checks JSON bodies by the same fields.
 *
 * An entry is one key of the storage and one atomic write, so settings that must change together share an entry.
 * Adding a setting: its row in the table of its part, and where it is used, `config.get(FIELD)`. Its group of routes has it
 * then in GET and POST; what follows from a change stands in the part's reactions, which mostly know whole entries.
 * To grow: a new field takes a new id, a new entry a new position. An id that was ever in a release is never given to
 * something else, because older and newer firmware meet each other's flash.
 * Limits: an entry and all its fields at their longest stay below ENTRY_LIMIT (config/store.ts); ids 1 to 255.
 */

import { hasOnly } from "../bytes/ascii.js";
import { equalConstantTime } from "../bytes/equal.js";

/** What a setting's value is in memory: text for TEXT, bytes for BYTES, one of the choices for CHOICE. */
export type Setting = boolean | number | string | Uint8Array;

/** true or false. */
export const BOOLEAN = 0;
/** An integer, `minimum` to `maximum`. */
export const INTEGER = 1;
/** One of `choices`: all integers or all words. */
export const CHOICE = 2;
/** Text of `minimum` to `maximum` characters, all of them in `characters`. */
export const TEXT = 3;
/** `minimum` to `maximum` bytes; starts empty. */
export const BYTES = 4;

/** What a value may be, in a body or in flash. */
export interface Field<Value extends Setting = Setting> {
	/** Name in the API. */
	readonly name: string;
	/** BOOLEAN … BYTES. */
	readonly kind: number;
	/** INTEGER: smallest value; TEXT, BYTES: shortest length; else 0. */
	readonly minimum: number;
	/** INTEGER: largest value; TEXT, BYTES: longest length; else 0. */
	readonly maximum: number;
	/** CHOICE: what it may be; else empty. */
	readonly choices: readonly Value[];
	/** TEXT: ranges of allowed characters, each as its first and last one, the last without end if that is left out. */
	readonly characters: string;
	/** The value before anybody has set it; undefined stands for no bytes. */
	readonly initial: Value | undefined;
	/** Never shown: not in a reply, not in a report, not in a trace. */
	readonly secret: boolean;
	/**
	 * TEXT, BYTES: harmless whoever reads it, so that the diagnostic report shows the value. Of every other text or bytes
	 * the report tells the length alone: it may name a person, a place or a device of theirs.
	 */
	readonly isPublic: boolean;
}

/** One setting: a field that flash has, too. */
export interface SettingField<Value extends Setting = Setting> extends Field<Value> {
	/** Position of its entry in ENTRIES. */
	readonly entry: number;
	/** Names the value in flash, 1 to 255; unique within the entry for ever. */
	readonly id: number;
}

/** A new value of a setting, made by `put`; undefined keeps the one it has. */
export interface Put {
	readonly field: SettingField;
	readonly value: Setting | undefined;
}

export function put<Value extends Setting>(field: SettingField<Value>, value: NoInfer<Value> | undefined): Put {
	return { field, value };
}

/** Settings that are written together. */
export interface Entry {
	/** Key in the storage. */
	readonly key: string;
	/** Raised when fields are added; written into flash for whoever must read it later. */
	readonly version: number;
	readonly fields: readonly SettingField[];
	/**
	 * Nothing that the owner knows as settings: passwords, tokens, certificates, what was learned of the meter or said of it.
	 */
	readonly isInternal: boolean;
}

/** Whether `field` may have this value: type, range, length, characters. For anything, also straight from a stranger. */
export function checkField(field: Field, value: unknown): value is Setting {
	switch (field.kind) {
		case BOOLEAN:
			return value === true || value === false;
		case INTEGER:
			return Number.isInteger(value) && inRange(field, value as number);
		case CHOICE:
			return field.choices.includes(value as Setting);
		case TEXT:
			return typeof value === "string" && inRange(field, value.length) && hasOnly(value, field.characters);
		default:
			return value instanceof Uint8Array && inRange(field, value.length);
	}
}

/** Whether it is the same value; of bytes those count, not where they are. */
export function isSame(a: Setting, b: Setting): boolean {
	return a instanceof Uint8Array && b instanceof Uint8Array ? equalConstantTime(a, b) : a === b;
}

function inRange(field: Field, size: number): boolean {
	return size >= field.minimum && size <= field.maximum;
}

/** What a field has that its table doesn't say: its prototype, so that it takes flash once and not for each field. */
const PLAIN = Object.freeze({
	minimum: 0,
	maximum: 0,
	choices: Object.freeze([]),
	characters: "",
	initial: undefined,
	secret: false,
	isPublic: false,
});

export function field<Value extends Setting>(
	given: Pick<SettingField<Value>, "entry" | "id" | "name" | "kind"> & Partial<Field<Value>>,
): SettingField<Value> {
	return Object.freeze(Object.setPrototypeOf(given, PLAIN));
}

/** A field that bodies have and flash has not. */
export function bodyField<Value extends Setting>(
	given: Pick<Field<Value>, "name" | "kind"> & Partial<Field<Value>>,
): Field<Value> {
	return Object.freeze(Object.setPrototypeOf(given, PLAIN));
}

export function entry(key: string, version: number, fields: readonly SettingField[], isInternal = false): Entry {
	return Object.freeze({ key, version, fields: Object.freeze(fields), isInternal });
}

/** For `isInternal`. */
export const INTERNAL = true;

/** Names of the groups of settings that these fields are in, for the event log; empty where they are in none. */
export function groupsOf(entries: readonly Entry[], fields: readonly Field[]): string {
	const groups = entries.filter(
		({ fields: own, isInternal }) => !isInternal && own.some((one) => fields.includes(one)),
	);
	return groups.map(({ key }) => key).join(" ");
}

/** Ranges of characters for TEXT. */
export const HEX = "09af";
export const PRINTABLE = " ~";
