import assert from "node:assert/strict";
import fc from "fast-check";
import { UNIT_COUNT, unitIndex, unitText } from "../../modules/obis/units.js";
import {
	ADDRESS_LIMIT,
	PART_ADDRESS,
	PART_UNIT,
	PART_VALUE,
	RecordWriter,
	RUNNING_LIMIT,
	UNIT_LIMIT,
	VALUE_LIMIT,
} from "../../modules/readout/record-writer.js";
import { bytesOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";

interface DataSet {
	readonly address: string;
	readonly values: readonly { readonly text: string; readonly unit: string }[];
}

/** Passes a set to the writer as the parser does, texts in pieces of `piece`. */
function put(writer: RecordWriter, { address, values }: DataSet, piece = 64): void {
	const text = (part: number, characters: string): void => {
		const bytes = bytesOf(`<<${characters}>>`);
		for (let at = 2; at < bytes.length - 2; at += piece) {
			writer.text(part, bytes, at, Math.min(bytes.length - 2, at + piece));
		}
	};
	writer.beginLine();
	writer.beginSet();
	text(PART_ADDRESS, address);
	for (const value of values) {
		writer.beginValue();
		text(PART_VALUE, value.text);
		text(PART_UNIT, value.unit);
		writer.endValue();
	}
}

function written(sets: readonly DataSet[], piece?: number): RecordWriter {
	const writer = new RecordWriter();
	writer.begin();
	for (const set of sets) put(writer, set, piece);
	writer.endBlock(true);
	return writer;
}

/** The unit as it is kept: without the blanks after a known unit. */
function kept(unit: string): string {
	const trimmed = unit.replace(/ +$/, "");
	return unitIndex(bytesOf(trimmed), 0, trimmed.length) >= 0 ? trimmed : unit;
}

function shown({ address, values }: DataSet): string {
	return `${address}: ${values.map(({ text, unit }) => (unit === "" ? text : `${text}*${kept(unit)}`)).join(", ")}`;
}

function one(text: string, unit = "", address = "1.8.0"): DataSet {
	return { address, values: [{ text, unit }] };
}

const printable = fc.integer({ min: 0x20, max: 0x7e }).map((character) => String.fromCharCode(character));
const anyText = (maxLength: number, minLength = 0): fc.Arbitrary<string> =>
	fc
		.oneof(
			fc.array(printable, { minLength, maxLength }),
			fc.array(fc.constantFrom(..."0123456789.-:, "), { minLength, maxLength }),
			fc.array(fc.constantFrom(..."0123456789ABCDEF"), { minLength, maxLength }),
		)
		.map((characters) => characters.join(""));
const group = fc.integer({ min: 0, max: 255 });
const code = fc
	.tuple(fc.option(fc.tuple(group, group)), fc.oneof(group, fc.constantFrom("C", "F", "L", "P")), group, group)
	.map(([channel, c, d, e]) => `${channel === null ? "" : `${channel[0]}-${channel[1]}:`}${c}.${d}.${e}`);
const knownUnit = fc.integer({ min: 0, max: UNIT_COUNT - 1 }).map(unitText);
const dataSet: fc.Arbitrary<DataSet> = fc.record({
	address: fc.oneof(code, anyText(ADDRESS_LIMIT, 1)),
	values: fc.array(fc.record({ text: anyText(40), unit: fc.oneof(knownUnit, anyText(UNIT_LIMIT, 1)) }), {
		minLength: 1,
		maxLength: 6,
	}),
});

describe("packed records", () => {
	it("return all data sets with any text, however they were split", () => {
		fc.assert(
			fc.property(fc.array(dataSet, { maxLength: 15 }), fc.integer({ min: 1, max: 70 }), (sets, piece) => {
				const writer = written(sets, piece);
				fc.pre(!writer.overflow);
				assert.equal(writer.records, sets.length);
				assert.deepEqual(recordsOf(writer.kept), sets.map(shown));
			}),
			{ numRuns: 500 },
		);
	});
	it("return every known unit, and a missing one", () => {
		const sets = [one("1")];
		for (let unit = 0; unit < UNIT_COUNT; unit++) sets.push(one("1", unitText(unit)));
		assert.deepEqual(recordsOf(written(sets).kept), sets.map(shown));
	});
	it("return a known unit without the blanks after it, and any other unit unchanged", () => {
		const records = recordsOf(
			written([one("1", "kWh "), one("2", "kWh  "), one("3", " kWh"), one("4", "wat "), one("5", " ")]).kept,
		);
		assert.deepEqual(records, ["1.8.0: 1*kWh", "1.8.0: 2*kWh", "1.8.0: 3* kWh", "1.8.0: 4*wat ", "1.8.0: 5* "]);
	});
	it("return texts of every length, in every kind of packing", () => {
		for (let length = 0; length <= 40; length++) {
			const sets = ["7", "-", "A", "z"].map((character) => one(character.repeat(length), "kWh"));
			assert.deepEqual(recordsOf(written(sets).kept), sets.map(shown));
		}
	});
	it("return each address as it was sent, with leading zeros and letters, even if it is not an OBIS code", () => {
		const sets = [
			"1-0:1.8.0*255",
			"01.08.00",
			"1.8.0*01",
			"1.8.0*1",
			"1.8.0&12",
			"F.F",
			"0.5.1.2",
			"FF",
			"1-0:1",
			"x y",
		]
			.concat(["1.8.0*001", "F.97", "C.51.2*01", "0-0:96.7.19", "256.1.1", "1.8.0*", " "])
			.map((address) => one("1", "V", address));
		assert.deepEqual(recordsOf(written(sets).kept), sets.map(shown));
	});
	it(`accept a value of ${VALUE_LIMIT} characters, and drop a longer one`, () => {
		for (const length of [VALUE_LIMIT - 1, VALUE_LIMIT, VALUE_LIMIT + 1]) {
			for (const character of ["7", "z"]) {
				const long = one(character.repeat(length), "kWh", "0.0.0");
				const writer = written([one("1"), long, one("2")]);
				const fits = length <= VALUE_LIMIT;
				assert.equal(writer.overflow, !fits);
				assert.deepEqual(recordsOf(writer.kept), (fits ? [one("1"), long, one("2")] : [one("1"), one("2")]).map(shown));
			}
		}
	});
	it(`accept a unit of ${UNIT_LIMIT} characters, and drop a value with a longer unit`, () => {
		for (const length of [UNIT_LIMIT - 1, UNIT_LIMIT, UNIT_LIMIT + 1]) {
			const writer = written([one("5", "u".repeat(length))]);
			assert.equal(writer.overflow, length > UNIT_LIMIT);
			assert.equal(recordsOf(writer.kept).length, length > UNIT_LIMIT ? 0 : 1);
		}
	});
	it("keep the values of a data set before a broken one, and none after it", () => {
		const writer = new RecordWriter();
		writer.begin();
		put(writer, one("1"));
		writer.beginValue();
		writer.text(PART_VALUE, bytesOf("12"), 0, 2);
		writer.discardSet();
		writer.beginValue();
		writer.text(PART_VALUE, bytesOf("13"), 0, 2);
		writer.endValue();
		put(writer, one("2"));
		writer.endBlock(true);
		assert.deepEqual(recordsOf(writer.kept), ["1.8.0: 1", "1.8.0: 2"]);
	});
	it("drop a discarded line, and also the value that it added to the set before it", () => {
		const writer = new RecordWriter();
		writer.begin();
		put(writer, one("1"));
		writer.beginLine();
		writer.beginValue();
		writer.text(PART_VALUE, bytesOf("2"), 0, 1);
		writer.endValue();
		writer.beginSet();
		writer.text(PART_ADDRESS, bytesOf("2.8.0"), 0, 5);
		writer.beginValue();
		writer.endValue();
		assert.equal(writer.records, 2);
		writer.discardLine();
		assert.equal(writer.records, 1);
		put(writer, one("3"));
		writer.endBlock(true);
		assert.deepEqual(recordsOf(writer.kept), ["1.8.0: 1", "1.8.0: 3"]);
	});
	it("are empty when a block begins, while the kept records of the previous block stay", () => {
		const writer = written([one("1"), one("2")]);
		const { kept } = writer;
		writer.begin();
		assert.equal(writer.records, 0);
		put(writer, one("3"));
		assert.deepEqual(recordsOf(kept), ["1.8.0: 1", "1.8.0: 2"]);
		writer.endBlock(false);
		assert.deepEqual(recordsOf(writer.kept), ["1.8.0: 3"]);
		assert.equal(writer.keptIsGood, false);
	});
	it("use the unit of the current value for a past billing period without a unit", () => {
		const sets = [
			one("5", "kWh"),
			one("4", "", "1.8.0*01"),
			one("3", "Wh", "1.8.0*02"),
			one("2", "", "1.8.0&03"),
			one("1", "", "2.8.0*01"),
		];
		assert.deepEqual(
			recordsOf(written(sets).kept).map((record) => record.split("*").at(-1)),
			["kWh", "kWh", "Wh", "kWh", "01: 1"],
		);
	});
	it("may have more values for a past billing period than for the current one", () => {
		const values = (...texts: string[]) => texts.map((text) => ({ text, unit: "" }));
		const sets = [
			{ address: "96.71", values: values("00-00-00,00:00", "0") },
			{ address: "96.71*1", values: values("11-11-11,11:11", "1", "2", "zz") },
		];
		assert.deepEqual(recordsOf(written(sets).kept), sets.map(shown));
	});
});

describe("a full buffer", () => {
	const shapes: readonly DataSet[] = [
		one("1"),
		one("123456.789", "kWh"),
		one("zzzzzzzzzzzzzzzzzzzz", "furlong"),
		one("", "", "1.8.0"),
		one("1", "V", "an address that is not a code, of some length"),
		one("9".repeat(300), "kWh"),
		one("z".repeat(300), "u".repeat(UNIT_LIMIT)),
		{
			address: "1.6.0",
			values: Array.from({ length: 8 }, (_, i) => ({ text: `${i}`.repeat(i), unit: i & 1 ? "kW" : "x" })),
		},
	];

	it("keeps all records that fit unchanged, wherever the buffer becomes full", () => {
		for (const shape of shapes) {
			for (let left = 0; left < 420; left += left < 80 ? 1 : 7) {
				const filler = fill(RUNNING_LIMIT - left);
				const writer = written([...filler, shape, one("end", "V")]);
				assert.ok((writer.kept?.length ?? 0) <= RUNNING_LIMIT);
				assertPart(recordsOf(writer.kept), [...filler, shape, one("end", "V")], writer.overflow);
			}
		}
	}).timeout(120_000);

	it("is handled even with empty values only, in one set or in many", () => {
		const many = {
			address: "1.8.0",
			values: Array.from({ length: RUNNING_LIMIT + 100 }, () => ({ text: "", unit: "" })),
		};
		const sets = Array.from({ length: RUNNING_LIMIT }, (_, i) => one("", "", `1.${i % 2}.0`));
		for (const given of [[many], sets]) {
			const writer = written(given);
			assert.equal(writer.overflow, true);
			assert.ok((writer.kept?.length ?? 0) <= RUNNING_LIMIT);
			assert.equal(recordsOf(writer.kept).length, writer.records);
			assertPart(recordsOf(writer.kept), given, true);
		}
	});

	/** Makes sets of up to `size` packed bytes; each takes a head of 4 bytes, then its text. */
	function fill(size: number): DataSet[] {
		const sets: DataSet[] = [];
		let left = size;
		for (; left > 1100; left -= 1007) sets.push(one("z".repeat(1000)));
		if (left > 30) sets.push(one("z".repeat(left - 7)));
		return sets;
	}

	/** Asserts that each set is in `records` with all its values, with its first values only, or not at all. */
	function assertPart(records: readonly string[], sets: readonly DataSet[], overflow: boolean): void {
		const whole = sets.map(shown);
		let at = 0;
		for (const record of records) {
			while (at < whole.length && whole[at] !== record && !whole[at].startsWith(`${record}, `)) at++;
			assert.ok(at < whole.length, `kept ${record.slice(0, 60)}`);
			if (record !== whole[at]) assert.equal(overflow, true);
			at++;
		}
		if (records.length < sets.length) assert.equal(overflow, true);
	}

	it("never exceeds its limit, whatever the data sets", () => {
		const heavy = fc.array(dataSet, { minLength: 100, maxLength: 200 });
		fc.assert(
			fc.property(heavy, (sets) => {
				const writer = written(sets);
				const records = recordsOf(writer.kept);
				assert.ok((writer.kept?.length ?? 0) <= RUNNING_LIMIT);
				assert.equal(records.length, writer.records);
				assertPart(records, sets, writer.overflow);
			}),
			{ numRuns: 30 },
		);
	}).timeout(120_000);
});
