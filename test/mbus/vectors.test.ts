/** The test frames of libmbus, from 76 meters, read with the values that libmbus gives. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { identOf, isReadable, SlaveTelegram } from "../../modules/mbus/telegram.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";
import { checkRecord, type LibRecord, reasonToSkip } from "./libmbus.js";

interface Expected {
	readonly id: string;
	readonly manufacturer: string;
	readonly status: string;
	readonly records: readonly LibRecord[];
}

describe("the test frames of libmbus", () => {
	let compared = 0;
	for (const name of vectorNames("mbus-slave")) {
		it(name, () => {
			const expected: Expected = JSON.parse(readFileSync(vectorPath("mbus-slave", name, "json"), "utf8"));
			const body = readTelegram(vectorPath("mbus-slave", name)).subarray(4, -2);
			const ci = body[2];
			assert.equal(isReadable(body), ci === 0x72);
			if (ci !== 0x72) return;
			const writer = new RecordWriter();
			const telegram = new SlaveTelegram(writer);
			writer.begin();
			telegram.begin(0);
			telegram.write(body, body, true);
			writer.endBlock(true);
			assert.equal(textOf(identOf(body), 0, 3), expected.manufacturer);
			assert.equal(Number.parseInt(textOf(identOf(body), 3, 11), 16), Number.parseInt(expected.id, 16));
			const [serial, status, ...readings] = recordsOf(writer.kept);
			assert.match(serial, /^0-0:96\.1\.0\*255: [0-9a-f]{8}$/);
			assert.equal(status, `0-0:96.5.0*255: ${expected.status.toLowerCase()}`);
			const records = expected.records.filter((record) => reasonToSkip(record) === undefined);
			for (const [i, record] of records.entries()) checkRecord(readings[i] ?? "nothing", record);
			assert.equal(readings.length, records.length);
			assert.equal(telegram.isCut, false);
			compared += records.length;
		});
	}
	after(() => assert.ok(compared > 600, `${compared} values were compared`));
});
