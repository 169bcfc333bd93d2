/** Lists without OBIS codes: the rows that describe the element at each position. */
import assert from "node:assert/strict";
import {
	ANY_LENGTH,
	describeList,
	findRowError,
	ROW_ELEMENT,
	ROW_END,
	ROW_MAKER,
	ROW_MAY_END,
	RowReader,
} from "../../modules/dlms/lists.js";
import { Household } from "../../tools/meter/household.js";
import { hdlcPush } from "../../tools/meter/push-frames.js";
import { dlmsTelegram } from "../../tools/meter/push-telegrams.js";
import { PushBed } from "../cosem/push-bed.js";
import { recordsOf } from "../meter/records.js";
import { type Element, elementsOf, fitting, KNOWN_ROWS, listOf, makersOf, notification, sealedList } from "./lists.js";

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));

const KEY = Buffer.alloc(16, 1);

/** The records of the list, or the code of the failure; it is ciphered if it comes from a maker. */
function read(elements: readonly Element[], rows = "", maker?: string): readonly string[] | string {
	const plain = notification(elements);
	const apdu = maker === undefined ? plain : sealedList(plain, KEY, maker);
	const bed = new PushBed({ rows, ...(maker === undefined ? {} : { encryptionKey: KEY }) });
	const [outcome] = bed.take(hdlcPush(apdu));
	return typeof outcome === "string" ? outcome : recordsOf(outcome.records);
}

describe("rows of lists without codes", () => {
	it("consist of makers, elements with or without a code, and ends", () => {
		const reader = new RowReader("  My_meter: ABC 090c(2021)=0-0:1.0.0 06=1.8.0  12=7-1:3.0.2e-9*13 | 09 ");
		assert.equal(reader.next(), ROW_MAKER);
		assert.ok(reader.isMaker(Buffer.from("xABCD"), 1) && !reader.isMaker(Buffer.from("ABD"), 0));
		const words = [];
		for (let kind = reader.next(); kind !== ROW_END; kind = reader.next()) {
			const { tag, length, hasCode, code, scaler, unit } = reader;
			words.push(kind === ROW_ELEMENT ? [tag, length, ...(hasCode ? [code.join(), scaler, unit] : [])] : kind);
		}
		assert.deepEqual(words, [
			[9, 12, "0,0,1,0,0,255", 0, 255],
			[6, ANY_LENGTH, "1,0,1,8,0,255", 0, 255],
			[0x12, ANY_LENGTH, "7,1,3,0,2,255", -9, 13],
			ROW_MAY_END,
			[9, ANY_LENGTH],
		]);
	});

	it("are valid if all words are, and if each row has a code", () => {
		for (const rows of ["06=1.8.0", "06=1.8.0;ABC 09 06=1.8.0e9*255; 06=1.8.0", "06=1.8.0 |", "x: 06(a)=255-255:0.0.0"])
			assert.equal(findRowError(rows), -1, rows);
	});

	it("are invalid otherwise, and the error is at the invalid word", () => {
		const cases: [before: string, wrong: string][] = [
			["06", ""],
			["ABC", ""],
			["", ""],
			["06=1.8.0;", ""],
			["", ";06=1.8.0"],
			["06=1.8.0;", "06=1.8"],
			["", "A"],
			["06=1.8.0 ", "A"],
			["", "6=1.8.0"],
			["", "06=1.8.0.1"],
			["", "06=256.8.0"],
			["", "06=1-1.8.0"],
			["", "06=1.8.0e10"],
			["", "06=1.8.0e"],
			["", "06=1.8.0*"],
			["", "06="],
			["06=1.8.0 ", "0"],
			["", "06(5=1.8.0"],
			["06=1.8.0 ", "x"],
			["06=1.8.0 ", "|06"],
		];
		for (const [before, wrong] of cases) {
			const at = findRowError(before + wrong);
			assert.ok(at >= before.length && at <= before.length + wrong.length, `${before}>${wrong}<: ${at}`);
		}
	});

	it("of the known lists are valid, and each fits only its own lists", () => {
		for (const row of KNOWN_ROWS)
			for (const elements of listOf(row)) assert.deepEqual(fitting(elements, makersOf(row)[0]), [row], row);
	});

	for (const row of KNOWN_ROWS) {
		it(`read a list of all its elements, and no list that differs in one: ${row.slice(0, 60)}`, () => {
			const [maker] = makersOf(row);
			for (const elements of listOf(row)) {
				const expected = elements.flatMap(({ record }) => record ?? []);
				assert.deepEqual(read(elements, "", maker), expected);
				for (let i = 0; i < elements.length; i++) {
					const others = [
						elements.filter((_, at) => at !== i),
						elements.with(i, { bytes: hex("05 00000001") }),
						elements.toSpliced(i, 0, { bytes: hex("06 00000001") }),
					];
					for (const other of others) {
						const [fits] = fitting(other, maker);
						const outcome = read(other, "", maker);
						assert.equal(typeof outcome === "string", fits === undefined, `${outcome} with another element ${i}`);
					}
				}
			}
		});
	}
});

