/** The hostile coprocessors of zigbee.test.ts, many. */
import { seedOfRun } from "./mutator.js";
import { fuzzRadio } from "./zigbee-radio.js";

const seed = seedOfRun();

describe(`hostile Zigbee coprocessors, many (SEED=${seed})`, () => {
	it("do no harm to their driver", () => fuzzRadio(seed, 100_000));
});
