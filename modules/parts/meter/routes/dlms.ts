/** DLMS/COSEM routes: settings, and the list of objects to read. */

import { type BodyTable, type BodyValues, LONG_BODY_LIMIT, needed } from "../../../api/body.js";
import { INVALID_FIELD } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { numberMember, textMember } from "../../../api/members.js";
import { failField, putsOf, type SettingsTable, settingsOf, writeSettings } from "../../../api/settings.js";
import { asciiBytes } from "../../../bytes/ascii.js";
import { decodeHex } from "../../../bytes/hex.js";
import {
	BYTES,
	bodyField,
	CHOICE,
	type Field,
	INTEGER,
	type Put,
	put,
	type SettingField,
	TEXT,
} from "../../../config/schema.js";
import { isServerAddress } from "../../../cosem/settings.js";
import { describeList, findRowError } from "../../../dlms/lists.js";
import {
	findDuplicate,
	POLL_ATTRIBUTE,
	POLL_CLASS,
	POLL_CLASSES,
	POLL_CODE_LENGTH,
	POLL_ENTRY_SIZE,
	POLL_LIMIT,
	pollListOf,
} from "../../../dlms/poll-list.js";
import { NO_BYTES } from "../../../io/machine.js";
import type { JSONWriter } from "../../../json/writer.js";
import {
	DLMS,
	DLMS_AUTH,
	DLMS_AUTH_KEY,
	DLMS_BAUDRATE,
	DLMS_BLOCK_CIPHER_KEY,
	DLMS_CLIENT_ADDRESS,
	DLMS_DEVIATION,
	DLMS_KEY_LENGTH,
	DLMS_LIST_ROWS,
	DLMS_OBIS_ENTRIES,
	DLMS_OPENING,
	DLMS_PASSWORD,
	DLMS_PUSH_BAUDRATE,
	DLMS_RECEIVE_TIMEOUT_MS,
	DLMS_RELEASE,
	DLMS_SECURITY_SUITE,
	DLMS_SERVER_ADDRESS_LENGTH,
	DLMS_SERVER_LOGICAL,
	DLMS_SERVER_PHYSICAL,
	DLMS_USE_ENCRYPTION,
} from "../dlms-fields.js";
import { METER_LIVE_SECS } from "../fields.js";
import type { Metering } from "../metering.js";

/** A key as hex digits in upper or lower case. An empty text clears the key. */
function keyText(name: string): Field<string> {
	return bodyField({ name, kind: TEXT, maximum: DLMS_KEY_LENGTH * 2, characters: "09AFaf" });
}

const CIPHER_KEY_TEXT = keyText(DLMS_BLOCK_CIPHER_KEY.name);
const AUTH_KEY_TEXT = keyText(DLMS_AUTH_KEY.name);
const STORED: readonly SettingField[] = Object.freeze([...DLMS.fields, METER_LIVE_SECS, DLMS_PASSWORD, DLMS_LIST_ROWS]);

export const DLMS_SETTINGS: SettingsTable = settingsOf(STORED, [], {
	fields: Object.freeze([...STORED, CIPHER_KEY_TEXT, AUTH_KEY_TEXT]),
	shown: Object.freeze([
		DLMS_AUTH,
		DLMS_USE_ENCRYPTION,
		DLMS_CLIENT_ADDRESS,
		DLMS_SERVER_LOGICAL,
		DLMS_SERVER_PHYSICAL,
		DLMS_PASSWORD,
		DLMS_RECEIVE_TIMEOUT_MS,
		DLMS_SERVER_ADDRESS_LENGTH,
		DLMS_OPENING,
		DLMS_BAUDRATE,
		DLMS_PUSH_BAUDRATE,
		DLMS_SECURITY_SUITE,
		DLMS_RELEASE,
		DLMS_DEVIATION,
		METER_LIVE_SECS,
		DLMS_BLOCK_CIPHER_KEY,
		DLMS_AUTH_KEY,
		DLMS_LIST_ROWS,
	]),
	accept,
	show,
});

const CODE = bodyField<Uint8Array>({
	name: "code",
	kind: BYTES,
	minimum: POLL_CODE_LENGTH,
	maximum: POLL_CODE_LENGTH,
});
const CLASS_ID = bodyField<number>({ name: "class_id", kind: CHOICE, choices: POLL_CLASSES });
const ATTRIBUTE = bodyField<number>({ name: "attribute", kind: INTEGER, minimum: 1, maximum: 127 });

export const DLMS_OBIS_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([DLMS_OBIS_ENTRIES]),
	required: Object.freeze([DLMS_OBIS_ENTRIES.name]),
	limit: LONG_BODY_LIMIT,
	list: Object.freeze({
		fields: Object.freeze([CODE, CLASS_ID, ATTRIBUTE]),
		required: Object.freeze([CODE.name, CLASS_ID.name, ATTRIBUTE.name]),
		maximum: POLL_LIMIT,
		size: POLL_ENTRY_SIZE,
		pack: packEntry,
	}),
});

