/** The sockets are the host's with either engine, so the microcontroller's engine is enough. */
import { hubSending } from "./hub-sending.js";

hubSending("xs");
