/** Both engines of the bench. */
import { openPorts } from "./open-ports.js";

openPorts("node");
openPorts("xs");
