import assert from "node:assert/strict";
import fc from "fast-check";
import { dateOf, daysOf, monthOf } from "../../modules/time/date.js";

const DAY_MS = 86_400_000;

describe("time/date", () => {
	it("agrees with the platform on each day from 1900 to 2200", () => {
		for (let days = Date.UTC(1900, 0, 1) / DAY_MS; days < Date.UTC(2200, 0, 1) / DAY_MS; days++) {
			const date = new Date(days * DAY_MS);
			const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
			assert.equal(dateOf(days), month * 32 + date.getUTCDate());
			assert.equal(monthOf(days), month);
			assert.equal(daysOf(month, date.getUTCDate()), days);
		}
	});

	it("agrees on any day from March of 1600 to the end of 9999", () => {
		const from = Date.UTC(1600, 2, 1) / DAY_MS;
		const to = Date.UTC(9999, 11, 31) / DAY_MS;
		fc.assert(
			fc.property(fc.integer({ min: from, max: to }), (days) => {
				const date = new Date(days * DAY_MS);
				assert.equal(dateOf(days), (date.getUTCFullYear() * 12 + date.getUTCMonth()) * 32 + date.getUTCDate());
				assert.equal(daysOf(monthOf(days), date.getUTCDate()), days);
			}),
		);
	});
});
