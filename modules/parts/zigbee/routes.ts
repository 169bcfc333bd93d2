/** Zigbee routes of the API. */

import { type BodyTable, type BodyValues, LONG_BODY_LIMIT, needed, type Refusal } from "../../api/body.js";
import { UNSUPPORTED } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { putsOf, settingsOf } from "../../api/settings.js";
import { bodyField, INTEGER, PRINTABLE, put, TEXT } from "../../config/schema.js";
import type { Core } from "../../core/core.js";
import type { JSONWriter } from "../../json/writer.js";
import { OBIS_TEXT_LIMIT, OBISCode } from "../../obis/code.js";
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
} from "../../obis/mapping.js";
import { MAPPING, MAPPING_ENTRY } from "../meter/mapping-fields.js";
import { ZIGBEE, ZIGBEE_ENABLED } from "./fields.js";
import { NO_NETWORK, type ZigbeeBridge } from "./status.js";

export const ZIGBEE_DISABLED = "zigbee_disabled";

export const ZIGBEE_SETTINGS = settingsOf(ZIGBEE.fields, [ZIGBEE_ENABLED.name]);

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
	fields: MAPPING_ENTRY.fields,
	required: Object.freeze([MAPPING.name]),
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

export function isZigbeeEnabled(zigbee: ZigbeeBridge | undefined, { config }: Core): boolean {
	return zigbee !== undefined && config.get(ZIGBEE_ENABLED);
}

export function getZigbee(exchange: Exchange<ZigbeeBridge | undefined>): void {
	const enabled = isZigbeeEnabled(exchange.part, exchange.core);
	const status = exchange.part?.status() ?? NO_NETWORK;
	exchange.object((writer) => {
		booleanMember(writer, ZIGBEE_ENABLED.name, enabled);
		booleanMember(writer, "joined", status.joined);
		numberMember(writer, "channel", status.channel);
		numberMember(writer, "short_address", status.shortAddress);
		textMember(writer, "extended_pan_id", status.extendedPanId);
		numberMember(writer, "pan_id", status.panId);
		textMember(writer, "state", status.code);
		textMember(writer, "role", status.role);
		textMember(writer, "ieee_address", status.ieeeAddress);
		textMember(writer, "coprocessor", status.coprocessor);
		numberMember(writer, "joining_secs", status.joiningSecs);
		writer.key("reported");
		writer.beginArray();
		const { reported } = status;
		for (let at = 0; at < reported.length; at += 2) {
			if (Number.isNaN(reported[at])) continue;
			writer.beginObject();
			textMember(writer, MAPPING_ID.name, PAIRS[1 + at / 2]);
			numberMember(writer, "value", reported[at]);
			numberMember(writer, "timestamp", reported[at + 1]);
			writer.endObject();
		}
		writer.endArray();
	});
}

/** Stores the setting. The device restarts if it has changed. */
export function postZigbee(exchange: Exchange<ZigbeeBridge | undefined>, values: BodyValues): void {
	const { core, part: zigbee } = exchange;
	if (zigbee === undefined && needed(values, ZIGBEE_ENABLED)) {
		failRadio(exchange);
		return;
	}
	const hasChanged = core.config.change(putsOf(ZIGBEE.fields, values));
	exchange.empty();
	if (hasChanged && zigbee !== undefined) core.restartSoon();
}

export function postZigbeeReset(exchange: Exchange<ZigbeeBridge | undefined>): void {
	const { core, part: zigbee } = exchange;
	if (zigbee === undefined) failRadio(exchange);
	else if (!isZigbeeEnabled(zigbee, core))
		exchange.fail(409, ZIGBEE_DISABLED, "Zigbee is turned off; turn it on first.");
	else if (core.safeMode !== "")
		exchange.fail(501, UNSUPPORTED, "Zigbee is off in safe mode; restart the device to leave it.");
	else {
		zigbee.join();
		exchange.empty();
	}
}

/** Replies with the map. Each unit of the JSON stream is one entry. */
export function getZigbeeMap(exchange: Exchange<ZigbeeBridge | undefined>): void {
	const map = mapOf(exchange.core.config.get(MAPPING));
	const code = new OBISCode();
	const text = new Uint8Array(OBIS_TEXT_LIMIT);
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			writer.key(MAPPING.name);
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

export function postZigbeeMap(exchange: Exchange<ZigbeeBridge | undefined>, values: BodyValues): void {
	exchange.core.config.change([put(MAPPING, needed(values, MAPPING))]);
	exchange.empty();
}

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

function failRadio(exchange: Exchange<ZigbeeBridge | undefined>): void {
	exchange.fail(501, UNSUPPORTED, "This unit has no Zigbee radio that this firmware can use.");
}
