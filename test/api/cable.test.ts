/** Runs cable.ts with both engines, because the XS engine reaches the host's Ethernet port through a bridge. */
import { cable } from "./cable.js";

cable("node");
cable("xs");
