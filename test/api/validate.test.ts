/**
 * Tests of ObjectReader. Lists in pieces of any size give the same results as with a reader of whole objects. Also long
 * texts and lenient fields.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { BodyTable, LongText } from "../../modules/api/body.js";
import { ObjectReader } from "../../modules/api/validate.js";
import { BOOLEAN, field, INTEGER, type Setting, TEXT } from "../../modules/config/schema.js";
import { DLMS_OBIS_BODY } from "../../modules/parts/meter/routes/dlms.js";
import { textCodec } from "../config/memory-storage.js";

interface Outcome {
	readonly values: readonly (Setting | undefined)[];
	readonly code: string;
	readonly field: string | undefined;
}

function read(table: BodyTable, json: string, sizes: readonly number[] = [], openText?: () => LongText): Outcome {
	const bytes = Buffer.from(json);
	const outcomes: Outcome[] = [];
	const reader = new ObjectReader(
		table,
		textCodec,
		(values, code, message, name) => {
			assert.equal(message === "", code === "");
			outcomes.push({ values: table.fields.map((one) => values.get(one)), code, field: name });
		},
		openText,
	);
	for (let at = 0, i = 0; at < bytes.length; i++) {
		const end = Math.min(bytes.length, at + (sizes.length === 0 ? bytes.length : sizes[i % sizes.length]));
		reader.write(bytes, at, end);
		at = end;
	}
	reader.end();
	assert.equal(outcomes.length, 1);
	return outcomes[0];
}

/** Expected error: code and field of the first wrong entry. */
function expected(entries: readonly unknown[]): { code: string; field?: string } {
	let missing = "";
	for (const [i, entry] of entries.entries()) {
		if (i === 32 || typeof entry !== "object" || entry === null || Array.isArray(entry)) {
			return { code: "invalid_field", field: "entries" };
		}
		const object = entry as Record<string, unknown>;
		for (const [name, value] of Object.entries(object)) {
			const isByte = (one: unknown) => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255;
			const isGood =
				name === "code"
					? Array.isArray(value) && value.length === 6 && value.every(isByte)
					: name === "class_id"
						? [1, 3, 4, 5, 8].includes(value as number)
						: name !== "attribute" || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 127);
			if (!isGood) return { code: "invalid_field", field: `entries[${i}].${name}` };
		}
		missing = ["code", "class_id", "attribute"].find((name) => !(name in object)) ?? "";
		if (missing !== "") return { code: "missing_field", field: `entries[${i}].${missing}` };
	}
	return { code: "" };
}

const octet = fc.integer({ min: 0, max: 255 });
const good = fc.record({
	class_id: fc.constantFrom(1, 3, 4, 5, 8),
	x: fc.constantFrom<unknown>(null, 1, "text", [], {}, [1]),
	code: fc.array(octet, { minLength: 6, maxLength: 6 }),
	attribute: fc.integer({ min: 1, max: 127 }),
});
const odd = fc.oneof(
	fc.constantFrom<unknown>(null, 1, "x", true, [], {}, [1], [[]]),
	fc.record(
		{
			code: fc.oneof(
				fc.array(fc.integer({ min: -1, max: 256 }), { maxLength: 7 }),
				fc.constantFrom<unknown>(null, "x", {}),
			),
			class_id: fc.constantFrom<unknown>(1, 2, 3, "3", null, [], {}, 1.5),
			attribute: fc.constantFrom<unknown>(0, 1, 127, 128, "1", null, [2], {}),
		},
		{ requiredKeys: [] },
	),
);
const lists = fc.array(fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd }), { maxLength: 34 });
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 });

