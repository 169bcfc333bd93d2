/** Installations from a server, by the firmware on Linux, with the memory of the device. */
import { downloads } from "./downloads.js";

downloads("linux");
