import { Mutator, seedOfRun } from "./mutator.js";
import { fuzzZigbeeInXS } from "./xs-zigbee.js";
import { fuzzClusters, stormOfFrames } from "./zigbee-clusters.js";
import { fuzzRadio } from "./zigbee-radio.js";

const seed = seedOfRun();

describe(`hostile Zigbee coprocessors and coordinators (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("do no harm to the chip's driver", () => fuzzRadio(seed, 1000));
	it("do no harm to the clusters", () => fuzzClusters(seed, 1000));
	it("get no more answers than the queue has room for", () => stormOfFrames(seed, new Mutator(seed)));
	it("do no harm to the gateway in XS", () => fuzzZigbeeInXS(seed, 100));
});
