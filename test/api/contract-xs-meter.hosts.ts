/** The API with `npm start`, engine xs: the meter and its access rights. */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("in a process, engine xs", (mode) => ProcessGateway.start("xs", { mode, isAhead: true }), ["meter"]);
