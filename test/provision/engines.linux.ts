/** Signed settings files in XS on Linux, with the limits of the chip. */
import { provisionOn } from "./engines.js";

provisionOn("linux");
