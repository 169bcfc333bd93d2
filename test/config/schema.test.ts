import assert from "node:assert/strict";
import { ENTRIES, PARTS } from "../../modules/app/parts.js";
import * as NUMBERS from "../../modules/config/entries.js";
import { BOOLEAN, BYTES, CHOICE, checkField, type Field, INTEGER, TEXT } from "../../modules/config/schema.js";
import { ENTRY_LIMIT } from "../../modules/config/store.js";
import { ACCESS_DIGEST, ACCESS_SALT } from "../../modules/parts/auth/fields.js";
import {
	CONTROL_LOG_EN,
	IEC_SPEED_BAUD,
	IEC_SPEED_METER_ID,
	IEC62056,
	IEC62056_BAUDRATE_MAX,
	IEC62056_DEVICE_ADDRESS,
	IEC62056_MODE_D_BAUDRATE,
	METER_PROTOCOL,
} from "../../modules/parts/meter/fields.js";
import { WIFI_SSID } from "../../modules/parts/network/fields.js";

const STRANGE = [undefined, null, Number.NaN, Infinity, 1.5, "", "x", true, 0, [], {}, new Uint8Array(1), 10n, () => 0];

function allows(field: Field, values: readonly unknown[]): void {
	for (const value of values) assert.equal(checkField(field, value), true, `${field.name} ${String(value)}`);
}

function refuses(field: Field, values: readonly unknown[]): void {
	for (const value of values) assert.equal(checkField(field, value), false, `${field.name} ${String(value)}`);
}

/** The most bytes that a value takes in flash. */
function longest(field: Field): number {
	if (field.kind === TEXT) return field.maximum * 3;
	if (field.kind === CHOICE) return Math.max(8, ...field.choices.map((choice) => String(choice).length));
	return field.kind === BYTES ? field.maximum : 8;
}

