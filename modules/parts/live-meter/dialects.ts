/** The dialects. Other code refers to them by index. */
import type { Dialect } from "./dialect.js";
import { ECOTRACKER } from "./ecotracker.js";
import { HOMEWIZARD } from "./homewizard.js";
import { SHELLY } from "./shelly.js";
import { SMA } from "./sma.js";
import { SUNSPEC } from "./sunspec.js";

export const DIALECTS: readonly Dialect[] = Object.freeze([ECOTRACKER, SHELLY, HOMEWIZARD, SMA, SUNSPEC]);
