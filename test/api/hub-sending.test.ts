/** Runs hub-sending.ts in XS only, since both engines use the host's sockets. */
import { hubSending } from "./hub-sending.js";

hubSending("xs");
