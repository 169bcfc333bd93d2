/**
 * DLMS/COSEM load profiles, with correct and with damaged answers of the meter. test/api/profile.test.ts tests them
 * through the API.
 */
import assert from "node:assert/strict";
import { DLMSProfile } from "../../modules/cosem/profile.js";
import { ScalerCache } from "../../modules/dlms/scaler-cache.js";
import { RecordWriter, ROWS_LIMIT } from "../../modules/readout/record-writer.js";
import { GetService } from "../../tools/meter/dlms-get.js";
import { householdObjects } from "../../tools/meter/dlms-objects.js";
import { Household } from "../../tools/meter/household.js";
import { Mutator, seedOfRun } from "../fuzz/mutator.js";
import { recordsOf } from "../meter/records.js";

const CODES = ["1.0.99.1.0.255", "1.0.99.2.0.255", "1.0.98.1.0.255", "1.0.99.3.0.255"];
const REQUEST_SIZE = 200;
/** Highest number of requests; more than the answers of any meter need. */
const REQUESTS_LIMIT = 400;

const reading = new Household({ utcMs: Date.parse("2026-06-21T18:30:00Z"), mode: "C", baud: 9600 }).reading(0);
const objects = householdObjects({ zone: { minutes: 60, deviation: "standard" }, counter: () => 0 });

/** Result of a load profile request; `damage` changes each answer of the meter. */
function requestProfile(
	code: string,
	entries: number,
	limit: number,
	damage: (answer: Buffer) => Uint8Array,
): DLMSProfile {
	const service = new GetService({ objects, results: new Map(), logicalDevice: 1 });
	const context = { client: 16, conformance: 0x001215, limit, context: 1, mechanism: 0 };
	const titles = { title: new Uint8Array(8), clientTitle: new Uint8Array(8) };
	const request = { code: Uint8Array.from(code.split(".").map(Number)), entries };
	const profile = new DLMSProfile(request, new ScalerCache(1), writer);
	const into = Buffer.alloc(REQUEST_SIZE);
	profile.begin();
	for (let i = 0; i < REQUESTS_LIMIT && !profile.done; i++) {
		const end = profile.request(into, 0, REQUEST_SIZE);
		assert.ok(end <= REQUEST_SIZE);
		const answer = service.answer(Buffer.from(into.subarray(0, end)), { ...context, ...titles }, reading);
		if (answer === undefined) profile.refuse(1);
		else {
			const changed = damage(answer);
			profile.cursor.set(changed, 0, changed.length);
			profile.take();
		}
	}
	profile.end();
	profile.keep();
	return profile;
}

const writer = new RecordWriter();

describe("a load profile of a DLMS meter", () => {
	it("is the same whatever the length of the answers", () => {
		for (const code of CODES.slice(0, 3)) {
			requestProfile(code, 20, 1024, (answer) => answer);
			const expected = recordsOf(writer.kept);
			assert.equal(expected.length, 21);
			for (const limit of [1000, 100, 64, 33, 20]) {
				const { reason, done } = requestProfile(code, 20, limit, (answer) => answer);
				assert.deepEqual([reason, done], [0, true]);
				assert.deepEqual(recordsOf(writer.kept), expected, `${code} in ${limit} bytes`);
			}
		}
	});

	const seed = seedOfRun();
	it(`ends whatever the answers are, and keeps no records after a failure (SEED=${seed})`, () => {
		const mutator = new Mutator(seed);
		let before: Uint8Array = Uint8Array.of(0xc4, 1, 0xc1, 0, 1, 0);
		for (let i = 0; i < 1500; i++) {
			const code = mutator.pick(CODES);
			const profile = requestProfile(
				code,
				1 + mutator.random.below(ROWS_LIMIT),
				mutator.pick([1024, 200, 40]),
				(answer) => {
					const changed = mutator.random.below(6) === 0 ? mutator.mutate(answer, before) : answer;
					before = answer;
					return changed;
				},
			);
			assert.ok(profile.done, "the profile never ends");
			const records = recordsOf(writer.kept);
			if (profile.reason !== 0) assert.deepEqual(records, []);
			else assert.ok(records.length >= 1 && records.length <= ROWS_LIMIT + 1);
		}
	});
});
