/** The damaged requests of mutations.ts, many. */
import { surviveMutations } from "./mutations.js";

describe("HTTP server: mutations", () => {
	it("survives 100 000 damaged requests", () => surviveMutations(100_000));
});
