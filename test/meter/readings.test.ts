import assert from "node:assert/strict";
import { BlockReceiver } from "../../modules/iec62056-21/block.js";
import { DataSetParser } from "../../modules/iec62056-21/dataset.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { iecVectors } from "../vectors.js";
import { packedReadings } from "./packed.js";

describe("readings of captured telegrams", () => {
	for (const vector of iecVectors()) {
		it(`${vector.name}: every record is kept and has the expected reading`, () => {
			const writer = new RecordWriter();
			const parser = new DataSetParser(writer);
			const block = new BlockReceiver(parser);
			block.begin();
			const start = vector.telegram.lastIndexOf(0x2f, vector.telegram.indexOf(0x28));
			const from = vector.telegram.indexOf(0x0a, start) + 1;
			block.receive(vector.telegram, from, vector.telegram.length);
			block.end();
			assert.equal(writer.overflow, false);
			writer.endBlock(true);
			assert.deepEqual(packedReadings(writer.kept), vector.readings);
		});
	}
});
