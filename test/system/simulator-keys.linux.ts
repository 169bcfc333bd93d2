/** The checks of simulator-keys.ts (development keys in firmware files and reports) with the firmware on Linux. */
import { simulatorKeys } from "./simulator-keys.js";

simulatorKeys("linux");
