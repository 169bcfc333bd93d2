/** The API of the firmware in XS on Linux. test/whole has the checks of each route. */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("of the firmware on Linux", (mode) => ProcessGateway.start("linux", { mode }), ["basics", "meter", "peers"]);
