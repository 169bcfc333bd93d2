import assert from "node:assert/strict";
import fc from "fast-check";
import { TEXT_LIMIT, TEXT_TOO_LONG } from "../../modules/bytes/octets.js";
import { DataWalker, STACK_SIZE } from "../../modules/dlms/axdr.js";
import { Cursor } from "../../modules/dlms/cursor.js";
import { putDateTime } from "../../modules/dlms/date-time.js";
import { AS_DATE_TIME, AS_SWAPPED_DATE_TIME, AS_TEXT, NO_TEXT, render } from "../../modules/dlms/render.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { hex } from "./crypto.js";
import { join, withLength } from "./server.js";

const SEED = seedOfRun();
const seeded = { seed: SEED, numRuns: 2000 };

/** Returns the text of a simple value, or the number NO_TEXT or TEXT_TOO_LONG. */
function shown(bytes: Uint8Array, scaler = 0, octets = AS_TEXT): string | number {
	const cursor = new Cursor(bytes).set(bytes, 0, bytes.length);
	const walker = new DataWalker(cursor, new Uint8Array(STACK_SIZE + 3), 3);
	const text = new Uint8Array(TEXT_LIMIT);
	walker.begin();
	assert.ok(walker.next(), "a value");
	const length = render(walker, scaler, octets, text);
	return length < 0 ? length : Buffer.from(text.subarray(0, length)).toString("latin1");
}

/** Digits times 10^scaler, independent of the code. */
function shifted(digits: string, scaler: number): string {
	if (scaler >= 0) return digits === "0" ? "0" : digits + "0".repeat(scaler);
	const padded = digits.padStart(1 - scaler, "0");
	return `${padded.slice(0, scaler)}.${padded.slice(scaler)}`;
}

describe(`numbers (SEED=${SEED})`, () => {
	it("of 64 bits are exact with every scaler", () => {
		const scalers = fc.integer({ min: -128, max: 127 });
		fc.assert(
			fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), scalers, (value, scaler) => {
				const digits = BigInt.asUintN(64, value).toString(16).padStart(16, "0");
				const sign = value < 0n ? "-" : "";
				const expected = sign + shifted(String(value < 0n ? -value : value), scaler);
				assert.equal(shown(hex(`${value < 0n || value < 2n ** 63n ? "14" : "15"}${digits}`), scaler), expected);
			}),
			seeded,
		);
	});

	it("of integer types are correct, even at the bounds of the type, with the decimal point that the scaler sets", () => {
		assert.equal(shown(hex("147FFFFFFFFFFFFFFF"), -3), "9223372036854775.807");
		assert.equal(shown(hex("148000000000000000")), "-9223372036854775808");
		assert.equal(shown(hex("15FFFFFFFFFFFFFFFF"), 2), "1844674407370955161500");
		assert.equal(shown(hex("14FFFFFFFF00000000")), "-4294967296");
		assert.equal(shown(hex("0580000000"), -1), "-214748364.8");
		assert.equal(shown(hex("0F80")), "-128");
		assert.equal(shown(hex("10FFFF"), -2), "-0.01");
		assert.equal(shown(hex("120909"), -1), "231.3");
		assert.equal(shown(hex("1100"), -3), "0.000");
		assert.equal(shown(hex("1100"), 5), "0");
		assert.equal(shown(hex("110A"), 3), "10000");
		assert.equal(shown(hex("16FF"), -1), "255");
	});

	it("of floating-point types have a text that gives the same number, or no text if they are extreme, infinite or NaN", () => {
		const floats = fc.float({ noDefaultInfinity: true, noNaN: true, min: Math.fround(-1e20), max: Math.fround(1e20) });
		fc.assert(
			fc.property(floats, (value) => {
				const bytes = Buffer.alloc(5);
				bytes[0] = 0x17;
				bytes.writeFloatBE(value, 1);
				const text = shown(new Uint8Array(bytes));
				if (typeof text === "string") assert.equal(Math.fround(Number(text)), value === 0 ? 0 : value);
				else assert.ok(Math.abs(value) < 1e-30 && text === NO_TEXT);
			}),
			seeded,
		);
		const doubles = fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e100, max: 1e100 });
		fc.assert(
			fc.property(doubles, (value) => {
				const bytes = Buffer.alloc(9);
				bytes[0] = 0x18;
				bytes.writeDoubleBE(value, 1);
				const text = shown(new Uint8Array(bytes));
				if (typeof text === "string") assert.equal(Number(text), value === 0 ? 0 : value);
				else assert.ok(Math.abs(value) < 1e-100);
			}),
			seeded,
		);
		assert.equal(shown(hex("1743670000")), "231");
		assert.equal(shown(hex("17 4366199A")), "230.1");
		assert.equal(shown(hex("17 4366199A"), 3), "230100");
		assert.equal(shown(hex("17 4366199A"), -3), "0.2301");
		assert.equal(shown(hex("17 80000000")), "0");
		assert.equal(shown(hex("17 C2C80000"), -1), "-10");
		assert.equal(shown(hex("18 3FB999999999999A")), "0.1");
		assert.equal(shown(hex("18 4341C37937E08000")), "10000000000000000");
		for (const none of ["177F800000", "17FF800000", "177FC00000", "187FF0000000000000", "187FEFFFFFFFFFFFFF"])
			assert.equal(shown(hex(none)), NO_TEXT);
	});
});

