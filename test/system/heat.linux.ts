/** The tests of heat.test.ts with the firmware on Linux. */
import { heatMeters } from "./heat.js";

heatMeters("linux");
