/** The API's checks of each route and each field, against the whole gateway in its owner's network. */
import { PARTS, suite } from "../api/contract.js";
import { WholeGateway } from "./whole-gateway.js";

describe("The whole gateway in a network", function () {
	this.timeout(120_000);
	suite(() => WholeGateway.startWhole({ engine: "xs", isAhead: true }), PARTS.eachRoute.client);
});
