/** Runs mutations.ts with many requests. */
import { surviveMutations } from "./mutations.js";

describe("HTTP server: mutations", () => {
	it("survives 100 000 damaged requests", () => surviveMutations(100_000));
});
