/**
 * The dialects. Other code refers to them by index. Of those that have registers, or a UDP port, an earlier one has
 * priority.
 */
import { CT002 } from "./ct002.js";
import type { Dialect } from "./dialect.js";
import { ECOTRACKER } from "./ecotracker.js";
import { EM24 } from "./em24.js";
import { HOMEWIZARD } from "./homewizard.js";
import { SHELLY } from "./shelly.js";
import { SMA } from "./sma.js";
import { SUNSPEC } from "./sunspec.js";
import { TELEGRAMS } from "./telegrams.js";

export const DIALECTS: readonly Dialect[] = Object.freeze([
	...[ECOTRACKER, SHELLY, HOMEWIZARD, SMA, SUNSPEC, TELEGRAMS],
	...EM24,
	...CT002,
]);
