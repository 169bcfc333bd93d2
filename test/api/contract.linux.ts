/** The API of the firmware in XS on Linux. */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("of the firmware on Linux", (mode) => ProcessGateway.start("linux", { mode }));
