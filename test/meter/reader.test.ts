import assert from "node:assert/strict";
import { RESULT_BLOCK } from "../../modules/iec62056-21/session.js";
import { STATUS_OK } from "../../modules/meter/readout.js";
import type { MeterMode } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";
import { ReaderBench } from "./bench.js";
import { packedReadings } from "./packed.js";

describe("reading captured meters over a modelled line", () => {
	for (const vector of iecVectors()) {
		for (const hardwareParity of [true, false]) {
			const where = hardwareParity ? "7E1 in hardware" : "7E1 in software";
			it(`${vector.name}, mode ${vector.mode}, ${where}`, () => {
				const modeD = vector.mode === "D";
				const bench = new ReaderBench({ modeD, modeDBaud: 9600 }, { hardwareParity });
				bench.connect(vector.telegram, { pushBaud: 9600, mode: vector.mode as MeterMode });
				const { readout, failure } = bench.read();
				assert.deepEqual(packedReadings(readout?.records), vector.readings);
				assert.equal(Buffer.from(readout?.meterId ?? []).toString("latin1"), vector.meterId);
				assert.equal(String.fromCharCode(readout?.mode ?? 0), vector.mode);
				if (vector.check === "wrong") {
					assert.equal(readout?.status, 3);
					assert.equal(bench.reader.last, undefined);
				} else {
					assert.equal(readout?.status, STATUS_OK);
					assert.equal(failure, RESULT_BLOCK);
					assert.equal(bench.reader.last, readout);
				}
			});
		}
	}
});
