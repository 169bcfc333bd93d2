/** `npm start -- --cable`, with both engines: the port is the host's, and the one in XS goes by the bridge. */
import { cable } from "./cable.js";

cable("node");
cable("xs");
