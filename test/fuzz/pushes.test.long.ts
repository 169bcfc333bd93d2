import { byRun } from "../runs.js";
import { seedOfRun } from "./mutator.js";
import { fuzzLists, fuzzPushes, fuzzSML, fuzzTIC } from "./pushes.js";
import { fuzzPushesInXS } from "./xs-pushes.js";

const seed = seedOfRun();

describe(`hostile meters that send unsolicited data (SEED=${seed})`, () => {
	it("do no harm with DLMS/COSEM pushes", () => fuzzPushes(seed, byRun({ test: 2000, long: 200_000 })));
	it("give no wrong value with lists without codes", () => fuzzLists(seed, byRun({ test: 2000, long: 100_000 })));
	it("do no harm with SML telegrams", () => fuzzSML(seed, byRun({ test: 500, long: 50_000 })));
	it("do no harm with TIC frames", () => fuzzTIC(seed, byRun({ test: 2000, long: 100_000 })));
	it("do no harm to the gateway in XS", () => fuzzPushesInXS(seed, byRun({ test: 25, long: 1500 })));
});