function packEntry(values: BodyValues, into: Uint8Array, at: number): undefined {
	into.set(needed(values, CODE), at);
	into[at + POLL_CLASS] = needed(values, CLASS_ID);
	into[at + POLL_ATTRIBUTE] = needed(values, ATTRIBUTE);
}

function accept(exchange: Exchange<Metering>, values: BodyValues): readonly Put[] | undefined {
	const { config } = exchange.core;
	const chosen = (field: SettingField<number>): number => values.get(field) ?? config.get(field);
	const logical = chosen(DLMS_SERVER_LOGICAL);
	const physical = chosen(DLMS_SERVER_PHYSICAL);
	if (!isServerAddress(logical, physical, chosen(DLMS_SERVER_ADDRESS_LENGTH))) {
		const { name } = DLMS_SERVER_ADDRESS_LENGTH;
		const message = `${name} is too short for server_logical ${logical} and server_physical ${physical}; 0 chooses the length automatically.`;
		exchange.fail(400, INVALID_FIELD, message, name);
		return undefined;
	}
	for (const { name, digits } of [
		{ name: CIPHER_KEY_TEXT.name, digits: values.get(CIPHER_KEY_TEXT) ?? "" },
		{ name: AUTH_KEY_TEXT.name, digits: values.get(AUTH_KEY_TEXT) ?? "" },
	]) {
		if (digits.length === 0 || digits.length === DLMS_KEY_LENGTH * 2) continue;
		exchange.fail(400, INVALID_FIELD, `${name} must be 32 hex digits, or empty to clear it.`, name);
		return undefined;
	}
	const rows = values.get(DLMS_LIST_ROWS);
	if (rows !== undefined) {
		const at = rows === "" ? -1 : findRowError(rows);
		if (at >= 0) {
			failField(exchange, DLMS_LIST_ROWS, `list_rows is wrong near character ${at}.`);
			return undefined;
		}
		exchange.part.dlms.seenList = NO_BYTES;
	}
	return [
		...putsOf(STORED, values),
		put(DLMS_BLOCK_CIPHER_KEY, keyOf(values.get(CIPHER_KEY_TEXT))),
		put(DLMS_AUTH_KEY, keyOf(values.get(AUTH_KEY_TEXT))),
	];
}

function show(exchange: Exchange<Metering>): void {
	const seen = describeList(exchange.part.dlms.seenList);
	exchange.object((writer) => {
		writeSettings(writer, exchange.core.config, DLMS_SETTINGS.shown);
		textMember(writer, "list_seen", seen);
	});
}

function keyOf(digits: string | undefined): Uint8Array | undefined {
	return digits === undefined ? undefined : decodeHex(asciiBytes(digits), 0, digits.length);
}

export function getPollList(exchange: Exchange): void {
	const list = pollListOf(exchange.core.config.get(DLMS_OBIS_ENTRIES));
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			writer.key(DLMS_OBIS_ENTRIES.name);
			writer.beginArray();
		} else if (unit <= list[0]) writeEntry(writer, list, 1 + (unit - 1) * POLL_ENTRY_SIZE);
		else {
			writer.endArray();
			writer.endObject();
		}
		return unit <= list[0];
	});
}

export function postPollList(exchange: Exchange, values: BodyValues): void {
	const puts = acceptPollList(exchange, values);
	if (puts === undefined) return;
	exchange.core.config.change(puts);
	getPollList(exchange);
}

/** Returns the settings to store. If the list is invalid, replies with an error and returns undefined. */
export function acceptPollList(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const list = needed(values, DLMS_OBIS_ENTRIES);
	const duplicate = findDuplicate(list);
	if (duplicate < 0) return [put(DLMS_OBIS_ENTRIES, list)];
	const path = `${DLMS_OBIS_ENTRIES.name}[${duplicate}]`;
	exchange.fail(400, INVALID_FIELD, `${path} is already in the list; each object can be listed once.`, path);
	return undefined;
}

export function writePollList(writer: JSONWriter, stored: Uint8Array): void {
	const list = pollListOf(stored);
	writer.beginArray();
	for (let at = 1; at < list.length; at += POLL_ENTRY_SIZE) writeEntry(writer, list, at);
	writer.endArray();
}

function writeEntry(writer: JSONWriter, list: Uint8Array, at: number): void {
	writer.beginObject();
	writer.key(CODE.name);
	writer.beginArray();
	for (let i = 0; i < POLL_CODE_LENGTH; i++) writer.number(list[at + i]);
	writer.endArray();
	numberMember(writer, CLASS_ID.name, list[at + POLL_CLASS]);
	numberMember(writer, ATTRIBUTE.name, list[at + POLL_ATTRIBUTE]);
	textMember(writer, "obis", `${list[at]}-${list[at + 1]}:${list[at + 2]}.${list[at + 3]}.${list[at + 4]}`);
	writer.endObject();
}
