/** `npm start -- --cable` with both engines, since the engine in XS reaches the host's port over the bridge. */
import { cable } from "./cable.js";

cable("node");
cable("xs");
