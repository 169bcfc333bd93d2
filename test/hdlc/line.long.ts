/** The tests of line.test.ts with many bad lines. */
import { seedOfRun } from "../fuzz/mutator.js";
import { runConnection } from "./line.js";

const seed = seedOfRun();

describe(`HDLC over bad lines, long run (SEED=${seed})`, () => {
	for (const faults of [2, 5, 20, 100]) {
		it(`never gives a wrong answer with one fault in ${faults} transmissions`, () => {
			for (let i = 0; i < 20_000; i++) {
				try {
					runConnection({ seed: seed + i, faults, losesBytes: false });
				} catch (error) {
					throw new Error(`conversation ${i}`, { cause: error });
				}
			}
		});
	}
});
