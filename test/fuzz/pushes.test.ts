import { seedOfRun } from "./mutator.js";
import { fuzzPushes, fuzzSML, fuzzTIC } from "./pushes.js";
import { fuzzPushesInXS } from "./xs-pushes.js";

const seed = seedOfRun();

describe(`hostile meters that send by themselves (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("do no harm by pushes of DLMS/COSEM", () => fuzzPushes(seed, 2000));
	it("do no harm by telegrams of SML", () => fuzzSML(seed, 500));
	it("do no harm by frames of TIC", () => fuzzTIC(seed, 2000));
	it("do no harm to the gateway in the microcontroller's engine", () => fuzzPushesInXS(seed, 25));
});
