/**
 * Members with which a HomeWizard P1 meter describes its network, the electricity meter, and the meters behind it:
 *
 *     wifi_ssid, wifi_strength                          the joined network, and its signal in per cent
 *     smr_version, meter_model, unique_id               1-3:0.2.8 or 0-0:96.1.4, identification, 0-0:96.1.1
 *     active_tariff                                     0-0:96.14.0
 *     external                                          readings of the meters on M-Bus (readout/channels.ts)
 *     total_gas_m3, gas_timestamp, gas_unique_id        the first gas meter of them
 *
 * A time is a number, YYMMDDhhmmss, in the meter's local time. `wifi_ssid` is always there, as clients recognise API v1
 * by it; it is empty on a board that uses the cable.
 */
import { numberMember, textMember } from "../../api/members.js";
import type { TextCodec } from "../../io/host.js";
import type { JSONWriter } from "../../json/writer.js";
import {
	channelsOf,
	GROUP_MBUS,
	MEDIUM_GAS,
	MEDIUM_HEAT,
	MEDIUM_WATER,
	mediumOf,
	OUT,
	stateOf,
} from "../../readout/channels.js";
import { putNumber } from "../../readout/number.js";
import type { Readout } from "../../readout/readout.js";
import { RecordCursor } from "../../readout/record-cursor.js";
import { VALUE_LIMIT } from "../../readout/record-writer.js";
import { METER } from "../meter/part.js";
import { NETWORK } from "../network/part.js";
import type { LiveValues } from "./dialect-port.js";

const CHANNELS = 4;
const TIME_LENGTH = 12;
const TOTAL_ON_CHANNEL = 3;
/** Signals of 0 % and 100 %, dBm. */
const WEAKEST_DBM = -100;
const STRONGEST_DBM = -50;

interface External {
	type: string;
	id: Uint8Array | undefined;
	value: number;
	unit: string;
	time: number;
}

export function beginData(writer: JSONWriter, { core }: LiveValues): void {
	const { manager } = core.find(NETWORK);
	const rssi = manager?.station?.rssi ?? 0;
	writer.beginObject();
	textMember(writer, "wifi_ssid", manager?.station?.ssid ?? "");
	if (rssi < 0) numberMember(writer, "wifi_strength", strengthOf(rssi));
	const { measured } = core.find(METER).reader.outcomes;
	if (measured !== undefined) writeMeter(writer, core.text, measured);
}

function strengthOf(dbm: number): number {
	const per = Math.round((100 * (dbm - WEAKEST_DBM)) / (STRONGEST_DBM - WEAKEST_DBM));
	return Math.max(0, Math.min(100, per));
}

function writeMeter(writer: JSONWriter, text: TextCodec, readout: Readout): void {
	const { meterId, records, unconfirmed } = readout;
	const externals: External[] = [];
	for (let b = 0; b <= CHANNELS; b++)
		externals.push({ type: "", id: undefined, value: Number.NaN, unit: "", time: Number.NaN });
	const channels = channelsOf(records);
	const cursor = new RecordCursor(records);
	const { code } = cursor;
	if (meterId.length > 0) {
		writer.key("meter_model");
		writer.ascii(meterId, 0, meterId.length);
	}
	for (let record = 1; cursor.nextRecord(); record++) {
		const { a, b, c, d, e } = code;
		if (code.billingPeriod !== null || code.sub >= 0 || cursor.attribute !== 0 || !cursor.nextValue()) continue;
		if (c === 96 && a === 0 && b === 0) {
			if (d === 1 && e === 1) {
				writer.key("unique_id");
				writer.ascii(cursor.text, 0, cursor.length);
			} else if (d === 1 && e === 4) wholeMember(writer, "smr_version", text, cursor);
			else if (d === 14 && e === 0) wholeMember(writer, "active_tariff", text, cursor);
		} else if (c === 0 && a === 1 && d === 2 && e === 8) wholeMember(writer, "smr_version", text, cursor);
		else if (a === 0 && b > 0 && b <= CHANNELS) {
			const external = externals[b];
			if (c === 96 && d === 1 && e <= 1) external.id = cursor.text.slice(0, cursor.length);
			else if (c === GROUP_MBUS && !unconfirmed?.includes(record)) takeReading(external, channels, cursor, text);
		}
	}
	writeExternals(writer, externals);
}

/** Takes the reading of a meter on M-Bus. Without a known medium, unit and time it is left out. */
function takeReading(external: External, channels: Uint8Array, cursor: RecordCursor, text: TextCodec): void {
	const { code } = cursor;
	const state = stateOf(channels, code);
	if (state === 0 || state & OUT || (code.e > 1 && code.e !== TOTAL_ON_CHANNEL) || external.type !== "") return;
	const type = typeOf(mediumOf(state, code));
	const digits = new Uint8Array(VALUE_LIMIT + 1);
	const end = putNumber(cursor.text, cursor.length, digits);
	const { unit } = cursor;
	if (type === "" || unit === "" || end === 0) return;
	const value = Number(text.decode(digits, 0, end));
	if (!cursor.nextValue() || cursor.length < TIME_LENGTH) return;
	external.time = Number(text.decode(cursor.text, 0, TIME_LENGTH));
	if (Number.isNaN(external.time)) return;
	external.type = type;
	external.value = value;
	external.unit = unit;
}

function typeOf(medium: number): string {
	if (medium === MEDIUM_GAS) return "gas_meter";
	if (medium === MEDIUM_WATER) return "water_meter";
	return medium === MEDIUM_HEAT ? "heat_meter" : "";
}

function writeExternals(writer: JSONWriter, externals: readonly External[]): void {
	const found = externals.filter(({ type, id }) => type !== "" && id !== undefined);
	const gas = found.find(({ type, unit }) => type === typeOf(MEDIUM_GAS) && unit === "m3");
	if (gas !== undefined) {
		numberMember(writer, "total_gas_m3", gas.value);
		numberMember(writer, "gas_timestamp", gas.time);
		writeId(writer, "gas_unique_id", gas.id);
	}
	if (found.length === 0) return;
	writer.key("external");
	writer.beginArray();
	for (const { id, type, time, value, unit } of found) {
		writer.beginObject();
		writeId(writer, "unique_id", id);
		textMember(writer, "type", type);
		numberMember(writer, "timestamp", time);
		numberMember(writer, "value", value);
		textMember(writer, "unit", unit);
		writer.endObject();
	}
	writer.endArray();
}

function writeId(writer: JSONWriter, name: string, id: Uint8Array | undefined): void {
	if (id === undefined) return;
	writer.key(name);
	writer.ascii(id, 0, id.length);
}

/** Writes a member with a whole number; nothing if the meter sends something else. */
function wholeMember(writer: JSONWriter, name: string, text: TextCodec, cursor: RecordCursor): void {
	const value = Number(text.decode(cursor.text, 0, cursor.length));
	if (Number.isInteger(value) && cursor.length > 0) numberMember(writer, name, value);
}
