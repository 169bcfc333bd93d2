/** Runs the comparison of reading.ts many times. */
import { compareMutations } from "./reading.js";

describe("JSON reader: mutations", () => {
	it("agrees with JSON.parse about 100 000 changed documents", () => compareMutations(100_000));
});
