/** Both engines of the bench. */
import { networkServices } from "./network-services.js";

networkServices("node");
networkServices("xs");
