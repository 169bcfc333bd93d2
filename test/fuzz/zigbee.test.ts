import { seedOfRun } from "./mutator.js";
import { fuzzRadio } from "./zigbee-radio.js";

const seed = seedOfRun();

describe(`hostile Zigbee coprocessors (SEED=${seed})`, () => {
	it("do no harm to their driver", () => fuzzRadio(seed, 2000));
});
