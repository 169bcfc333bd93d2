/** The API's checks of each route and each field, against the whole firmware on Linux in its owner's network. */
import { PARTS, suite } from "../api/contract.js";
import { WholeGateway } from "./whole-gateway.js";

describe("The whole firmware on Linux in a network", function () {
	this.timeout(600_000);
	suite(() => WholeGateway.startWhole({ engine: "linux", isAhead: true }), PARTS.eachRoute.client);
});
