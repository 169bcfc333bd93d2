import assert from "node:assert/strict";
import fc from "fast-check";
import {
	LOCAL_LENGTH,
	localText,
	TIME_END_MS,
	UTC_LENGTH,
	utcText,
	writeLocal,
	writeUTC,
} from "../../modules/time/iso.js";
import { textCodec } from "../config/memory-storage.js";

/** The platform's result. */
function reference(ms: number): string {
	return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function utc(ms: number): string {
	return utcText(ms, textCodec);
}

function local(ms: number, offsetMinutes: number): string {
	return localText(ms, offsetMinutes, textCodec);
}

describe("time/iso", () => {
	it("formats known times", () => {
		assert.equal(utc(0), "1970-01-01T00:00:00Z");
		assert.equal(utc(Date.UTC(2026, 10, 20, 5, 39, 38)), "2026-11-20T05:39:38Z");
		assert.equal(local(Date.UTC(2026, 10, 20, 5, 39, 38), 60), "2026-11-20T06:39:38+01:00");
		assert.equal(local(Date.UTC(2026, 10, 20, 5, 39, 38), -330), "2026-11-20T00:09:38-05:30");
		assert.equal(local(0, 0), "1970-01-01T00:00:00+00:00");
		assert.equal(local(0, -60), "1969-12-31T23:00:00-01:00");
	});

	it("is right before and after leap days, month ends and year ends", () => {
		for (let year = 1970; year < 2106; year++) {
			for (let month = 0; month <= 12; month++) {
				const first = Date.UTC(year, month, 1);
				for (const ms of [first - 1, first, first + 999]) if (ms >= 0) assert.equal(utc(ms), reference(ms));
			}
		}
		assert.equal(utc(Date.UTC(2000, 1, 29)), "2000-02-29T00:00:00Z");
		assert.equal(utc(Date.UTC(2100, 1, 29)), "2100-03-01T00:00:00Z");
	});

	it("agrees with the platform on any moment and any offset", () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: TIME_END_MS - 1 }), fc.integer({ min: -840, max: 840 }), (ms, offset) => {
				assert.equal(utc(ms), reference(ms));
				assert.equal(local(ms, offset).slice(0, 19), reference(ms + offset * 60000).slice(0, 19));
				assert.equal(Date.parse(local(ms, offset)), Math.floor(ms / 1000) * 1000);
			}),
		);
	});

	it("truncates parts of a second", () => {
		assert.equal(utc(999.999), "1970-01-01T00:00:00Z");
		assert.equal(utc(1000), "1970-01-01T00:00:01Z");
	});

	it("rejects times before 1970 and from 2106-02-07T06:28:16 on", () => {
		assert.equal(utc(TIME_END_MS - 1), "2106-02-07T06:28:15Z");
		assert.equal(local(TIME_END_MS - 1, 1439), "2106-02-08T06:27:15+23:59");
		for (const ms of [-1, -0.5, TIME_END_MS, Number.NaN, Infinity, -Infinity]) {
			assert.throws(() => utc(ms), RangeError, String(ms));
			assert.throws(() => local(ms, 0), RangeError, String(ms));
		}
	});

	it("rejects offsets of a day or more, and offsets with parts of a minute", () => {
		assert.equal(local(0, 1439), "1970-01-01T23:59:00+23:59");
		assert.equal(local(0, -1439), "1969-12-31T00:01:00-23:59");
		for (const offset of [1440, -1440, 0.5, Number.NaN, Infinity]) assert.throws(() => local(0, offset), RangeError);
	});

	it("writes only its own length at the given offset, and returns the end", () => {
		const into = new Uint8Array(40).fill(0x2a);
		assert.equal(writeUTC(into, 3, 0), 3 + UTC_LENGTH);
		assert.equal(textCodec.decode(into), `***1970-01-01T00:00:00Z${"*".repeat(17)}`);
		assert.equal(writeLocal(into, 3, 0, 0), 3 + LOCAL_LENGTH);
		assert.equal(textCodec.decode(into), `***1970-01-01T00:00:00+00:00${"*".repeat(12)}`);
	});
});
