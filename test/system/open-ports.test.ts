/** Both engines of the simulator. */
import { openPorts } from "./open-ports.js";

openPorts("node");
openPorts("xs");
