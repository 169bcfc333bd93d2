/**
 * Group of settings with two routes of the same path. GET returns the settings. POST changes some of them, and has the
 * same reply as GET. The schema (config/schema.ts) has names, bounds and defaults. The reactions of the part (part.ts)
 * apply changed settings.
 */
import { type Field, type Put, put, type Setting, type SettingField } from "../config/schema.js";
import type { ConfigStore } from "../config/store.js";
import type { JSONWriter } from "../json/writer.js";
import { isOmitted } from "../product/omitted.js";
import { BODY_LIMIT, type BodyTable, type BodyValues } from "./body.js";
import { INVALID_FIELD, UNSUPPORTED } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { booleanMember, numberMember, textMember } from "./members.js";

export interface SettingsTable extends BodyTable {
	readonly stored: readonly SettingField[];
	/** Settings in the reply, in this order. A secret is shown as the boolean `<name>_set`. */
	readonly shown: readonly SettingField[];
	/** Writes the reply, if a list of settings (`shown`) is not enough. */
	readonly show?: (exchange: Exchange<never>) => void;
	/**
	 * Checks the values and returns the changes, instead of storing all fields of `stored`. Returns undefined if it has
	 * refused the request.
	 */
	readonly accept?: (exchange: Exchange<never>, values: BodyValues) => readonly Put[] | undefined;
	/** True if a POST takes effect even if it changes no value. */
	readonly applies?: boolean;
}

/** Returns the table for a group of settings. `required`: names of the fields that a POST must contain. */
export function settingsOf(
	fields: readonly SettingField[],
	required: readonly string[] = [],
	more: Partial<SettingsTable> = {},
): SettingsTable {
	const limit = BODY_LIMIT;
	return Object.freeze({ fields, required: Object.freeze(required), limit, stored: fields, shown: fields, ...more });
}

export const NO_SETTINGS: SettingsTable = settingsOf(Object.freeze([]));

export function getSettings(exchange: Exchange, _values: BodyValues, settings: SettingsTable): void {
	const { show, shown } = settings;
	if (show !== undefined) show(exchange as Exchange<never>);
	else exchange.object((writer) => writeSettings(writer, exchange.core.config, shown));
}

export function postSettings(exchange: Exchange, values: BodyValues, settings: SettingsTable): void {
	const { accept, stored, applies } = settings;
	// A backup may have the setting: there it is stored for a firmware that has the part.
	const missing = stored.find((field) => isOmitted(field.name) && values.get(field) === true);
	if (missing !== undefined) {
		exchange.fail(501, UNSUPPORTED, `This firmware was built without ${missing.name}.`, missing.name);
		return;
	}
	const puts = accept === undefined ? putsOf(stored, values) : accept(exchange as Exchange<never>, values);
	if (puts === undefined) return;
	exchange.core.config.change(puts, applies);
	getSettings(exchange, values, settings);
}

export function putsOf(fields: readonly SettingField[], values: BodyValues): Put[] {
	return fields.map((field) => put(field, values.get(field)));
}

export function writeSettings(writer: JSONWriter, config: ConfigStore, shown: readonly SettingField[]): void {
	for (const field of shown) {
		const value = config.get(field);
		if (field.secret) booleanMember(writer, `${field.name}_set`, isSet(value));
		else settingMember(writer, field.name, value);
	}
}

/** Writes a setting as a JSON member. Byte arrays are omitted, because they have no JSON form. */
export function settingMember(writer: JSONWriter, name: string, value: Setting): void {
	if (value === true || value === false) booleanMember(writer, name, value);
	else if (typeof value === "number") numberMember(writer, name, value);
	else if (typeof value === "string") textMember(writer, name, value);
}

export function isSet(value: Setting): boolean {
	return value instanceof Uint8Array ? value.length > 0 : value !== "";
}

export function failField(exchange: Exchange, { name }: Field, message: string): void {
	exchange.fail(400, INVALID_FIELD, message, name);
}