describe("texts", () => {
	it("of strings are ASCII without padding if they are printable, else hex", () => {
		assert.equal(shown(hex("0908 3132333435363738")), "12345678");
		assert.equal(shown(hex("0906 3132 20 00 20 00")), "12");
		assert.equal(shown(hex("0903 314132")), "1A2");
		assert.equal(shown(hex("0903 31 7F 32")), "317F32");
		assert.equal(shown(hex("0903 31 0A 32")), "310A32");
		assert.equal(shown(hex("0902 C3A4")), "C3A4");
		assert.equal(shown(hex("0A02 C3A4")), "C3A4");
		assert.equal(shown(hex("0C02 C3A4")), "C3A4");
		assert.equal(shown(hex("0903 000000")), "000000");
		assert.equal(shown(hex("0900")), "");
		assert.equal(shown(hex("0A00")), "");
	});

	it("have a length limit", () => {
		const text = (tag: number, length: number, fill: number) =>
			shown(join(Uint8Array.of(tag), withLength(new Uint8Array(length).fill(fill))));
		assert.equal(text(0x0a, TEXT_LIMIT, 0x41), "A".repeat(TEXT_LIMIT));
		assert.equal(text(0x0a, TEXT_LIMIT + 1, 0x41), TEXT_TOO_LONG);
		assert.equal(text(0x09, TEXT_LIMIT / 2, 0xab), "AB".repeat(TEXT_LIMIT / 2));
		assert.equal(text(0x09, TEXT_LIMIT / 2 + 1, 0xab), TEXT_TOO_LONG);
		assert.equal(shown(join(hex("0481FE"), new Uint8Array(32).fill(0x80))), `0b${"10000000".repeat(32).slice(0, 254)}`);
		assert.equal(shown(join(hex("0481FF"), new Uint8Array(32))), TEXT_TOO_LONG);
	});

	it("of the other types are as specified", () => {
		assert.equal(shown(hex("0300")), "0");
		assert.equal(shown(hex("03FF")), "1");
		assert.equal(shown(hex("0D42")), "42");
		assert.equal(shown(hex("0403A0")), "0b101");
		assert.equal(shown(hex("0400")), "");
		assert.equal(shown(hex("00")), NO_TEXT);
		assert.equal(shown(hex("FF")), NO_TEXT);
		assert.equal(shown(hex("1A 07E80B15FF")), "2024-11-21");
		assert.equal(shown(hex("1B 081E0F17")), "08:30:15.23");
		assert.equal(shown(hex("1B FFFFFFFF")), "FFFFFFFF");
		assert.equal(shown(hex("19 07EA0301FF112D1EFF000000")), "2026-03-01T17:45:30+00:00");
	});
});

