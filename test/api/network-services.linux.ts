/** Runs network-services.ts with the firmware on Linux. */
import { networkServices } from "./network-services.js";

networkServices("linux");
