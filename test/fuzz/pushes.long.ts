/** pushes.test.ts with many hostile meters. */
import { seedOfRun } from "./mutator.js";
import { fuzzPushes, fuzzSML, fuzzTIC } from "./pushes.js";
import { fuzzPushesInXS } from "./xs-pushes.js";

const seed = seedOfRun();

describe(`hostile meters that send by themselves, many (SEED=${seed})`, () => {
	it("do no harm by pushes of DLMS/COSEM", () => fuzzPushes(seed, 200_000));
	it("do no harm by telegrams of SML", () => fuzzSML(seed, 50_000));
	it("do no harm by frames of TIC", () => fuzzTIC(seed, 100_000));
	it("do no harm to the gateway in the microcontroller's engine", () => fuzzPushesInXS(seed, 1500));
});
