import assert from "node:assert/strict";
import { DLMSRecords, MissingCursor } from "../../modules/cosem/records.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { listOf } from "../dlms/association-driver.js";
import { packedReadings } from "../meter/packed.js";

const LIST = listOf("3 1-0:1.8.0.255 2", "4 1-0:1.6.0.7 2", "1 0-0:96.1.0.255 2", "8 0-1:1.0.0.255 2");
const UNIT_NONE = 255;

type Values = readonly (readonly [number, ...(readonly [string, number])[]])[];

function fill(...values: Values) {
	return fillFrom(LIST, values);
}

function fillFrom(list: Uint8Array, values: Values) {
	const writer = new RecordWriter();
	const records = new DLMSRecords(writer, list);
	records.begin();
	for (const [position, ...all] of values) {
		records.beginObject(position, list, 1 + position * 8);
		for (const [text, unit] of all) {
			const bytes = new Uint8Array(Buffer.from(text, "latin1"));
			records.value(bytes, bytes.length, unit);
			bytes.fill(0);
		}
		records.endObject();
	}
	records.keep();
	return { writer, records };
}

describe("records of a DLMS readout", () => {
	it("have the form of other protocols' records, with all OBIS groups", () => {
		const { writer } = fill(
			[0, ["12345.6", 30]],
			[1, ["-0.5", 27], ["2026-01-31T12:00:00+01:00", UNIT_NONE]],
			[2, ["an id", UNIT_NONE]],
			[3, ["2026-01-31T12:00:00", UNIT_NONE]],
		);
		const shown = packedReadings(writer.kept).map((reading) => [
			...[reading.obis_long, reading.obis, reading.value1, reading.value2, reading.value1_unit],
			...[reading.medium, reading.channel, reading.billing_period],
		]);
		assert.deepEqual(shown, [
			["1-0:1.8.0", "1.8.0", "12345.6", "", "Wh", 1, 0, null],
			["1-0:1.6.0*7", "1.6.0", "-0.5", "2026-01-31T12:00:00+01:00", "W", 1, 0, 7],
			["0-0:96.1.0", "96.1.0", "an id", "", "", 0, 0, null],
			["0-1:1.0.0", "1.0.0", "2026-01-31T12:00:00", "", "", 0, 1, null],
		]);
	});
	it("have the text of the unit, even if it is not ASCII, and no text if the value has no unit", () => {
		const units = [9, 46, 56, 10, 254, 200, UNIT_NONE];
		const { writer } = fill(...units.map((unit) => [0, ["1", unit]] as [number, [string, number]]));
		const shown = packedReadings(writer.kept).map((reading) => reading.value1_unit);
		assert.deepEqual(shown, ["\u00b0C", "1/(varh)", "%", "", "", "", ""]);
	});
	it("have more than two values if the object is a structure", () => {
		const { writer } = fill([2, ["1", UNIT_NONE], ["2", UNIT_NONE], ["3", UNIT_NONE], ["4", UNIT_NONE]]);
		assert.deepEqual(packedReadings(writer.kept)[0].values, ["3", "4"]);
	});
	it("name the attribute if it is not the value; such records do not inherit the value's unit", () => {
		const list = listOf(
			...["3 1-0:1.8.0.255 3", "3 1-0:1.8.0.255 2", "4 1-0:1.8.0.255 5", "3 1-0:1.8.0.1 3", "3 1-0:1.8.0.1 2"],
			...["5 1-0:1.4.0.255 3", "5 1-0:1.4.0.1 2"],
		);
		const { writer } = fillFrom(list, [
			[0, ["0", UNIT_NONE], ["30", UNIT_NONE]],
			[1, ["12", 30]],
			[2, ["2026-01-31T12:00:00", UNIT_NONE]],
			[3, ["7", UNIT_NONE]],
			[4, ["11", UNIT_NONE]],
			[5, ["5", 27]],
			[6, ["4", UNIT_NONE]],
		]);
		const shown = packedReadings(writer.kept).map((reading) => [
			...[reading.obis_long, reading.obis, reading.attribute, reading.value1, reading.value1_unit],
			reading.billing_period,
		]);
		assert.deepEqual(shown, [
			["1-0:1.8.0", "1.8.0", 3, "0", "", null],
			["1-0:1.8.0", "1.8.0", undefined, "12", "Wh", null],
			["1-0:1.8.0", "1.8.0", 5, "2026-01-31T12:00:00", "", null],
			["1-0:1.8.0*1", "1.8.0", 3, "7", "", 1],
			["1-0:1.8.0*1", "1.8.0", undefined, "11", "Wh", 1],
			["1-0:1.4.0", "1.4.0", 3, "5", "W", null],
			["1-0:1.4.0*1", "1.4.0", undefined, "4", "", 1],
		]);
	});
	it("are complete records only: those that do not fit are left out", () => {
		const list = listOf("4 1-0:1.8.0.255 5");
		const long = "x".repeat(250);
		const { writer } = fillFrom(
			list,
			Array.from({ length: 40 }, () => [0, [long, UNIT_NONE]] as const),
		);
		const readings = packedReadings(writer.kept);
		assert.ok(readings.length === 31 && writer.overflow, `${readings.length}`);
		for (const { obis_long, attribute, value1 } of readings)
			assert.deepEqual([obis_long, attribute, value1], ["1-0:1.8.0", 5, long]);
	});
	it("list the missing objects of the current readout only", () => {
		const { records } = fill();
		for (let i = 0; i < 40; i++) records.refused(i % 4, 260);
		assert.equal(records.missing.length, 320);
		records.begin();
		records.refused(1, 3);
		const missing = new MissingCursor(records.missing);
		assert.ok(missing.next());
		assert.equal(Buffer.from(missing.text.subarray(0, missing.length)).toString(), "1-0:1.6.0*7");
		assert.deepEqual([missing.classId, missing.attribute, missing.reason], [4, 2, 3]);
		assert.ok(!missing.next());
	});
});
