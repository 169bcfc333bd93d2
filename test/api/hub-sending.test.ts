/** `npm start`, with the engine of the microcontroller: sockets are the host's, whatever the engine. */
import { hubSending } from "./hub-sending.js";

hubSending("xs");
