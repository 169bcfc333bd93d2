import assert from "node:assert/strict";
import fc from "fast-check";
import { RecordCursor } from "../../modules/readout/record-cursor.js";
import { packedReadings } from "../meter/packed.js";
import { recordsOf } from "../meter/records.js";
import { packedBlock } from "./block.js";

function records(block: string): string[] {
	return recordsOf(packedBlock(block).kept);
}

function readings(block: string) {
	return packedReadings(packedBlock(block).kept);
}

/** Each record's address, billing period, and unit of the first value. */
function periods(block: string): [string, number | null, string][] {
	return readings(block).map((reading) => [reading.obis_long, reading.billing_period, reading.value1_unit]);
}

describe("a record that begins with a time", () => {
	for (const [what, block, value1, value2, number, unit] of [
		// Peak of the month in Belgium: Smartgrid / Fluvius e-MUCS_P1 1.4, 5.3.
		["a peak in Belgium", "1-0:1.6.0(200717192209S)(02.589*kW)", "02.589", "200717192209S", 2.589, "kW"],
		// Gas: DSMR P1 companion standard 5.0.2, 6.12.
		["gas", "0-1:24.2.1(101209112500W)(12785.123*m3)", "12785.123", "101209112500W", 12785.123, "m3"],
		["gas with a small letter", "0-1:24.2.1(150701190000s)(00086.298*m3)", "00086.298", "150701190000s", 86.298, "m3"],
		["heat", "0-2:24.2.1(101209112500W)(12785.123*GJ)", "12785.123", "101209112500W", 12785.123, "GJ"],
		["gas without summer and winter time", "0-1:24.2.1(101209112500)(1.5*m3)", "1.5", "101209112500", 1.5, "m3"],
		["gas that was never read", "0-1:24.2.1(632525252525S)(00000.000)", "00000.000", "632525252525S", null, ""],
	] as const) {
		it(`is returned with its number and unit first, and the time second: ${what}`, () => {
			const [reading] = readings(block);
			assert.deepEqual(
				[reading.value1, reading.value2, reading.value1_number, reading.value1_unit, reading.value2_unit],
				[value1, value2, number, unit, undefined],
			);
		});
	}
	it("may have its unit before its number, as in DSMR 2.2, on one line or two", () => {
		for (const lineEnd of ["\r\n", ""]) {
			const [reading] = readings(
				`0-1:24.3.0(090212160000)(00)(60)(1)(0-1:24.2.1)(m3)${lineEnd}(00001.001)\r\n0-1:24.4.0(1)`,
			);
			assert.deepEqual(
				[reading.value1, reading.value2, reading.value1_number, reading.value1_unit],
				["00001.001", "090212160000", 1.001, "m3"],
			);
			assert.deepEqual(reading.values, ["00", "60", "1", "0-1:24.2.1", "m3"]);
		}
	});
	it("is not recognised in a similar record", () => {
		for (const block of [
			// The time is in second place, as specified.
			"1.6.0(02.589*kW)(200717192209)",
			// The first value is a number of twelve digits, has no valid month, has a unit, ends in another letter, or is a
			// count.
			"0.0.0(123456789012)(5)",
			"0.0.0(129956789012)(5*kWh)",
			"1.8.0(101209112500*Wh)(5*kWh)",
			"0-1:24.2.1(101209112500X)(5*m3)",
			"1-0:99.97.0(2)(0-0:96.7.19)(170609063239S)(0000000267*s)",
			// These have the form of DSMR 2.2 with one value more or less, or without a valid unit, or only a time.
			"0-1:24.3.0(090212160000)(00)(60)(1)(0-1:24.2.1)(m3)",
			"0-1:24.3.0(090212160000)(00)(60)(1)(0-1:24.2.1)(m3)(1)(2)",
			"0-1:24.3.0(090212160000)(00)(60)(1)(0-1:24.2.1)(??)(1)",
			"0-0:1.0.0(101209112500W)",
		]) {
			assert.deepEqual(records(block), [block.replace("(", ": ").replaceAll(")(", ", ").replace(/\)$/, "")], block);
		}
	});
	it("does not disturb the next record, however many of its values were read", () => {
		const block = "0-1:24.2.1(101209112500W)(12785.123*m3)(7)\r\n1.8.0(1*kWh)";
		assert.deepEqual(records(block), ["0-1:24.2.1: 12785.123*m3, 101209112500W, 7", "1.8.0: 1*kWh"]);
		const cursor = new RecordCursor(packedBlock(block).kept ?? new Uint8Array(0));
		for (let looked = 0; looked < 4; looked++) {
			const again = new RecordCursor(packedBlock(block).kept ?? new Uint8Array(0));
			again.nextRecord();
			for (let i = 0; i < looked; i++) again.nextValue();
			again.nextRecord();
			assert.equal(again.code.c, 1);
		}
		cursor.nextRecord();
		cursor.nextValue();
		cursor.rewind();
		cursor.nextValue();
		assert.deepEqual([cursor.length, cursor.unit], [9, "m3"]);
	});
	it("has no unit at its time if it is a record of a past billing period", () => {
		const block = "1.6.0(200717192209S)(02.589*kW)\r\n1.6.0*01(200617192209S)(02.4*kW)";
		assert.deepEqual(records(block)[1], "1.6.0*01: 02.4*kW, 200617192209S");
	});
});