describe("config/schema", () => {
	it("declares every field with its entry, a unique id and name, its limits, and a valid initial value", () => {
		for (const [position, entry] of ENTRIES.entries()) {
			assert.match(entry.key, /^[a-z0-9_]{1,15}$/);
			assert.equal(new Set(entry.fields.map((field) => field.id)).size, entry.fields.length, entry.key);
			assert.equal(new Set(entry.fields.map((field) => field.name)).size, entry.fields.length, entry.key);
			assert.ok(Object.isFrozen(entry) && Object.isFrozen(entry.fields));
			for (const field of entry.fields) {
				assert.ok(Object.isFrozen(field) && Object.isFrozen(field.choices), field.name);
				assert.equal(field.entry, position, field.name);
				assert.ok(Number.isInteger(field.id) && field.id >= 1 && field.id <= 255, field.name);
				assert.ok(field.minimum <= field.maximum, field.name);
				assert.ok(field.characters.length % 2 === 0 || field.characters === WIFI_SSID.characters, field.name);
				assert.equal(field.choices.length > 0, field.kind === CHOICE, field.name);
				assert.ok(checkField(field, field.initial ?? new Uint8Array(0)), field.name);
			}
		}
		assert.equal(new Set(ENTRIES.map((entry) => entry.key)).size, ENTRIES.length);
	});

	it("gives each entry of the parts a number of its own, from the list in config/entries.ts, without a gap", () => {
		const numbers = PARTS.flatMap(({ entries }) => entries).map(({ fields }) => fields[0].entry);
		const listed: readonly number[] = Object.values(NUMBERS);
		assert.deepEqual(
			numbers.toSorted((a, b) => a - b),
			[...listed.keys()],
			"one part's number is another's, too",
		);
		assert.deepEqual(
			listed.toSorted((a, b) => a - b),
			[...listed.keys()],
			"a number is missing or twice in the list",
		);
	});

	it("keeps every entry within the storage's size limit", () => {
		for (const entry of ENTRIES) {
			const length = entry.fields.reduce((sum, field) => sum + 3 + longest(field), 4);
			assert.ok(length <= ENTRY_LIMIT, `${entry.key} ${length}`);
		}
	});

	it("has the defaults of the protocol and of IEC 62056-21 that the API promises", () => {
		assert.equal(METER_PROTOCOL.initial, "iec62056");
		assert.deepEqual(
			IEC62056.fields.map((field) => [field.name, field.initial]),
			[
				["mode_d_enabled", false],
				["mode_d_baudrate", 2400],
				["baudrate_max", 9600],
				["battery", false],
				["mode_e_dlms", false],
				["device_address", ""],
				["password", ""],
			],
		);
	});

	it("accepts only booleans for a boolean field", () => {
		assert.equal(CONTROL_LOG_EN.kind, BOOLEAN);
		allows(CONTROL_LOG_EN, [true, false]);
		refuses(CONTROL_LOG_EN, [0, 1, "true", "", null, undefined, [], {}]);
	});

	it("accepts only whole numbers within the range, including its ends", () => {
		assert.equal(IEC62056_BAUDRATE_MAX.kind, INTEGER);
		allows(IEC62056_BAUDRATE_MAX, [300, 301, 9600, 19199, 19200]);
		refuses(IEC62056_BAUDRATE_MAX, [299, 19201, -300, 0, 300.5, "300", Number.NaN, Infinity, null, undefined, true]);
	});

	it("accepts only the speeds that meters have", () => {
		assert.equal(IEC62056_MODE_D_BAUDRATE.kind, CHOICE);
		allows(IEC62056_MODE_D_BAUDRATE, [300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200]);
		refuses(IEC62056_MODE_D_BAUDRATE, [299, 301, 0, 28800, 230400, "2400", null, Number.NaN, undefined]);
		allows(IEC_SPEED_BAUD, [0, 300, 19200]);
		refuses(IEC_SPEED_BAUD, [38400, 115200]);
	});

	it("accepts a protocol only by its exact name", () => {
		allows(METER_PROTOCOL, ["iec62056", "dlms"]);
		refuses(METER_PROTOCOL, ["", "DLMS", "dlms ", "iec62056-21", 0, 1, null, undefined]);
	});

	it("accepts text up to the field's length, of the field's characters only", () => {
		const field = IEC62056_DEVICE_ADDRESS;
		allows(field, [
			"",
			"0",
			"9",
			"A",
			"Z",
			"a",
			"z",
			" ",
			"0123456789 ABCDEF abcdef 01234567".slice(0, 32),
			"z".repeat(32),
			"/#",
			"/4405296170",
		]);
		refuses(field, [
			"z".repeat(33),
			".",
			"-",
			":",
			"@",
			"[",
			"`",
			"{",
			"!",
			"?",
			"\r",
			"\u0000",
			"ä",
			"😀",
			"a\n",
			12,
			null,
			["a"],
		]);
		allows(IEC_SPEED_METER_ID, [" ", "~", "ELS5\\@V9.30 ", "x".repeat(64)]);
		refuses(IEC_SPEED_METER_ID, ["\u001f", "\u007f", "x".repeat(65)]);
		allows(ACCESS_SALT, ["", "0123456789abcdef", "a".repeat(64)]);
		refuses(ACCESS_SALT, ["A", "g", "a".repeat(65)]);
	});

	it("accepts all characters from a first one on if the field names no last one", () => {
		allows(WIFI_SSID, [" ", "~", "\u00fc", "\uffff", "\u{1f600}", "s".repeat(31)]);
		refuses(WIFI_SSID, ["\u0000", "\u001f", "a\nb", "s".repeat(32)]);
	});
	it("accepts bytes up to the field's length, and nothing that only looks like bytes", () => {
		assert.equal(ACCESS_DIGEST.kind, BYTES);
		allows(ACCESS_DIGEST, [new Uint8Array(0), new Uint8Array(31), new Uint8Array(32)]);
		refuses(ACCESS_DIGEST, [new Uint8Array(33), [1, 2], "00", { length: 3 }, new ArrayBuffer(3), null]);
	});

	it("never throws, and never accepts a value of another type than the field's", () => {
		for (const entry of ENTRIES)
			for (const field of entry.fields)
				for (const value of STRANGE)
					if (checkField(field, value))
						assert.equal(typeof value, typeof (field.initial ?? new Uint8Array(0)), field.name);
	});
});
