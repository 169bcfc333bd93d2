/** The firmware on Linux. */
import { engines } from "./engines.js";

engines("linux");
