/** The firmware on Linux. */
import { hubSending } from "./hub-sending.js";

hubSending("linux");
