/** Runs cable.ts with both engines, since the engine in XS reaches the host's Ethernet port through the bridge. */
import { cable } from "./cable.js";

cable("node");
cable("xs");
