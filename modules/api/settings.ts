/**
 * A group of settings as two routes of one path: GET shows them, POST changes some of them and answers as GET does. Names,
 * bounds and defaults are those of the schema (config/schema.ts); a table here says which settings a group has, and what
 * of it the schema can't tell. What follows from a change, the part's reactions say (part.ts).
 */
import { type Field, type Put, put, type Setting, type SettingField } from "../config/schema.js";
import type { ConfigStore } from "../config/store.js";
import type { JSONWriter } from "../json/writer.js";
import { BODY_LIMIT, type BodyTable, type BodyValues } from "./body.js";
import { INVALID_FIELD } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { booleanMember, numberMember, textMember } from "./members.js";

export interface SettingsTable extends BodyTable {
	/** Those that POST stores as they come. */
	readonly stored: readonly SettingField[];
	/** What both answer with, in this order. Of a secret, as `<name>_set`, only whether there is one. */
	readonly shown: readonly SettingField[];
	/** Answers in place of `shown`. */
	readonly show?: (exchange: Exchange<never>) => void;
	/** What is stored in place of `stored`. Undefined: the values are refused, and the request is answered. */
	readonly accept?: (exchange: Exchange<never>, values: BodyValues) => readonly Put[] | undefined;
	/** Each POST takes effect at once, also one that changes nothing. */
	readonly applies?: boolean;
}

/** A group of settings that both routes have; `required`: names of those that a POST must have. */
export function settingsOf(
	fields: readonly SettingField[],
	required: readonly string[] = [],
	more: Partial<SettingsTable> = {},
): SettingsTable {
	const limit = BODY_LIMIT;
	return Object.freeze({ fields, required: Object.freeze(required), limit, stored: fields, shown: fields, ...more });
}

/** For a route that shows and changes no settings. */
export const NO_SETTINGS: SettingsTable = settingsOf(Object.freeze([]));

export function getSettings(exchange: Exchange, _values: BodyValues, settings: SettingsTable): void {
	const { show, shown } = settings;
	if (show !== undefined) show(exchange as Exchange<never>);
	else exchange.object((writer) => writeSettings(writer, exchange.core.config, shown));
}

export function postSettings(exchange: Exchange, values: BodyValues, settings: SettingsTable): void {
	const { accept, stored, applies } = settings;
	const puts = accept === undefined ? putsOf(stored, values) : accept(exchange as Exchange<never>, values);
	if (puts === undefined) return;
	exchange.core.config.change(puts, applies);
	getSettings(exchange, values, settings);
}

/** What a body says of these settings. */
export function putsOf(fields: readonly SettingField[], values: BodyValues): Put[] {
	return fields.map((field) => put(field, values.get(field)));
}

/** Each of `shown` as a member; of a secret, as `<name>_set`, only whether there is one. */
export function writeSettings(writer: JSONWriter, config: ConfigStore, shown: readonly SettingField[]): void {
	for (const field of shown) {
		const value = config.get(field);
		if (field.secret) booleanMember(writer, `${field.name}_set`, isSet(value));
		else settingMember(writer, field.name, value);
	}
}

/** Bytes have no form of their own. */
export function settingMember(writer: JSONWriter, name: string, value: Setting): void {
	if (value === true || value === false) booleanMember(writer, name, value);
	else if (typeof value === "number") numberMember(writer, name, value);
	else if (typeof value === "string") textMember(writer, name, value);
}

/** A text or bytes, of which there are some. */
export function isSet(value: Setting): boolean {
	return value instanceof Uint8Array ? value.length > 0 : value !== "";
}

/** The value of this field is refused. */
export function failField(exchange: Exchange, { name }: Field, message: string): void {
	exchange.fail(400, INVALID_FIELD, message, name);
}
