/** The sockets are the host's with either engine, so the microcontroller's engine is enough. */
import { networkServices } from "./network-services.js";

networkServices("xs");
