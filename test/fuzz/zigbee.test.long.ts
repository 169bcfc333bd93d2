import { byRun } from "../runs.js";
import { Mutator, seedOfRun } from "./mutator.js";
import { fuzzZigbeeInXS } from "./xs-zigbee.js";
import { fuzzClusters, stormOfFrames } from "./zigbee-clusters.js";
import { fuzzRadio } from "./zigbee-radio.js";

const seed = seedOfRun();

describe(`hostile Zigbee coprocessors and coordinators (SEED=${seed})`, () => {
	it("do no harm to the chip's driver", () => fuzzRadio(seed, byRun({ test: 1000, long: 50_000 })));
	it("do no harm to the clusters", () => fuzzClusters(seed, byRun({ test: 1000, long: 50_000 })));
	it("get no more answers than the queue has room for", () => {
		for (let storm = 0; storm < byRun({ test: 1, long: 10 }); storm++) stormOfFrames(seed, new Mutator(seed + storm));
	});
	it("do no harm to the gateway in XS", () => fuzzZigbeeInXS(seed, byRun({ test: 100, long: 5000 })));
});
