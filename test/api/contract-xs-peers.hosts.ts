/** The API with `npm start`, engine xs: hub, broker, backup, network, and secrets in all replies. */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("in a process, engine xs", (mode) => ProcessGateway.start("xs", { mode, isAhead: true }), ["peers"]);
