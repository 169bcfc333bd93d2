/** Zigbee routes of the API text: state, pairing, map (decisions 4, 40, 46, 47). This firmware drives no radio. */
import { BOOLEAN, bodyField, INTEGER, PRINTABLE, put, TEXT } from "../config/schema.js";
import { ZIGBEE_MAP, ZIGBEE_MAPPING } from "../config/zigbee-fields.js";
import type { JSONWriter } from "../json/writer.js";
import { OBIS_TEXT_LIMIT, OBISCode } from "../obis/code.js";
import {
	findPair,
	MAP_ENTRY_SIZE,
	MAP_LIMIT,
	MODE_SHORT,
	mapOf,
	PAIRS,
	packMapping,
	pairAt,
	UNMAPPED,
	unpackMapping,
} from "../obis/mapping.js";
import { BODY_LIMIT, type BodyTable, type BodyValues, LONG_BODY_LIMIT, needed, type Refusal } from "./body.js";
import { UNSUPPORTED } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { booleanMember, numberMember, textMember } from "./members.js";

/** What stands where there is no network (decision 46). */
const NO_CHANNEL = 11;
const NO_ADDRESS = 65535;
const NO_EXTENDED_PAN_ID = "0000000000000000";

const ENABLED = bodyField<boolean>({ name: "enabled", kind: BOOLEAN });

export const ZIGBEE_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([ENABLED]),
	required: Object.freeze([ENABLED.name]),
	limit: BODY_LIMIT,
});

const OBIS = bodyField<string>({
	name: "obis",
	kind: TEXT,
	minimum: 1,
	maximum: OBIS_TEXT_LIMIT,
	characters: PRINTABLE,
});
const MODE = bodyField<number>({ name: "mode", kind: INTEGER, maximum: MODE_SHORT });
const MAPPING_ID = bodyField<string>({
	name: "mapping_id",
	kind: TEXT,
	minimum: UNMAPPED.length,
	maximum: UNMAPPED.length,
	characters: "09AFaf",
});

export const ZIGBEE_MAP_BODY: BodyTable = Object.freeze({
	fields: ZIGBEE_MAP.fields,
	required: Object.freeze([ZIGBEE_MAPPING.name]),
	limit: LONG_BODY_LIMIT,
	list: Object.freeze({
		fields: Object.freeze([OBIS, MODE, MAPPING_ID]),
		required: Object.freeze([OBIS.name, MAPPING_ID.name]),
		maximum: MAP_LIMIT,
		size: MAP_ENTRY_SIZE,
		pack: packEntry,
	}),
});

const NO_PAIR: Refusal = Object.freeze({ field: MAPPING_ID, rule: `must be one of ${PAIRS.join(", ")}.` });
const NO_CODE: Refusal = Object.freeze({
	field: OBIS,
	rule: "must be an OBIS code such as 1.8.0 or 1-0:1.8.0, without a billing period.",
});

function packEntry(values: BodyValues, into: Uint8Array, at: number): Refusal | undefined {
	const pair = findPair(needed(values, MAPPING_ID));
	if (pair < 0) return NO_PAIR;
	return packMapping(needed(values, OBIS), values.get(MODE), pair, into, at) ? undefined : NO_CODE;
}

export function getZigbee(exchange: Exchange): void {
	exchange.object((writer) => {
		booleanMember(writer, ENABLED.name, false);
		booleanMember(writer, "joined", false);
		numberMember(writer, "channel", NO_CHANNEL);
		numberMember(writer, "short_address", NO_ADDRESS);
		textMember(writer, "extended_pan_id", NO_EXTENDED_PAN_ID);
		numberMember(writer, "pan_id", NO_ADDRESS);
	});
}

export function postZigbee(exchange: Exchange, values: BodyValues): void {
	if (needed(values, ENABLED)) failRadio(exchange);
	else exchange.empty();
}

/** Joining is turning the radio on. */
export function postZigbeeReset(exchange: Exchange): void {
	failRadio(exchange);
}

/** An entry a unit. */
export function getZigbeeMap(exchange: Exchange): void {
	const map = mapOf(exchange.services.config.get(ZIGBEE_MAPPING));
	const code = new OBISCode();
	const text = new Uint8Array(OBIS_TEXT_LIMIT);
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			writer.key(ZIGBEE_MAPPING.name);
			writer.beginArray();
		} else if (unit <= map[0]) {
			const at = 1 + (unit - 1) * MAP_ENTRY_SIZE;
			unpackMapping(map, at, code);
			writeEntry(writer, text, code.encode(text, 0), pairAt(map, at));
		} else {
			writer.endArray();
			writer.endObject();
		}
		return unit <= map[0];
	});
}

export function postZigbeeMap(exchange: Exchange, values: BodyValues): void {
	exchange.services.config.change([put(ZIGBEE_MAPPING, needed(values, ZIGBEE_MAPPING))]);
	exchange.empty();
}

/** The entries of a map as it is in flash. */
export function writeMap(writer: JSONWriter, stored: Uint8Array): void {
	const map = mapOf(stored);
	const code = new OBISCode();
	const text = new Uint8Array(OBIS_TEXT_LIMIT);
	writer.beginArray();
	for (let at = 1; at < map.length; at += MAP_ENTRY_SIZE) {
		unpackMapping(map, at, code);
		writeEntry(writer, text, code.encode(text, 0), pairAt(map, at));
	}
	writer.endArray();
}

function writeEntry(writer: JSONWriter, obis: Uint8Array, length: number, pair: string): void {
	writer.beginObject();
	writer.key(OBIS.name);
	writer.plain(obis, 0, length);
	textMember(writer, MAPPING_ID.name, pair);
	writer.endObject();
}

function failRadio(exchange: Exchange): void {
	exchange.fail(501, UNSUPPORTED, "This unit has no Zigbee radio that this firmware can use.");
}
