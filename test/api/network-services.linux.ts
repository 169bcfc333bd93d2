/** The firmware on Linux. */
import { networkServices } from "./network-services.js";

networkServices("linux");
