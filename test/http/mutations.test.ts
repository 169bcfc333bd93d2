import { surviveMutations } from "./mutations.js";

describe("HTTP server: mutations", () => {
	it("survives damaged requests", () => surviveMutations(4000));
});
