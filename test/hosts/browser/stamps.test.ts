import assert from "node:assert/strict";
import { formatStamp, stampOf, stampOfCode } from "../../../hosts/browser/kit/stamps.js";
import { iecVectors } from "../../vectors.js";

/** Replaces special spaces, which depend on the version of Node's data. */
function plain(text: string): string {
	return text.replace(/[\u00a0\u202f]/g, " ");
}

describe("meters' time formats", () => {
	const known: readonly (readonly [text: string, stamp: string | undefined])[] = [
		["2611212232", "2026-11-21T22:32"],
		["261121223205", "2026-11-21T22:32:05"],
		["1140716101053", "2014-07-16T10:10:53"],
		["02611212232", "2026-11-21T22:32"],
		["2261121223205", "2026-11-21T22:32:05Z"],
		["101209113020W", "2010-12-09T11:30:20"],
		["2013-11-28", "2013-11-28"],
		["2017-01-18&01:36:47", "2017-01-18T01:36:47"],
		["19-04-01,00:00", "2019-04-01T00:00"],
		["21-01-01 00:00", "2021-01-01T00:00"],
		["2026-11-21T22:32:05+01:00", "2026-11-21T22:32:05"],
		["2026-11-21T22:32:05Z", "2026-11-21T22:32:05Z"],
		// Texts that are neither a day nor a time.
		["0000000240", undefined],
		["00-00-00,00:00", undefined],
		["2000-00-00", undefined],
		["2602300000", undefined],
		["2611212460", undefined],
		["00000000301", undefined],
		["48151623", undefined],
		["1.03", undefined],
		["01-01", undefined],
		["", undefined],
	];
	for (const [text, stamp] of known) {
		it(`“${text}” is read as ${stamp ?? "no time"}`, () => assert.equal(stampOf(text), stamp));
	}

	it("are recognised by the OBIS code if digits alone are ambiguous", () => {
		assert.equal(stampOfCode("0.9.1", "1185411"), "18:54:11");
		assert.equal(stampOfCode("0.9.1", "201455"), "20:14:55");
		assert.equal(stampOfCode("0.9.2", "260815"), "2026-08-15");
		assert.equal(stampOfCode("0.9.2", "26-08-15"), "2026-08-15");
		assert.equal(stampOfCode("0.1.2", "2608010000"), "2026-08-01T00:00");
		assert.equal(stampOfCode("0.0.0", "2608010000"), undefined);
		assert.equal(stampOfCode("1.0.0", "101209113020W"), "2010-12-09T11:30:20");
		assert.equal(stampOfCode("1.8.0", "260815"), undefined);
	});

	it("are found in captures only in values whose OBIS code stands for a time", () => {
		const found = new Set<string>();
		for (const { readings } of iecVectors()) {
			for (const { obis, value1, value1_unit } of readings)
				if (value1_unit === "" && stampOfCode(obis, value1) !== undefined) found.add(obis);
		}
		assert.deepEqual([...found].sort(), [
			...["0.1.0", "0.1.2", "0.1.3", "0.9.1", "0.9.2", "1.0.0", "6.36.1", "6.36.2", "6.36.3", "6.36.4"],
			...["9.36", "96.1.3", "96.2.2", "96.2.5", "96.71", "C.51.2"],
		]);
	});

	it("are formatted in the language", () => {
		assert.equal(plain(formatStamp("2026-11-21T22:32", "en")), "Nov 21, 2026, 10:32 PM");
		assert.equal(formatStamp("2026-11-21T22:32", "de"), "21.11.2026, 22:32");
		assert.equal(formatStamp("2026-11-21T22:32:05", "pl"), "21 lis 2026, 22:32:05");
		assert.equal(formatStamp("2026-11-21", "de"), "21.11.2026");
		assert.equal(formatStamp("22:32:05", "de"), "22:32:05");
		assert.equal(formatStamp("2026-11-21T22:32:05Z", "de"), "21.11.2026, 22:32:05 UTC");
	});
});
