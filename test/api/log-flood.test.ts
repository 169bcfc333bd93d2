import { logFlood } from "./log-flood.js";
import { ProcessGateway } from "./process-gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

logFlood("The log among wrong logins", async () => new VirtualGateway());
logFlood("The log of the simulator among wrong logins", () => ProcessGateway.start("xs"));
