/**
 * Damaged input to the API's decoders, called directly for speed: JSON bodies, backups, settings files, and OBIS codes
 * with names.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { BodyTable } from "../../modules/api/body.js";
import { ObjectReader } from "../../modules/api/validate.js";
import { ENTRIES, PARTS } from "../../modules/app/parts.js";
import { checkField, type Setting } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import { OBIS_TEXT_LIMIT, OBISCode } from "../../modules/obis/code.js";
import { LANGUAGE_COUNT, NAME_LIMIT, OBISNames } from "../../modules/obis/names.js";
import { LOGIN_BODY } from "../../modules/parts/auth/routes/login.js";
import { CONTROL_SETTINGS, IEC62056_SETTINGS, PROTOCOL_SETTINGS } from "../../modules/parts/meter/routes/settings.js";
import { RestoreReader } from "../../modules/parts/system/restore-reader.js";
import { counterOf, isFor, isTrusted, SETTINGS_AT, settingsEnd } from "../../modules/provision/file.js";
import { bytesOf, textOf } from "../latin1.js";
import { SIGNER, signed } from "../provision/signed.js";
import { iecVectors } from "../vectors.js";
import { BODIES, oddJSON } from "./bodies.js";
import { type Mutator, runAll } from "./mutator.js";

const TABLES: readonly BodyTable[] = [PROTOCOL_SETTINGS, IEC62056_SETTINGS, CONTROL_SETTINGS, LOGIN_BODY, LOGIN_BODY];
/** Limit of nesting in a body. */
const DEPTH_LIMIT = 4;

/** Limit of nesting in a backup, which may have unknown, newer members. */
const BACKUP_DEPTH_LIMIT = 8;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const text = {
	encode: (value: string) => new TextEncoder().encode(value),
	decode: (bytes: Uint8Array, start = 0, end = bytes.length) => utf8.decode(bytes.subarray(start, end)),
};

interface Outcome {
	readonly values: readonly (Setting | undefined)[];
	readonly code: string;
}

function read(table: BodyTable, bytes: Uint8Array, mutator: Mutator): Outcome {
	const outcomes: Outcome[] = [];
	const reader = new ObjectReader(table, text, (found, code) => {
		const values = table.fields.map((field) => found.get(field));
		outcomes.push({ values, code });
	});
	mutator.inPieces(bytes, (buffer, start, end) => reader.write(buffer, start, end));
	reader.end();
	assert.equal(outcomes.length, 1, "the route was not called exactly once");
	return outcomes[0];
}

/** The object that JSON.parse returns; undefined if it returns no object or the API's rules refuse it. */
function objectOf(bytes: Uint8Array, depth = DEPTH_LIMIT): Record<string, unknown> | undefined {
	try {
		const json = utf8.decode(bytes);
		const value: unknown = JSON.parse(json);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
		return isTooDeep(json, depth) || hasLoneSurrogate(json) ? undefined : (value as Record<string, unknown>);
	} catch {
		return undefined;
	}
}

const STRINGS = /"(?:[^"\\]|\\.)*"/g;

function isTooDeep(json: string, limit: number): boolean {
	let depth = 0;
	for (const character of json.replace(STRINGS, "")) {
		if (character === "{" || character === "[") depth++;
		if (character === "}" || character === "]") depth--;
		if (depth > limit) return true;
	}
	return false;
}

function hasLoneSurrogate(json: string): boolean {
	return [...json.matchAll(STRINGS)].some(([one]) => /[\ud800-\udfff]/u.test(JSON.parse(one)));
}

export async function fuzzBodies(seed: number, runs: number): Promise<void> {
	await runAll("bodies", seed, runs, (mutator, run) => {
		const which = mutator.random.below(BODIES.length);
		const table = TABLES[which];
		let bytes: Uint8Array = text.encode(oddJSON(mutator, BODIES[which]));
		if (mutator.random.oneIn(3)) bytes = mutator.mutate(bytes, text.encode(oddJSON(mutator, BODIES[0])));
		const { values, code } = read(table, bytes, mutator);
		const expected = objectOf(bytes);
		if (expected === undefined) assert.equal(code, "invalid_json", textOf(bytes));
		else assert.notEqual(code, "invalid_json", textOf(bytes));
		if (code === "") {
			for (const [i, field] of table.fields.entries()) {
				const value = Object.hasOwn(expected ?? {}, field.name) ? expected?.[field.name] : undefined;
				assert.deepEqual(values[i], value, `${field.name} of ${textOf(bytes)}`);
				assert.ok(value === undefined || checkField(field, value as Setting));
			}
		}
		if (run % 100 === 99) assert.equal(read(table, text.encode(JSON.stringify(BODIES[which])), mutator).code, "");
	});
}

