/** DLMS/COSEM routes of the API text: settings, and the objects to ask for (decisions 27 to 29). */
import { asciiBytes } from "../bytes/ascii.js";
import { decodeHex } from "../bytes/hex.js";
import {
	DLMS,
	DLMS_AUTH,
	DLMS_AUTH_KEY,
	DLMS_BAUDRATE,
	DLMS_BLOCK_CIPHER_KEY,
	DLMS_CLIENT_ADDRESS,
	DLMS_KEY_LENGTH,
	DLMS_OBIS,
	DLMS_OBIS_ENTRIES,
	DLMS_OPENING,
	DLMS_PASSWORD,
	DLMS_RECEIVE_TIMEOUT_MS,
	DLMS_SECRETS,
	DLMS_SERVER_ADDRESS_LENGTH,
	DLMS_SERVER_LOGICAL,
	DLMS_SERVER_PHYSICAL,
	DLMS_USE_ENCRYPTION,
} from "../config/dlms-fields.js";
import { BYTES, bodyField, CHOICE, type Field, INTEGER, type Setting, TEXT } from "../config/schema.js";
import {
	findDuplicate,
	POLL_ATTRIBUTE,
	POLL_CLASS,
	POLL_CLASSES,
	POLL_CODE_LENGTH,
	POLL_ENTRY_SIZE,
	POLL_LIMIT,
	pollListOf,
} from "../dlms/poll-list.js";
import type { JSONWriter } from "../json/writer.js";
import { isServerAddress } from "../meter/dlms-settings.js";
import { INVALID_FIELD } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { booleanMember, numberMember, textMember } from "./members.js";
import { BODY_LIMIT, type BodyTable, LONG_BODY_LIMIT, type Value } from "./validate.js";

/** A key as the body gives it: hex digits in either case, or none to clear it. */
function keyText(name: string): Field {
	return bodyField<string>({ name, kind: TEXT, maximum: DLMS_KEY_LENGTH * 2, characters: "09AFaf" });
}

/** Fields of DLMS, then the secrets in the order of DLMS_SECRETS. */
export const DLMS_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([
		...DLMS.fields,
		DLMS_PASSWORD,
		keyText(DLMS_BLOCK_CIPHER_KEY.name),
		keyText(DLMS_AUTH_KEY.name),
	]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
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
	fields: DLMS_OBIS.fields,
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

function packEntry(values: readonly (Value | undefined)[], into: Uint8Array, at: number): number {
	into.set(values[0] as Uint8Array, at);
	into[at + POLL_CLASS] = values[1] as number;
	into[at + POLL_ATTRIBUTE] = values[2] as number;
	return -1;
}

export function getDLMS(exchange: Exchange): void {
	const { config } = exchange.services;
	exchange.object((writer) => {
		textMember(writer, DLMS_AUTH.name, config.get(DLMS_AUTH));
		booleanMember(writer, DLMS_USE_ENCRYPTION.name, config.get(DLMS_USE_ENCRYPTION));
		numberMember(writer, DLMS_CLIENT_ADDRESS.name, config.get(DLMS_CLIENT_ADDRESS));
		numberMember(writer, DLMS_SERVER_LOGICAL.name, config.get(DLMS_SERVER_LOGICAL));
		numberMember(writer, DLMS_SERVER_PHYSICAL.name, config.get(DLMS_SERVER_PHYSICAL));
		booleanMember(writer, "password_set", config.get(DLMS_PASSWORD) !== "");
		numberMember(writer, DLMS_RECEIVE_TIMEOUT_MS.name, config.get(DLMS_RECEIVE_TIMEOUT_MS));
		numberMember(writer, DLMS_SERVER_ADDRESS_LENGTH.name, config.get(DLMS_SERVER_ADDRESS_LENGTH));
		textMember(writer, DLMS_OPENING.name, config.get(DLMS_OPENING));
		numberMember(writer, DLMS_BAUDRATE.name, config.get(DLMS_BAUDRATE));
		booleanMember(writer, "block_cipher_key_set", config.get(DLMS_BLOCK_CIPHER_KEY).length > 0);
		booleanMember(writer, "auth_key_set", config.get(DLMS_AUTH_KEY).length > 0);
	});
}

export function postDLMS(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const { config, reader } = exchange.services;
	const settings = DLMS.fields.length;
	const chosen = <Value extends Setting>(field: Field<Value>): Value =>
		(values[DLMS.fields.indexOf(field)] as Value | undefined) ?? config.get(field);
	const logical = chosen(DLMS_SERVER_LOGICAL);
	const physical = chosen(DLMS_SERVER_PHYSICAL);
	if (!isServerAddress(logical, physical, chosen(DLMS_SERVER_ADDRESS_LENGTH))) {
		const { name } = DLMS_SERVER_ADDRESS_LENGTH;
		const message = `${name} is too short for server_logical ${logical} and server_physical ${physical}; 0 takes what it needs.`;
		exchange.fail(400, INVALID_FIELD, message, name);
		return;
	}
	const secrets: (Value | undefined)[] = [values[settings]];
	for (let i = 1; i < DLMS_SECRETS.fields.length; i++) {
		const digits = values[settings + i] as string | undefined;
		if (digits === undefined) continue;
		if (digits.length !== 0 && digits.length !== DLMS_KEY_LENGTH * 2) {
			const { name } = DLMS_SECRETS.fields[i];
			exchange.fail(400, INVALID_FIELD, `${name} must be 32 hex digits, or empty to clear it.`, name);
			return;
		}
		secrets[i] = decodeHex(asciiBytes(digits), 0, digits.length);
	}
	const isChanged = config.setAll([
		{ entry: DLMS, values: values.slice(0, settings) },
		{ entry: DLMS_SECRETS, values: secrets },
	]);
	if (isChanged) reader.forget();
	getDLMS(exchange);
}

/** An object a unit. */
export function getPollList(exchange: Exchange): void {
	const list = pollListOf(exchange.services.config.get(DLMS_OBIS_ENTRIES));
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

export function postPollList(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const list = values[0] as Uint8Array;
	const duplicate = findDuplicate(list);
	if (duplicate >= 0) {
		const path = `${DLMS_OBIS_ENTRIES.name}[${duplicate}]`;
		exchange.fail(400, INVALID_FIELD, `${path} stands in the list before; each object is asked for once.`, path);
		return;
	}
	exchange.services.config.set(DLMS_OBIS, [list]);
	getPollList(exchange);
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
