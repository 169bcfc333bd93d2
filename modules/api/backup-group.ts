/**
 * What a backup has of one group of settings: those that a route shows and changes, under the path of the route and with the
 * fields and rules of its POST. Parts list theirs; a test holds that no setting is left out.
 */
import type { Field, Setting, SettingField } from "../config/schema.js";
import type { JSONWriter } from "../json/writer.js";
import type { BodyTable } from "./body.js";
import type { SettingsTable } from "./settings.js";

export interface BackupGroup {
	/** Path of its route; its name in the file. */
	readonly path: string;
	/** What POST of the route takes, and a file may have; what `isShown` of it is in a file that we make. */
	readonly table: BodyTable & Partial<SettingsTable>;
	/** In place of the table's. */
	readonly accept: SettingsTable["accept"] | undefined;
	/** Secrets and certificates. The file only has, as `<name>_set`, whether there is one. */
	readonly secrets: readonly SettingField[];
	/** They were given for this address or network, and are not kept for another. */
	readonly boundTo: SettingField<string> | undefined;
	/** Is turned off when one of them has to be entered again: without it, nothing can be sent, or not safely. */
	readonly needing: SettingField<boolean> | undefined;
	/** Without one of the secrets nothing of `boundTo` and these fields is taken; empty: they are taken all the same. */
	readonly bound: readonly SettingField[];
	/** Texts that, when empty, stand for what the unit has of its own: the route takes no empty one. */
	readonly own: readonly SettingField<string>[];
	/** Writes the value of the one field, a list. */
	readonly writeList: ((writer: JSONWriter, stored: Uint8Array) => void) | undefined;
}

/** What most groups have: their prototype, so that it takes flash once. */
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

/** Whether a file has its value. */
export function isShown(field: Field): field is SettingField {
	return isSetting(field) && !field.secret;
}
