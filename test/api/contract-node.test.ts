/**
 * The API as `npm start -- --engine node` runs it, in a process: a part of the suite, since this engine runs on no product.
 * The host below it has its conformance suite (test/hosts/node/conformance.test.ts) and is the same for both engines.
 */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";

contract("in a process, engine node", (mode) => ProcessGateway.start("node", { mode, isAhead: true }), ["smoke"]);
