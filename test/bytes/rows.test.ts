/** Finding a row that repeats an earlier one, wholly or in its key. */
import assert from "node:assert/strict";
import { findRepeated } from "../../modules/bytes/rows.js";

describe("bytes/rows", () => {
	it("finds the first row that repeats an earlier one", () => {
		assert.equal(findRepeated(new Uint8Array(0), 2), -1);
		assert.equal(findRepeated(Uint8Array.of(0), 2), -1);
		assert.equal(findRepeated(Uint8Array.of(3, 1, 2, 1, 3, 2, 1), 2), -1);
		assert.equal(findRepeated(Uint8Array.of(4, 1, 2, 3, 4, 1, 2, 3, 4), 2), 2);
	});
	it("compares only the key", () => {
		assert.equal(findRepeated(Uint8Array.of(2, 1, 2, 1, 3), 2, 1), 1);
	});
});
