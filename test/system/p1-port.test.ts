/** XS with the host of Node. */
import { p1Port } from "./p1-port.js";

p1Port("xs", 3);
