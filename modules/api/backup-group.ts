/**
 * Group of settings in a backup. The group has the path, fields and rules of a route's POST. Each part lists its
 * groups.
 */
import type { Field, Setting, SettingField } from "../config/schema.js";
import type { JSONWriter } from "../json/writer.js";
import type { BodyTable } from "./body.js";
import type { SettingsTable } from "./settings.js";

export interface BackupGroup {
	readonly path: string;
	/** Table of the route's POST. A backup file contains those of its fields that satisfy `isShown`. */
	readonly table: BodyTable & Partial<SettingsTable>;
	/** If defined, it is used instead of the table's `accept`. */
	readonly accept: SettingsTable["accept"] | undefined;
	/** Secrets and certificates. The backup file does not contain them, only the boolean `<name>_set`. */
	readonly secrets: readonly SettingField[];
	/** Setting with the address or network to which the secrets belong. When it changes, the secrets are discarded. */
	readonly boundTo: SettingField<string> | undefined;
	/**
	 * Setting that a restore turns off if the user must enter a secret again, because sending without the secret would
	 * fail or be unsafe.
	 */
	readonly needing: SettingField<boolean> | undefined;
	/**
	 * Settings that are restored together with `boundTo`. Neither they nor `boundTo` are restored if the user must
	 * enter a secret again. If this list is empty, `boundTo` is always restored.
	 */
	readonly bound: readonly SettingField[];
	/**
	 * Text settings that may be empty in a backup, although the route refuses an empty text. An empty text stands for
	 * the default of the device.
	 */
	readonly own: readonly SettingField<string>[];
	readonly writeList: ((writer: JSONWriter, stored: Uint8Array) => void) | undefined;
}

/** Default members. They are the prototype of all groups, so they take flash only once. */
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

export function isShown(field: Field): field is SettingField {
	return isSetting(field) && !field.secret;
}
