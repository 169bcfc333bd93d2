/** The API's checks of each route and each field, against the whole gateway in its owner's network. */
import { PARTS, suite } from "../api/contract.js";
import { byRun } from "../runs.js";
import { WholeGateway } from "./whole-gateway.js";

const { engine, what, timeoutMs } = byRun({
	test: { engine: "xs", what: "gateway", timeoutMs: 120_000 },
	linux: { engine: "linux", what: "firmware on Linux", timeoutMs: 600_000 },
});

describe(`The whole ${what} in a network`, function () {
	this.timeout(timeoutMs);
	suite(() => WholeGateway.startWhole({ engine, isAhead: true }), PARTS.eachRoute.client);
});
