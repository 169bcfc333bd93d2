import assert from "node:assert/strict";
import { HDLC_TOO_LONG } from "../../modules/hdlc/failures.js";
import { type Outcome, runConnection } from "./line.js";

/** Results of sessions with the seeds 0 to `count` - 1. */
function outcomes(count: number, options: { faults: number; losesBytes?: boolean }): Outcome[] {
	return Array.from({ length: count }, (_, seed) => {
		try {
			return runConnection({ seed, losesBytes: false, ...options });
		} catch (error) {
			throw new Error(`seed ${seed}`, { cause: error });
		}
	});
}

const isDone = ({ failure }: Outcome) => failure === undefined || failure === HDLC_TOO_LONG;

describe("an HDLC connection to servers with random options", () => {
	it("gets every answer over a good line, and repeats at most one frame", () => {
		for (const [seed, outcome] of outcomes(300, { faults: 0 }).entries()) {
			assert.ok(isDone(outcome), `seed ${seed}: ${outcome.failure?.code}`);
			// The one permitted repetition is SNRM, for a server that refuses parameters.
			assert.ok(outcome.repeated <= 1, `seed ${seed}: ${outcome.repeated} repeated`);
		}
	});
	it("completes nearly every session, and never gets a wrong answer, over a line with one fault in 30 transmissions", () => {
		const done = outcomes(300, { faults: 30 }).filter(isDone);
		assert.ok(done.length >= 290, `${done.length} of 300`);
	});
	it("ends, and never gets a wrong answer, over a line with one fault in 3 transmissions", () => {
		const all = outcomes(300, { faults: 3 });
		assert.ok(all.filter(isDone).length >= 30, `${all.filter(isDone).length} of 300`);
	});
	it("never gets a wrong answer over a line that also loses bytes", () => {
		outcomes(200, { faults: 10, losesBytes: true });
	});
	it("ends over a line with a fault in every transmission", () => {
		for (const { answers, requests } of outcomes(50, { faults: 1 })) assert.ok(answers <= requests);
	});
});
