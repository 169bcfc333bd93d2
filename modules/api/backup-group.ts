/**
 * A group of settings in a backup: under the path of its route, with the fields and rules of the route's POST. Parts
 * list their groups; a test checks that no setting is missing.
 */
import type { Field, Setting, SettingField } from "../config/schema.js";
import type { JSONWriter } from "../json/writer.js";
import type { BodyTable } from "./body.js";
import type { SettingsTable } from "./settings.js";

export interface BackupGroup {
	/** Path of the route; also the group's name in the file. */
	readonly path: string;
	/** Table of the route's POST. The fields that satisfy `isShown` are written to a file. */
	readonly table: BodyTable & Partial<SettingsTable>;
	/** Replaces the table's `accept`. */
	readonly accept: SettingsTable["accept"] | undefined;
	/** Secrets and certificates. The file only states, as `<name>_set`, whether each is set. */
	readonly secrets: readonly SettingField[];
	/** Address or network that the secrets belong to; they are discarded when it changes. */
	readonly boundTo: SettingField<string> | undefined;
	/** Switch turned off when a secret must be entered again, because sending would fail or be unsafe. */
	readonly needing: SettingField<boolean> | undefined;
	/**
	 * Fields that are restored with `boundTo`, and only if no secret must be entered again. If the list is empty,
	 * `boundTo` is always restored.
	 */
	readonly bound: readonly SettingField[];
	/** Texts for which empty means the unit's default, although the route rejects an empty text. */
	readonly own: readonly SettingField<string>[];
	/** Writes the value of the list field. */
	readonly writeList: ((writer: JSONWriter, stored: Uint8Array) => void) | undefined;
}

/** Defaults; the prototype of all groups, so that they take flash once. */
const PLAIN: Omit<BackupGroup, "path" | "table"> = Object.freeze({
	accept: undefined,
	secrets: Object.freeze([]),
	boundTo: undefined,
	needing: undefined,
	bound: Object.freeze([]),
	own: Object.freeze([]),
	writeList: undefined,
});

export function backupGroup(path: string, table: BackupGroup["table"], own: Partial<BackupGroup> = {}): BackupGroup {
	return Object.freeze(Object.setPrototypeOf({ path, table, ...own }, PLAIN));
}

export function isSetting<Value extends Setting>(field: Field<Value>): field is SettingField<Value> {
	return "entry" in field;
}

/** Returns whether a file contains the field's value. */
export function isShown(field: Field): field is SettingField {
	return isSetting(field) && !field.secret;
}
