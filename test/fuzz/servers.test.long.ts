import { byRun } from "../runs.js";
import { seedOfRun } from "./mutator.js";
import { fuzzBroker, fuzzConsole, fuzzHub, fuzzRollout } from "./servers.js";
import { fuzzServersInXS } from "./xs-servers.js";

const seed = seedOfRun();
/** Duration of each test of `npm run test:long`. */
const minutes = Number(process.env["MINUTES"] ?? 1);

describe(`hostile servers and consoles (SEED=${seed})`, function () {
	this.timeout(byRun({ test: 60_000, long: (minutes + 4) * 60_000 }));
	it("in place of Home Assistant do no harm to the hub's client", () =>
		fuzzHub(seed, byRun({ test: { runs: 10 }, long: { minutes } })));
	it("in place of an MQTT broker do no harm to its client", () =>
		fuzzBroker(seed, byRun({ test: { runs: 25 }, long: { minutes } })));
	it("in place of hawkBit install only what they may, and don't wear out the flash", () =>
		fuzzRollout(seed, byRun({ test: { runs: 10 }, long: { minutes } })));
	it("on the console do no harm to Improv", () => fuzzConsole(seed, byRun({ test: { runs: 30 }, long: { minutes } })));
	it("do no harm to the gateway in XS", () => fuzzServersInXS(seed, byRun({ test: 20, long: 200 })));
});