describe(`dates and times (SEED=${SEED})`, () => {
	const moment = (text: string, octets = AS_DATE_TIME) => shown(hex(`090C${text}`), 0, octets);

	it("are shown in ISO 8601 with the zone offset from their deviation", () => {
		assert.equal(moment("07E40106FF00030000FFC400"), "2020-01-06T00:03:00+01:00");
		assert.equal(moment("07E40101FF00030000FF8800"), "2020-01-01T00:03:00+02:00");
		assert.equal(moment("07E2020CFF00000000800000"), "2018-02-12T00:00:00");
		assert.equal(moment("07EA0301FF112D1EFF003C00"), "2026-03-01T17:45:30-01:00");
		assert.equal(moment("07EA0301FF112D1EFF003C00", AS_SWAPPED_DATE_TIME), "2026-03-01T17:45:30+01:00");
		assert.equal(moment("07EA0301FF112D1E19 FFC4 80"), "2026-03-01T17:45:30.25+01:00");
		assert.equal(moment("07EA0301FF112D1EFF FE66 00"), "2026-03-01T17:45:30+06:50");
		assert.equal(moment("07EA0301FF112D1EFF 0349 00"), "2026-03-01T17:45:30");
		assert.equal(moment("07EA0301FF112D1EFF FCB8 00"), "2026-03-01T17:45:30+14:00");
	});

	it("are shown without the parts that are unspecified", () => {
		assert.equal(moment("07EA0301FF112DFFFF800000"), "2026-03-01T17:45");
		assert.equal(moment("07EA0301FF112DFFFFFFC400"), "2026-03-01T17:45+01:00");
		assert.equal(moment("07EA0301FFFFFFFFFF800000"), "2026-03-01");
		assert.equal(moment("07EC021DFF00000000800000"), "2028-02-29T00:00:00");
	});

	it("are shown in hex if ISO 8601 has no form for them", () => {
		for (const text of [
			"FFFF0301FF112D1EFF800000",
			"07EAFF01FF112D1EFF800000",
			"07EAFD01FF112D1EFF800000",
			"07EA03FEFF112D1EFF800000",
			"07EA021DFF112D1EFF800000",
			"07EA0020FF112D1EFF800000",
			"07EA0D01FF112D1EFF800000",
			"07EA0400FF112D1EFF800000",
			"07EA041FFF112D1EFF800000",
			"07EA0301FF182D1EFF800000",
			"07EA0301FF113C1EFF800000",
			"07EA0301FF112D3CFF800000",
			"07EA0301FF112D1E64800000",
			"27100301FF112D1EFF800000",
		])
			assert.equal(moment(text), text);
	});

	it("are shown correctly for any time and any deviation", () => {
		const zone = fc.option(fc.integer({ min: -840, max: 840 }));
		const parts = fc.tuple(
			fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
			fc.integer({ min: 0, max: 99 }),
			zone,
			fc.boolean(),
		);
		fc.assert(
			fc.property(parts, ([date, hundredths, minutes, swapped]) => {
				const size = Math.abs(minutes ?? 0);
				const two = (value: number) => String(value).padStart(2, "0");
				const sign = minutes !== null && minutes < 0 ? "-" : "+";
				const offset = minutes === null ? "" : `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
				const text = `${date.toISOString().slice(0, 19)}${hundredths > 0 ? `.${two(hundredths)}` : ""}${offset}`;
				const bytes = Buffer.alloc(14, 0xff);
				bytes.writeUInt16BE(date.getUTCFullYear(), 1);
				bytes.set([date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay() || 7], 3);
				bytes.set([date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), hundredths], 6);
				bytes.writeInt16BE(minutes === null ? -0x8000 : swapped ? minutes : -minutes, 10);
				const back = new Uint8Array(40);
				const end = putDateTime({ bytes, start: 1, swapped }, back, 3);
				assert.equal(Buffer.from(back.subarray(3, end)).toString(), text.replace("-00:00", "+00:00"));
			}),
			seeded,
		);
	});
});
