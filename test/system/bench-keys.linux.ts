/** Development keys of the firmware on Linux. */
import { benchKeys } from "./bench-keys.js";

benchKeys("linux");
