import assert from "node:assert/strict";
import {
	findDuplicate,
	POLL_ENTRY_SIZE,
	POLL_LIMIT,
	POLL_SIZE_LIMIT,
	pollListOf,
} from "../../modules/dlms/poll-list.js";
import { DLMS_OBIS_ENTRIES } from "../../modules/parts/meter/dlms-fields.js";

describe("dlms/poll-list", () => {
	it("has the same size limit as its setting", () => {
		assert.equal(POLL_SIZE_LIMIT, 1 + POLL_LIMIT * POLL_ENTRY_SIZE);
		assert.equal(DLMS_OBIS_ENTRIES.maximum, POLL_SIZE_LIMIT);
	});
	it("is the default list if the setting is empty", () => {
		const list = pollListOf(new Uint8Array(0));
		assert.equal(list.length, 1 + 14 * POLL_ENTRY_SIZE);
		assert.deepEqual(
			[...list.subarray(0, 25)],
			[14, 0, 0, 1, 0, 0, 255, 8, 2, 0, 0, 96, 1, 0, 255, 1, 2, 1, 0, 1, 8, 0, 255, 3, 2],
		);
		assert.equal(findDuplicate(list), -1);
		const empty = Uint8Array.of(0);
		assert.equal(pollListOf(empty), empty);
	});
	it("finds a duplicate object, and distinguishes objects that differ in any byte", () => {
		const object = [1, 0, 1, 8, 0, 255, 3, 2];
		assert.equal(findDuplicate(Uint8Array.of(0)), -1);
		assert.equal(findDuplicate(Uint8Array.of(1, ...object)), -1);
		assert.equal(findDuplicate(Uint8Array.of(2, ...object, ...object)), 1);
		for (let i = 0; i < POLL_ENTRY_SIZE; i++) {
			const other = object.slice();
			other[i]++;
			assert.equal(findDuplicate(Uint8Array.of(2, ...object, ...other)), -1);
			assert.equal(findDuplicate(Uint8Array.of(4, ...object, ...other, ...object, ...other)), 2);
		}
	});
});
