import { seedOfRun } from "./mutator.js";
import { fuzzPushes, fuzzSML, fuzzTIC } from "./pushes.js";
import { fuzzPushesInXS } from "./xs-pushes.js";

const seed = seedOfRun();

describe(`hostile meters that send unsolicited data (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("do no harm with DLMS/COSEM pushes", () => fuzzPushes(seed, 2000));
	it("do no harm with SML telegrams", () => fuzzSML(seed, 500));
	it("do no harm with TIC frames", () => fuzzTIC(seed, 2000));
	it("do no harm to the gateway in XS", () => fuzzPushesInXS(seed, 25));
});
