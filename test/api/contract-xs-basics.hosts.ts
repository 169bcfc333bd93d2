/** The API with `npm start`, engine xs: settings, device, access and forms of requests. */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("in a process, engine xs", (mode) => ProcessGateway.start("xs", { mode, isAhead: true }), ["basics"]);
