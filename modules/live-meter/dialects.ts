/** The dialects. A dialect is known by its index here, and is nowhere else known by name. */
import type { Dialect } from "./dialect.js";
import { ECOTRACKER } from "./ecotracker.js";
import { HOMEWIZARD } from "./homewizard.js";
import { SHELLY } from "./shelly.js";

export const DIALECTS: readonly Dialect[] = Object.freeze([ECOTRACKER, SHELLY, HOMEWIZARD]);