describe("a code with *00", () => {
	it("is the total if the meter sends that code in no other form", () => {
		// Source: Pafal 12EC3g and Apator 12EC3, from Tasmota's and SmartHomeNG's documentation.
		const block = "0.0.0(72044837)\r\nF.F(00)\r\n1.8.0*00(000783.16)\r\n1.8.1*00(000700.10)\r\n2.8.0*00(000045.38)";
		assert.deepEqual(periods(block).slice(2), [
			["1.8.0*00", null, ""],
			["1.8.1*00", null, ""],
			["2.8.0*00", null, ""],
		]);
		assert.deepEqual(
			readings(block).map(({ obis }) => obis),
			["0.0.0", "F.F", "1.8.0", "1.8.1", "2.8.0"],
		);
		assert.deepEqual(periods("1.8.0*00(000783.16*kWh)"), [["1.8.0*00", null, "kWh"]]);
	});
	it("is a billing period if any such code occurs in another form, before or after it", () => {
		for (const [block, unit] of [
			["1.8.0(1*kWh)\r\n1.8.0*00(2)", "kWh"],
			["1.8.0*00(2)\r\n1.8.0(1*kWh)", ""],
			["1.8.0*00(2)\r\n2.8.0*00(2)\r\n2.8.0(1*kWh)", ""],
			["1.8.0*00(2)\r\n1.8.0*01(1*kWh)", ""],
			["1.8.0*00(2)\r\n1.8.0*00(2)", ""],
			["1.8.0*00(2)\r\n1.8.0&00(2)", ""],
		] as const) {
			const zero = periods(block).find(([address]) => address === "1.8.0*00");
			assert.deepEqual(zero, ["1.8.0*00", 0, unit], block);
		}
	});
	it("is a billing period if it was closed by hand (&00), or if F has one digit (*0)", () => {
		assert.deepEqual(periods("1.8.0&00(2)\r\n2.8.0*0(2)\r\n3.8.0*255(1)"), [
			["1.8.0&00", 0, ""],
			["2.8.0*0", 0, ""],
			["3.8.0", null, ""],
		]);
	});
	it("is a billing period if more than 16 codes have it", () => {
		const list = (count: number) => Array.from({ length: count }, (_, i) => `1.8.${i}*00(1)`).join("\r\n");
		assert.deepEqual(new Set(periods(list(16)).map(([, period]) => period)), new Set([null]));
		assert.deepEqual(new Set(periods(list(17)).map(([, period]) => period)), new Set([0]));
	});
	it("does not take the unit of another record, and gives none to a billing period", () => {
		const block = "1.8.0*00(1*kWh)\r\n1.7.0(2*kW)\r\n1.6.0(3*kW)\r\n1.6.0*01(4)";
		assert.deepEqual(periods(block), [
			["1.8.0*00", null, "kWh"],
			["1.7.0", null, "kW"],
			["1.6.0", null, "kW"],
			["1.6.0*01", 1, "kW"],
		]);
	});
});

