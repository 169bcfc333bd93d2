/** The open ports of the firmware on Linux. */
import { openPorts } from "./open-ports.js";

openPorts("linux");
