import { contract } from "./contract.js";
import { VirtualGateway } from "./virtual-gateway.js";

contract("on virtual time", async (mode) => new VirtualGateway(mode));
