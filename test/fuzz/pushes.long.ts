/** The tests of pushes.test.ts with many more transmissions. */
import { seedOfRun } from "./mutator.js";
import { fuzzPushes, fuzzSML, fuzzTIC } from "./pushes.js";
import { fuzzPushesInXS } from "./xs-pushes.js";

const seed = seedOfRun();

describe(`hostile meters that send unsolicited data, long run (SEED=${seed})`, () => {
	it("do no harm with DLMS/COSEM pushes", () => fuzzPushes(seed, 200_000));
	it("do no harm with SML telegrams", () => fuzzSML(seed, 50_000));
	it("do no harm with TIC frames", () => fuzzTIC(seed, 100_000));
	it("do no harm to the gateway in XS", () => fuzzPushesInXS(seed, 1500));
});
