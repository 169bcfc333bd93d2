/** Runs cable.ts with the firmware on Linux. */
import { cable } from "./cable.js";

cable("linux");
