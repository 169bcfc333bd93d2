/** `npm start`, with the engine of the microcontroller: sockets are the host's, whatever the engine. */
import { networkServices } from "./network-services.js";

networkServices("xs");