describe("a load profile", () => {
	// A head as in VDEW's specification 2.1.2: time, status, minutes, number of columns, then code and unit of each
	// column.
	const HEAD = "P.01(1705231515)(00000000)(15)(2)(1.5)(kW)(5.5)(kvar)";

	it("consists of one record for its head and one for each row, with the units of the columns", () => {
		const block = `1.8.0(1*kWh)\r\n${HEAD}\r\n(0.1234)(0.5)\r\n(0.2)(0.6)\r\n2.8.0(1*kWh)\r\n(7)`;
		assert.deepEqual(records(block), [
			"1.8.0: 1*kWh",
			"P.01: 1705231515, 00000000, 15, 2, 1.5, kW, 5.5, kvar",
			"P.01: 0.1234*kW, 0.5*kvar",
			"P.01: 0.2*kW, 0.6*kvar",
			"2.8.0: 1*kWh, 7",
		]);
		const [, , row] = readings(block);
		assert.deepEqual([row.value1_number, row.value1_unit, row.value2, row.value2_unit], [0.1234, "kW", "0.5", "kvar"]);
		assert.deepEqual([row.obis, row.billing_period], ["P.01", null]);
	});
	it("may have a new head after each gap, and an address in digits", () => {
		const other = "1-0:99.1.0(1705231600)(80)(15)(1)(2.5)(A)";
		const block = `${HEAD}\r\n(1)(2)\r\n${HEAD.replace("kW", "V")}\r\n(3)(4)\r\n${other}\r\n(5)(6)`;
		assert.deepEqual(
			records(block).filter((record) => !record.includes("00000000")),
			["P.01: 1*kW, 2*kvar", "P.01: 3*V, 4*kvar", "1-0:99.1.0: 1705231600, 80, 15, 1, 2.5, A", "1-0:99.1.0: 5*A, 6"],
		);
	});
	it("has one record for its head and for each row, on however many lines these are", () => {
		const [first, second] = ["P.01: 1*kW, 2*kvar", "P.01: 3*kW, 4*kvar"];
		const head = records(HEAD)[0];
		for (const block of [
			`${HEAD}\r\n(1)\r\n(2)\r\n(3)\r\n(4)`,
			`${HEAD.replace("(5.5)", "\r\n(5.5)")}\r\n(1)(2)\r\n(3)(4)`,
		])
			assert.deepEqual(records(block), [head, first, second]);
		const again = `${HEAD}\r\n(1)(2)\r\n${HEAD.replace("P.01", "")}\r\n(3)(4)`;
		assert.deepEqual(records(again), [head, first, head, second]);
	});
	it("may have rows that begin like a head", () => {
		for (const row of [
			"(1705231515)(5)",
			"(201399123456)(1)(2)(2)",
			"(1705231515)(1)(2)(3)",
			"(17052315.5)(1)(2)(2)",
		]) {
			const all = records(`${HEAD}\r\n${row}\r\n(3)(4)`);
			assert.equal(all.length, 3, row);
			assert.match(all[1], /^P\.01: [0-9.]+\*kW, /, row);
		}
	});
	it("has the unit of each column in its rows", () => {
		const head = "P.01(1705231515)(00)(15)(4)(1.5)(kW)(5.5)(kvar)(32.7)(V)(C.1)()";
		const [, row] = readings(`${head}\r\n(1)(2)(3)(4)`);
		assert.deepEqual(
			[row.value1_unit, row.value2_unit, row.values, row.values_units],
			["kW", "kvar", ["3", "4"], ["V", ""]],
		);
	});
	it("has no units if its head contains no valid ones", () => {
		assert.deepEqual(records("P.01(1)(2)\r\n(3)(4)"), ["P.01: 1, 2", "P.01: 3, 4"]);
		assert.deepEqual(records("P.98(1)(2)(3)(1)(0.0.0)(??)\r\n(3)(4)").at(-1), "P.98: 3, 4");
	});
	it("is cut after a hundred rows; the records after it are read, and the readout reports the overflow", () => {
		const rows = (count: number) => Array.from({ length: count }, (_, i) => `(${i})(0.5)`).join("\r\n");
		for (const count of [100, 101, 3000]) {
			const writer = packedBlock(`${HEAD}\r\n${rows(count)}\r\n1.8.0(1*kWh)`);
			assert.equal(writer.overflow, count > 100);
			const all = recordsOf(writer.kept);
			assert.equal(all.length, 102);
			assert.deepEqual([all[100], all[101]], ["P.01: 99*kW, 0.5*kvar", "1.8.0: 1*kWh"]);
		}
	});
	it("loses a damaged row and all rows after it, but nothing before", () => {
		const writer = packedBlock(`${HEAD}\r\n(1)(2)\r\n(3)(\xb4)\r\n(5)(6)\r\n1.8.0(1)`);
		assert.deepEqual(recordsOf(writer.kept).slice(1), ["P.01: 1*kW, 2*kvar", "1.8.0: 1"]);
		assert.equal(writer.overflow, true, "the readout reports the overflow");
		assert.deepEqual(recordsOf(packedBlock(`1.8.0(1)\r\n\xd0.01(1)(2)\r\n(3)(4)`).kept), ["1.8.0: 1"]);
	});
});

