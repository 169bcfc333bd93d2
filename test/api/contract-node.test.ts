/**
 * The API with `npm start -- --engine node`. Only a part of the suite runs, because no product has this engine. The
 * host is the same for both engines and has its own suite (test/hosts/node/conformance.hosts.ts).
 */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("in a process, engine node", (mode) => ProcessGateway.start("node", { mode, isAhead: true }), ["smoke"]);
