import { seedOfRun } from "./mutator.js";
import { fuzzBroker, fuzzConsole, fuzzHub, fuzzRollout } from "./servers.js";
import { fuzzServersInXS } from "./xs-servers.js";

const seed = seedOfRun();

describe(`hostile servers and consoles (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("in place of Home Assistant do no harm to the hub's client", () => fuzzHub(seed, { runs: 10 }));
	it("in place of an MQTT broker do no harm to its client", () => fuzzBroker(seed, { runs: 25 }));
	it("in place of hawkBit install only what they may, and don't wear out the flash", () =>
		fuzzRollout(seed, { runs: 10 }));
	it("on the console do no harm to Improv", () => fuzzConsole(seed, { runs: 30 }));
	it("do no harm to the gateway in XS", () => fuzzServersInXS(seed, 20));
});
