import assert from "node:assert/strict";
import { meterFailure } from "../../modules/api/meter-failures.js";
import * as association from "../../modules/dlms/results.js";
import * as hdlc from "../../modules/hdlc/results.js";
import * as failures from "../../modules/meter/failures.js";

const { DLMS, HDLC_AFTER_IDENT, HDLC_DIRECT } = failures;

/** Values of a module's RESULT_… that are failures. */
function resultsOf(module: object, well: readonly number[]): number[] {
	return Object.entries(module)
		.filter(([name, value]) => name.startsWith("RESULT_") && !well.includes(value))
		.map(([, value]) => value as number);
}

describe("failures of the meter", () => {
	const ofHDLC = resultsOf(hdlc, [hdlc.RESULT_NONE, hdlc.RESULT_DONE]);
	const ofDLMS = resultsOf(association, [association.RESULT_NONE, association.RESULT_READ]);

	it("of HDLC and DLMS have an error, a code of their own and a sentence each", () => {
		const direct = ofHDLC.map((result) => HDLC_DIRECT + result);
		const all = [...direct, ...ofDLMS.map((result) => DLMS + result)];
		const codes = new Set<string>();
		for (const failure of [...all, failures.FAILURE_UNANSWERED, failures.FAILURE_COUNTERS]) {
			const known = meterFailure(failure);
			assert.ok(known !== undefined, `${failure} has no row`);
			assert.match(known.error, /^meter_(timeout|error|auth_failed)$/);
			assert.match(known.code, /^(hdlc|dlms)\/[a-z-]+$/);
			assert.match(known.message, /^[A-Z].*\.$/);
			assert.ok(!codes.has(known.code), known.code);
			codes.add(known.code);
		}
		for (const result of ofHDLC)
			assert.equal(meterFailure(HDLC_AFTER_IDENT + result)?.code, meterFailure(HDLC_DIRECT + result)?.code);
	});
	it("have no row for what is none", () => {
		for (const failure of [0, 1, 11 + 1, HDLC_DIRECT, HDLC_DIRECT + 1, 240, DLMS + 1, 400])
			assert.equal(meterFailure(failure), undefined, `${failure}`);
	});
	it("of HDLC keep apart from each other in one number", () => {
		assert.ok(ofHDLC.every((result) => result < HDLC_AFTER_IDENT - HDLC_DIRECT));
		assert.ok(ofDLMS.every((result) => DLMS + result < failures.FAILURE_UNANSWERED));
		for (const result of ofHDLC) {
			assert.equal(failures.hdlcResult(HDLC_DIRECT + result), result);
			assert.equal(failures.hdlcResult(HDLC_AFTER_IDENT + result), result);
		}
		for (const failure of [0, 5, 11, 100, DLMS + 10, failures.FAILURE_COUNTERS])
			assert.equal(failures.hdlcResult(failure), 0);
	});
});
