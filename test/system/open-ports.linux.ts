/** The firmware on Linux. */
import { openPorts } from "./open-ports.js";

openPorts("linux");
