/** Runs log-flood.ts with the firmware on Linux. */
import { logFlood } from "./log-flood.js";
import { ProcessGateway } from "./process-gateway.js";

logFlood("The log of the firmware on Linux among wrong logins", () => ProcessGateway.start("linux"));
