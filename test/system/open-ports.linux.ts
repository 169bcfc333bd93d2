import { openPorts } from "./open-ports.js";

openPorts("linux");
