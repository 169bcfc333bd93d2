/** The dialects. Other code refers to a dialect by its index here, never by its name. */
import type { Dialect } from "./dialect.js";
import { ECOTRACKER } from "./ecotracker.js";
import { HOMEWIZARD } from "./homewizard.js";
import { SHELLY } from "./shelly.js";

export const DIALECTS: readonly Dialect[] = Object.freeze([ECOTRACKER, SHELLY, HOMEWIZARD]);
