/** Development keys of the firmware on Linux. */
import { simulatorKeys } from "./simulator-keys.js";

simulatorKeys("linux");
