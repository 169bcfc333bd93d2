/** The backup of this version in test/vectors/backups, which all later versions must restore. */
import { isShown } from "../../modules/api/backup-group.js";
import { PARTS } from "../../modules/app/parts.js";
import { BOOLEAN, CHOICE, type Field, INTEGER, type Setting } from "../../modules/config/schema.js";
import type { Node } from "./files.js";

/**
 * Returns a value that differs from the initial one. Returns undefined for texts and bytes, which may need a certain
 * form.
 */
export function another({ kind, choices, initial, minimum, maximum }: Field): Setting | undefined {
	if (kind === BOOLEAN) return !initial;
	if (kind === CHOICE) return choices.find((choice) => choice !== initial);
	if (kind === INTEGER) return initial === maximum ? minimum : maximum;
	return undefined;
}

export function addSettings({ settings }: Node): void {
	for (const { path, table } of PARTS.flatMap(({ backup }) => backup)) {
		for (const field of table.fields.filter(isShown)) {
			const value = another(field);
			if (value === undefined || field.name in (settings[path] ?? {})) continue;
			settings[path] ??= {};
			settings[path][field.name] = value;
		}
	}
}
