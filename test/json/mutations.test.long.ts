import { byRun } from "../runs.js";
import { compareMutations } from "./reading.js";

describe("JSON reader: mutations", () => {
	it("accepts and rejects the same changed documents as JSON.parse", () => {
		compareMutations(byRun({ test: 3000, long: 100_000 }));
	});
});
