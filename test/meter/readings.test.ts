import assert from "node:assert/strict";
import { JSONStream } from "../../modules/json/stream.js";
import { JSONWriter } from "../../modules/json/writer.js";
import { ReadoutBody } from "../../modules/api/readings.js";
import { BlockReceiver } from "../../modules/iec62056-21/block.js";
import { DataSetParser } from "../../modules/iec62056-21/dataset.js";
import { PROTOCOL_IEC62056_21, STATUS_OK } from "../../modules/meter/readout.js";
import { RecordWriter } from "../../modules/meter/record-writer.js";
import { iecVectors } from "../vectors.js";

const text = {
	encode: (value: string) => new TextEncoder().encode(value),
	decode: (bytes: Uint8Array, start = 0, end = bytes.length) => new TextDecoder().decode(bytes.subarray(start, end)),
};

/** The readings the API shows for packed records, read through a window of `window` bytes. */
function show(records: Uint8Array, window: number): Record<string, unknown>[] {
	const readout = {
		protocol: PROTOCOL_IEC62056_21,
		meterId: text.encode("X"),
		mode: 0x43,
		baud: 300,
		utcMs: 0,
		status: STATUS_OK,
		records,
	};
	const body = new ReadoutBody(readout, { language: "en", names: undefined, text });
	const stream = new JSONStream(new JSONWriter(text), (writer, unit) => body.produce(writer, unit));
	const into = new Uint8Array(window);
	let json = "";
	for (let count = stream.read(into, 0, window); count > 0; count = stream.read(into, 0, window)) {
		json += text.decode(into, 0, count);
	}
	return JSON.parse(json).readings;
}

describe("readings of captured telegrams", () => {
	for (const vector of iecVectors()) {
		it(`${vector.name}: every record is kept, and shown as judged by hand`, () => {
			const writer = new RecordWriter();
			const parser = new DataSetParser(writer);
			const block = new BlockReceiver(parser);
			block.begin();
			const start = vector.telegram.lastIndexOf(0x2f, vector.telegram.indexOf(0x28)) ;
			const from = vector.telegram.indexOf(0x0a, start) + 1;
			block.receive(vector.telegram, from, vector.telegram.length);
			block.end();
			assert.equal(writer.overflow, false);
			writer.endBlock(true);
			const shown = show(writer.kept ?? new Uint8Array(0), 1024).map((reading) => {
				const { mapping_id, en, ...rest } = reading;
				return rest;
			});
			assert.deepEqual(shown, vector.readings);
		});
	}
});
