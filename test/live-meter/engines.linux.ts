/** Runs engines.ts with the firmware on Linux. */
import { engines } from "./engines.js";

engines("linux");
