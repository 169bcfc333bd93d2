/** The firmware on Linux. */
import { cable } from "./cable.js";

cable("linux");
