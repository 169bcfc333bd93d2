import assert from "node:assert/strict";
import fc from "fast-check";
import { removeAt } from "../../modules/bytes/list.js";

describe("bytes/list", () => {
	it("removes the same item as splice, and none at a negative index", () => {
		fc.assert(
			fc.property(fc.array(fc.integer()), fc.integer({ min: -2, max: 12 }), (items, index) => {
				const [list, reference] = [[...items], [...items]];
				const expected = index < 0 ? undefined : reference.splice(index, 1)[0];
				assert.equal(removeAt(list, index), expected);
				assert.deepEqual(list, reference);
			}),
		);
	});
});
