/**
 * Flash contents with a valid checksum: for each settings key nothing, random bytes, or its fields with random values;
 * changes of several entries; pieces of certificates. This file also runs in XS.
 */

import { ENTRIES } from "../../modules/app/parts.js";
import { crc16 } from "../../modules/bytes/crc16.js";
import { BYTES, type Entry, INTEGER, type SettingField, TEXT } from "../../modules/config/schema.js";

/** The methods of SeededRandom (hosts/node/random.ts) that are used here. */
export interface AnyRandom {
	below(limit: number): number;
	bytes(length: number): Uint8Array;
}

/** Special lengths: empty, a flag, a number, an id, a token, three of them, more than any field has. */
const LENGTHS: readonly number[] = Object.freeze([0, 1, 2, 7, 8, 9, 16, 32, 68, 97, 204, 300]);
const LONGEST_BODY = 40;
const PIECE = 60;

export function sealed(body: ArrayLike<number>): Uint8Array {
	const bytes = new Uint8Array(body.length + 2);
	bytes.set(body);
	const end = body.length;
	const check = crc16(bytes, 0, end);
	bytes[end] = check;
	bytes[end + 1] = check >> 8;
	return bytes;
}

/** Key and value of each record. */
export function flashRecords(random: AnyRandom): readonly (readonly [key: string, value: Uint8Array])[] {
	const records: (readonly [string, Uint8Array])[] = [];
	for (const entry of ENTRIES) {
		const kind = random.below(4);
		if (kind === 1) records.push([entry.key, sealed(random.bytes(random.below(LONGEST_BODY) + 1))]);
		else if (kind > 1) records.push([entry.key, entryOf(entry, random)]);
	}
	if (random.below(3) === 0) records.push(["together", togetherOf(random)]);
	for (const name of ["own", "tls", "hub_cert", "mqtt_cert"])
		for (let slot = 0; slot < 2; slot++)
			if (random.below(3) === 0) records.push([`${name}_${slot}_0`, random.bytes(random.below(PIECE))]);
	if (random.below(2) === 0) records.push(["dlms_counters", sealed(random.bytes(random.below(LONGEST_BODY) + 1))]);
	return records;
}

function entryOf(entry: Entry, random: AnyRandom): Uint8Array {
	const body = [1, random.below(3)];
	for (const field of entry.fields) {
		if (random.below(8) === 0) continue;
		const value = anyValue(field, random);
		body.push(random.below(12) === 0 ? random.below(256) : field.id, value.length >> 8, value.length & 255);
		append(body, value);
	}
	return sealed(body);
}

function anyValue(field: SettingField, random: AnyRandom): Uint8Array {
	if (random.below(3) === 0) return random.bytes(LENGTHS[random.below(LENGTHS.length)]);
	if (field.kind === BYTES) return random.bytes(random.below(field.maximum + 1));
	if (field.kind === TEXT) {
		const text = random.bytes(random.below(Math.min(field.maximum, LONGEST_BODY) + 1));
		const isASCII = random.below(3) > 0;
		for (let i = 0; isASCII && i < text.length; i++) text[i] = 0x20 + (text[i] % 95);
		return text;
	}
	if (field.kind !== INTEGER) return Uint8Array.of(random.below(3));
	const number = new Uint8Array(8);
	new DataView(number.buffer).setFloat64(0, random.below(2) === 0 ? field.minimum : random.below(field.maximum + 2));
	return number;
}

function togetherOf(random: AnyRandom): Uint8Array {
	const body: number[] = [];
	for (let i = random.below(4); i >= 0; i--) {
		const entry = ENTRIES[random.below(ENTRIES.length)];
		const key = random.below(3) === 0 ? random.bytes(random.below(9)) : asciiOf(entry.key);
		const bytes = random.below(3) === 0 ? random.bytes(random.below(PIECE)) : entryOf(entry, random);
		body.push(key.length);
		append(body, key);
		body.push(bytes.length >> 8, bytes.length & 255);
		append(body, bytes);
	}
	return sealed(body);
}

/** Appends the bytes one by one, since XS has a short stack for arguments. */
function append(body: number[], bytes: Uint8Array): void {
	for (let i = 0; i < bytes.length; i++) body.push(bytes[i]);
}

function asciiOf(text: string): Uint8Array {
	return new Uint8Array([...text].map((character) => character.charCodeAt(0)));
}
