/** The firmware on Linux. */
import { p1Port } from "./p1-port.js";

p1Port("linux", 10);
