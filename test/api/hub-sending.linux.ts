/** Runs hub-sending.ts with the firmware on Linux. */
import { hubSending } from "./hub-sending.js";

hubSending("linux");