describe("api/validate", () => {
	it("reads a list of objects in pieces of any size as a reader of whole objects does", () => {
		fc.assert(
			fc.property(lists, sizes, (entries, pieces) => {
				const { values, code, field: name } = read(DLMS_OBIS_BODY, JSON.stringify({ a: [[]], entries, z: {} }), pieces);
				assert.deepEqual({ code, ...(name === undefined ? {} : { field: name }) }, expected(entries));
				if (code !== "") return;
				const packed = (entries as { code: number[]; class_id: number; attribute: number }[]).flatMap((entry) => [
					...entry.code,
					entry.class_id,
					entry.attribute,
				]);
				assert.deepEqual([...(values[0] as Uint8Array)], [entries.length, ...packed]);
			}),
			{ numRuns: 1500 },
		);
	});

	it("uses the last of two lists, and neither if one is wrong", () => {
		const entry = '{"code":[1,0,1,8,0,255],"class_id":3,"attribute":2}';
		assert.deepEqual([...(read(DLMS_OBIS_BODY, `{"entries":[${entry}],"entries":[]}`).values[0] as Uint8Array)], [0]);
		for (const wrong of ["[1]", "7", "{}", "[{}]"]) {
			assert.notEqual(read(DLMS_OBIS_BODY, `{"entries":${wrong},"entries":[${entry}]}`).code, "");
			assert.notEqual(read(DLMS_OBIS_BODY, `{"entries":[${entry}],"entries":${wrong}}`).code, "");
		}
	});

	it("reports only invalid_json for a truncated list", () => {
		const text = '{"entries":[{"code":[1,0,1,8,0,255],"class_id":9,"attribute":2}]}';
		for (let length = 0; length < text.length; length++)
			assert.equal(read(DLMS_OBIS_BODY, text.slice(0, length)).code, "invalid_json");
		assert.equal(read(DLMS_OBIS_BODY, text).field, "entries[0].class_id");
	});

	const base = { entry: -1, id: 0 };
	const table: BodyTable = {
		fields: [
			field<boolean>({ ...base, name: "on", kind: BOOLEAN }),
			field<number>({ ...base, name: "loose", kind: INTEGER, maximum: 9 }),
			field<string>({ ...base, name: "long", kind: TEXT, maximum: 9 }),
		],
		required: ["on"],
		limit: 9999,
		lenient: ["loose"],
		long: { name: "long", open: () => assert.fail() },
	};

	it("marks a lenient field with an invalid value, even if a valid one follows", () => {
		for (const [text, value] of [
			["", undefined],
			[',"loose":9', 9],
			[',"loose":10', Number.NaN],
			[',"loose":[1]', Number.NaN],
			[',"loose":10,"loose":1', Number.NaN],
			[',"loose":1,"loose":"x"', Number.NaN],
		] as const)
			assert.deepEqual(read(table, `{"on":true${text}}`).values[1], value);
	});

	it("passes on a long text as it arrives, and closes its receiver whatever happens to the body", () => {
		const run = (json: string, isTaken = true) => {
			const log: string[] = [];
			const open = (): LongText => {
				let text = "";
				log.push("open");
				return {
					write: (bytes, start, end) => {
						text += textCodec.decode(bytes, start, end);
					},
					end: () => {
						log.push(`end ${text.length}`);
						return isTaken ? text.length : undefined;
					},
					close: () => log.push("close"),
				};
			};
			const { code, values } = read(table, json, [7], open);
			return [code, values[2], ...log];
		};
		const long = "x".repeat(2000);
		assert.deepEqual(run(`{"long":"${long}","on":true}`), ["", 2000, "open", "end 2000", "close"]);
		assert.deepEqual(run(`{"on":true,"long":""}`), ["", 0, "open", "end 0", "close"]);
		assert.deepEqual(run(`{"on":true}`), ["", undefined]);
		assert.deepEqual(run(`{"long":"${long}"}`), ["missing_field", 2000, "open", "end 2000", "close"]);
		assert.deepEqual(run(`{"long":"${long}","on":7}`), ["invalid_field", 2000, "open", "end 2000", "close"]);
		assert.deepEqual(run(`{"long":"${long}","on":true}`, false), [
			"invalid_field",
			undefined,
			"open",
			"end 2000",
			"close",
		]);
		assert.deepEqual(run(`{"long":"${long}`), ["invalid_json", undefined, "open", "close"]);
		for (const value of ["7", "null", '["x"]', '{"long":"x"}'])
			assert.deepEqual(run(`{"on":true,"long":${value}}`), ["invalid_field", undefined, "open", "close"], value);
		assert.deepEqual(run('{"on":true,"long":"a","long":"bc"}'), [
			"",
			2,
			"open",
			"end 1",
			"close",
			"open",
			"end 2",
			"close",
		]);
	});

	it("closes the receiver of a long text when the body is aborted", () => {
		let closed = 0;
		const open = () => ({ write: () => {}, end: () => 0, close: () => closed++ });
		const reader = new ObjectReader(table, textCodec, () => assert.fail(), open as () => LongText);
		const bytes = Buffer.from('{"long":"abc');
		reader.write(bytes, 0, bytes.length);
		reader.abort();
		reader.abort();
		assert.equal(closed, 1);
	});
});
