/** One suite, three worlds: the API on virtual time, and as `npm start` runs it with each engine. */
import { contract } from "./contract.js";
import { ProcessGateway } from "./process-gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

contract("on virtual time", async (mode) => new VirtualGateway(mode));
contract("in a process, engine node", (mode) => ProcessGateway.start("node", { mode, isAhead: true }));
contract("in a process, engine xs", (mode) => ProcessGateway.start("xs", { mode, isAhead: true }));
