/** The tests of servers.test.ts for minutes: `MINUTES=10 npm run test:long`. */
import { seedOfRun } from "./mutator.js";
import { fuzzBroker, fuzzConsole, fuzzHub, fuzzRollout } from "./servers.js";
import { fuzzServersInXS } from "./xs-servers.js";

const seed = seedOfRun();
const minutes = Number(process.env["MINUTES"] ?? 1);

describe(`hostile servers and consoles, long run (SEED=${seed})`, function () {
	this.timeout((minutes + 4) * 60_000);
	it("in place of Home Assistant do no harm to the hub's client", () => fuzzHub(seed, { minutes }));
	it("in place of an MQTT broker do no harm to its client", () => fuzzBroker(seed, { minutes }));
	it("in place of hawkBit install only what they may, and don't wear out the flash", () =>
		fuzzRollout(seed, { minutes }));
	it("on the console do no harm to Improv", () => fuzzConsole(seed, { minutes }));
	it("do no harm to the gateway in XS", () => fuzzServersInXS(seed, 200));
});
