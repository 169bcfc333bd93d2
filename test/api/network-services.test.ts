/** Runs network-services.ts in XS only, since both engines use the host's sockets. */
import { networkServices } from "./network-services.js";

networkServices("xs");