export async function fuzzBackups(seed: number, runs: number): Promise<void> {
	const file = join(import.meta.dirname, "..", "..", "..", "test", "vectors", "backups", "0.1.0.json");
	const whole = new Uint8Array(Buffer.from(JSON.stringify(JSON.parse(readFileSync(file, "utf8")))));
	const config = new ConfigStore(new VirtualStorage(), text, ENTRIES);
	await runAll("backups", seed, runs, (mutator, run) => {
		const bytes = run % 100 === 99 ? whole : mutator.mutate(whole, whole);
		let calls = 0;
		const reader: RestoreReader = new RestoreReader(config, text, PARTS, () => calls++);
		mutator.inPieces(bytes, (buffer, start, end) => reader.write(buffer, start, end));
		reader.end();
		assert.equal(calls, 1, "the route was not called exactly once");
		const isObject = objectOf(bytes, BACKUP_DEPTH_LIMIT) !== undefined;
		assert.equal(reader.code === "invalid_json", !isObject, textOf(bytes));
		if (run % 100 === 99) assert.equal(reader.code, "");
		if (reader.code !== "") return;
		for (const { group, values } of reader.groups) {
			for (const [i, field] of group.table.fields.entries()) {
				const value = values[i];
				const isLenient = Number.isNaN(value) && group.table.lenient?.includes(field.name);
				assert.ok(value === undefined || isLenient || checkField(field, value), `${group.path} ${field.name}`);
			}
		}
	});
}

/** A damaged settings file is neither trusted nor mistaken for another. */
export async function fuzzSettingsFiles(seed: number, runs: number): Promise<void> {
	const crypto = new NodeCrypto();
	const keys = [SIGNER.point];
	const whole = new Uint8Array(signed({ "system/timezone": { timezone: "Europe/Berlin" } }, 0x0102_0304, "CELLAR"));
	await runAll("settings files", seed, runs, (mutator, run) => {
		const bytes = run % 100 === 99 ? whole : mutator.mutate(whole, whole);
		const isWhole = Buffer.compare(bytes, whole) === 0;
		const counter = counterOf(bytes);
		assert.ok(Number.isInteger(counter) && counter >= 0 && counter <= 0xffff_ffff);
		assert.ok(counter === 0 || settingsEnd(bytes) > SETTINGS_AT);
		if (counter > 0) {
			isFor(bytes, ["CELLAR", ""]);
			assert.equal(isTrusted(bytes, keys, crypto), isWhole, textOf(bytes));
		} else assert.ok(!isWhole);
	});
}

/** A damaged address is not misread. */
export async function fuzzCodes(seed: number, runs: number): Promise<void> {
	const addresses = [...new Set(iecVectors().flatMap(({ readings }) => readings.map((one) => one.obis_long)))];
	const file = join(import.meta.dirname, "..", "..", "..", "modules", "resources", "obis-names.bin");
	const names = new OBISNames(new Uint8Array(readFileSync(file)));
	const code = new OBISCode();
	await runAll("codes", seed, runs, (mutator, run) => {
		const address = bytesOf(mutator.pick(addresses));
		checkCode(code, names, mutator.mutate(address, bytesOf(mutator.pick(addresses))));
		if (run % 100 === 99) {
			names.beginReadout();
			assert.ok(code.parse(bytesOf("1-0:1.8.0*255"), 0, 13) && names.find(code, 0));
		}
	});
}

function checkCode(code: OBISCode, names: OBISNames, address: Uint8Array): void {
	// Surround the address with digits that are not part of it.
	const buffer = new Uint8Array(address.length + 8).fill(0x31);
	buffer.set(address, 4);
	const end = 4 + address.length;
	const isCode = code.parse(buffer, 4, end);
	const groups = [code.a, code.b, code.c, code.d, code.e, code.f, code.sub];
	assert.ok(code.shortStart >= 4 && code.shortStart <= code.shortEnd && code.longEnd <= end);
	if (isCode) {
		assert.ok(groups.every((group) => Number.isInteger(group) && group >= -1 && group <= 255));
		const encoded = new Uint8Array(OBIS_TEXT_LIMIT + 8);
		const length = code.encode(encoded, 0);
		assert.ok(length <= OBIS_TEXT_LIMIT);
		if (code.canonical) assert.equal(textOf(encoded, 0, length), textOf(address));
		const again = new OBISCode();
		assert.ok(again.parse(encoded, 0, length));
		assert.deepEqual([again.a, again.b, again.c, again.d, again.e, again.f, again.sub], groups);
	} else assert.ok(groups.every((group) => group === -1));
	for (let language = 0; language < LANGUAGE_COUNT; language++) {
		const into = new Uint8Array(NAME_LIMIT + 8);
		if (!names.find(code, language)) continue;
		assert.ok(isCode, "something that is not a code has a name");
		const length = names.write(into, 0);
		assert.ok(length > 0 && length <= NAME_LIMIT);
		assert.doesNotMatch(text.decode(into, 0, length), /[\0-\x1f]/);
	}
}
