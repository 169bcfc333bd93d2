/** The API with `npm start`, engine xs: each route and each of its fields. */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("in a process, engine xs", (mode) => ProcessGateway.start("xs", { mode, isAhead: true }), ["eachRoute"]);