describe("the values of a record", () => {
	it("are cut after 64; the next records are read, and the readout reports the overflow", () => {
		const values = (count: number) => Array.from({ length: count }, (_, i) => `(${i})`).join("");
		for (const count of [64, 65, 1000]) {
			const writer = packedBlock(`P.01${values(count)}\r\n1.8.0(1)`);
			assert.equal(writer.overflow, count > 64);
			const [first, second] = recordsOf(writer.kept);
			assert.equal(first.split(", ").length, 64);
			assert.equal(second, "1.8.0: 1");
		}
		const lines = packedBlock(`1.8.0(1)${"\r\n(2)(3)".repeat(40)}\r\n2.8.0(1)`);
		assert.deepEqual([lines.overflow, recordsOf(lines.kept).length], [true, 2]);
	});
	it("do not depend on how the block is split, and are exactly those of the block", () => {
		const text = fc.oneof(
			fc.constantFrom("101209112500W", "101209112500", "1.5", "m3", "kW", "", "090212160000", "632525252525S"),
			fc.array(fc.constantFrom(..."0123456789SW.-"), { maxLength: 14 }).map((characters) => characters.join("")),
		);
		const value = fc
			.tuple(text, fc.constantFrom("", "", "*kWh", "*m3", "*q"))
			.map(([text, unit]) => `(${text}${unit})`);
		const address = fc.constantFrom(
			"",
			"1.8.0",
			"1.8.0*00",
			"1.8.0*01",
			"2.8.0*00",
			"P.01",
			"0-1:24.2.1",
			"1.6.0",
			"x",
		);
		const line = fc
			.tuple(address, fc.array(value, { minLength: 1, maxLength: 9 }))
			.map(([name, values]) => name + values.join(""));
		fc.assert(
			fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (lines, piece) => {
				const block = lines.join("\r\n");
				const writer = packedBlock(block, piece);
				assert.deepEqual(writer.kept, packedBlock(block).kept);
				const bare = (list: string[]) => list.map((one) => one.replace(/\*.*$/, "")).sort();
				const sent = [...block.matchAll(/\(([^)]*)\)/g)].map(([, sentText]) => sentText);
				const shown = recordsOf(writer.kept).flatMap((record) => record.slice(record.indexOf(": ") + 2).split(", "));
				assert.deepEqual(bare(shown), bare(sent));
			}),
			{ numRuns: 500 },
		);
	});
});
