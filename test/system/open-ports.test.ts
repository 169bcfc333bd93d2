import { openPorts } from "./open-ports.js";

openPorts("node");
openPorts("xs");
