/**
 * Definition of a setting: name, allowed values, initial value.
 *
 * An entry is a group of settings under one storage key. One atomic write stores it, so the settings in it can change
 * together. The id of a released setting is never reused, because older and newer firmware read the same flash. Limits:
 * an entry must not exceed ENTRY_LIMIT (config/store.ts) even if all its values have their maximum length; ids are 1 to
 * 255.
 */

import { hasOnly } from "../bytes/ascii.js";
import { equalConstantTime } from "../bytes/equal.js";

export type Setting = boolean | number | string | Uint8Array;

export const BOOLEAN = 0;
/** Integer from `minimum` to `maximum`. */
export const INTEGER = 1;
/** One of `choices`: all integers or all words. */
export const CHOICE = 2;
/** Text of `minimum` to `maximum` characters, all of which are in the ranges `characters`. */
export const TEXT = 3;
/** Array of `minimum` to `maximum` bytes, initially empty. */
export const BYTES = 4;

export interface Field<Value extends Setting = Setting> {
	readonly name: string;
	readonly kind: number;
	/** Smallest value (INTEGER) or shortest length (TEXT, BYTES); otherwise 0. */
	readonly minimum: number;
	/** Largest value (INTEGER) or longest length (TEXT, BYTES); otherwise 0. */
	readonly maximum: number;
	/** Allowed values of CHOICE; otherwise empty. */
	readonly choices: readonly Value[];
	/**
	 * Allowed characters (TEXT): first and last character of each range. The last range may lack its last character; it
	 * is then open-ended.
	 */
	readonly characters: string;
	/** Initial value; undefined for BYTES. */
	readonly initial: Value | undefined;
	/** True if no HTTP reply, diagnostic report or log may contain the value. */
	readonly secret: boolean;
	/**
	 * True if the diagnostic report may show the value (TEXT, BYTES). Otherwise the report shows only the length,
	 * because the value may identify a person, a place or a device.
	 */
	readonly isPublic: boolean;
}

export interface SettingField<Value extends Setting = Setting> extends Field<Value> {
	readonly entry: number;
	/** Identifier in flash, 1 to 255. It must differ from all ids that the entry has or ever had. */
	readonly id: number;
}

export interface Put {
	readonly field: SettingField;
	readonly value: Setting | undefined;
}

export function put<Value extends Setting>(field: SettingField<Value>, value: NoInfer<Value> | undefined): Put {
	return { field, value };
}

export interface Entry {
	readonly key: string;
	/**
	 * Version of the set of fields. Increase it when fields are added. It is stored in flash for use by future
	 * firmware.
	 */
	readonly version: number;
	readonly fields: readonly SettingField[];
	/**
	 * True if the data are not shown as settings. Such data are passwords, tokens, certificates, and data learned about
	 * the meter.
	 */
	readonly isInternal: boolean;
}

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

/** Returns whether two settings are equal. Bytes are compared by content. */
export function isSame(a: Setting, b: Setting): boolean {
	return a instanceof Uint8Array && b instanceof Uint8Array ? equalConstantTime(a, b) : a === b;
}

function inRange(field: Field, size: number): boolean {
	return size >= field.minimum && size <= field.maximum;
}

/** Default members of a field. They are the prototype of all fields, so they take flash only once. */
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

/** Returns a field that only occurs in request bodies and is not stored. */
export function bodyField<Value extends Setting>(
	given: Pick<Field<Value>, "name" | "kind"> & Partial<Field<Value>>,
): Field<Value> {
	return Object.freeze(Object.setPrototypeOf(given, PLAIN));
}

export function entry(key: string, version: number, fields: readonly SettingField[], isInternal = false): Entry {
	return Object.freeze({ key, version, fields: Object.freeze(fields), isInternal });
}

export const INTERNAL = true;

/** Returns the names of the groups to which the fields belong, for the event log. */
export function groupsOf(entries: readonly Entry[], fields: readonly Field[]): string {
	const groups = entries.filter(
		({ fields: own, isInternal }) => !isInternal && own.some((one) => fields.includes(one)),
	);
	return groups.map(({ key }) => key).join(" ");
}

export const HEX = "09af";
export const PRINTABLE = " ~";