describe("rows of the user", () => {
	const elements = elementsOf("0a 03414243 06 0000007b 12 08fc 05 fffffff6 06 00000001");

	it("read a list of their form, with codes, scalers and units of their own", () => {
		const row = "0a=0-0:96.1.0 06=1.8.0e1 12=32.7.0e-1 05=16.7.0*27 06=7-0:3.0.0e-2*13";
		assert.deepEqual(read(elements, row), [
			"0-0:96.1.0*255: ABC",
			"1-0:1.8.0*255: 1230*Wh",
			"1-0:32.7.0*255: 230.0*V",
			"1-0:16.7.0*255: -10*W",
			"7-0:3.0.0*255: 0.01*m3",
		]);
		assert.equal(read(elements), "dlms-push/no-codes");
	});

	it("come before the known rows, and the first that fits is used", () => {
		const [list] = listOf("06=1.7.0");
		assert.deepEqual(read(list), ["1-0:1.7.0*255: 1*W"]);
		assert.deepEqual(read(list, "06 06=1.8.0; 06=2.7.0;06=3.7.0"), ["1-0:2.7.0*255: 1*W"]);
	});

	it("fit only their maker's lists if they name one, by its title or by the first string", () => {
		const named = elementsOf("09 03515253 06 00000001");
		for (const [rows, fits] of [
			["QRS 09 06=1.8.0", true],
			["ABC QRS 09 06=1.8.0", true],
			["ABC 09 06=1.8.0", false],
		] as const)
			assert.deepEqual(read(named, rows), fits ? ["1-0:1.8.0*255: 1*Wh"] : "dlms-push/no-codes");
	});

	it("may name fewer elements than the list has, and then fit no other list", () => {
		const rows = "06=1.8.0 | 06 06=2.8.0";
		const long = elementsOf("06 00000001 06 00000002 06 00000003");
		assert.deepEqual(read(long, rows), ["1-0:1.8.0*255: 1*Wh", "1-0:2.8.0*255: 3*Wh"]);
		assert.deepEqual(read(long.slice(0, 1), rows), ["1-0:1.8.0*255: 1*Wh"]);
		assert.equal(read(long.slice(0, 2), rows), "dlms-push/no-codes");
	});

	it("can be made from the description of an unknown list, to which only codes are added", () => {
		const bed = new PushBed();
		assert.deepEqual(bed.take(hdlcPush(notification(elements))), ["dlms-push/no-codes"]);
		const seen = describeList(bed.settings.seenList);
		assert.equal(seen, "0a(ABC) 06(123) 12(2300) 05(-10) 06(1)");
		assert.deepEqual(read(elements, seen.replace("06(123)", "06(123)=1.8.0")), ["1-0:1.8.0*255: 123*Wh"]);
	});
});

it("the simulated meter's list without codes is read", () => {
	const reading = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 }).reading(0);
	const [outcome] = new PushBed().take(dlmsTelegram(reading, { framing: "hdlc", isNameless: true }));
	assert.ok(typeof outcome === "object", `${outcome}`);
	const values = [
		["1.8.0", (reading.dayImport + reading.nightImport) * 1000, "Wh"],
		["2.8.0", reading.export * 1000, "Wh"],
		["3.8.0", reading.reactive * 1000, "varh"],
		["4.8.0", 0, "varh"],
		["1.7.0", Math.max(reading.power, 0), "W"],
		["2.7.0", Math.max(-reading.power, 0), "W"],
	] as const;
	assert.deepEqual(
		recordsOf(outcome.records).slice(2),
		values.map(([code, value, unit]) => `1-0:${code}*255: ${Math.round(value)}*${unit}`),
	);
});

describe("the description of a list", () => {
	it("replaces spaces and the marks of a row in values, and has the length of octet strings", () => {
		assert.equal(describeList(hex("0203 0904 61202962 090100 1601")), "0904(a__b) 0901(00) 16(1)");
	});
	it("ends at its limit, and at the end of a list that was cut", () => {
		const long = describeList(Uint8Array.from([1, 126, ...Array(126).fill([6, 0, 0, 0, 200]).flat()]));
		assert.ok(long.length === 1000, long);
		assert.equal(describeList(hex("0203 06 00000001 06 0000")), "06(1)");
		assert.equal(describeList(new Uint8Array(0)), "");
	});
});

it("a text of six characters in a list without codes is not taken for a code", () => {
	assert.equal(read(elementsOf("09 06313630343536 06 00000571 06 00000001")), "dlms-push/no-codes");
});
