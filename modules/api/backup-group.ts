/**
 * Group of settings in a backup, which has the path, fields and rules of a route's POST. Each part lists its groups.
 */
import type { Field, Setting, SettingField } from "../config/schema.js";
import type { JSONWriter } from "../json/writer.js";
import type { BodyTable } from "./body.js";
import type { SettingsTable } from "./settings.js";

export interface BackupGroup {
	readonly path: string;
	/** Table of the route's POST. A file has the fields that satisfy `isShown`. */
	readonly table: BodyTable & Partial<SettingsTable>;
	/** Replaces the table's `accept` if defined. */
	readonly accept: SettingsTable["accept"] | undefined;
	/** Secrets and certificates; the file has only `<name>_set`. */
	readonly secrets: readonly SettingField[];
	/** Address or network to which the secrets belong. They are discarded when it changes. */
	readonly boundTo: SettingField<string> | undefined;
	/**
	 * Setting that is turned off when a secret must be entered again, because sending without it would fail or be
	 * unsafe.
	 */
	readonly needing: SettingField<boolean> | undefined;
	/**
	 * Settings restored together with `boundTo`, unless a secret must be entered again. If there are none, `boundTo` is
	 * always restored.
	 */
	readonly bound: readonly SettingField[];
	/**
	 * Texts that may be empty in a backup; an empty text stands for the unit's default. The route itself refuses an
	 * empty text.
	 */
	readonly own: readonly SettingField<string>[];
	readonly writeList: ((writer: JSONWriter, stored: Uint8Array) => void) | undefined;
}

/** The groups' prototype, so that defaults take flash only once. */
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
