/** All portable checks of the host contract. */
import { basicChecks } from "./basic-checks.js";
import type { Check } from "./check.js";
import { networkChecks } from "./network-checks.js";
import { serialChecks } from "./serial-checks.js";

export const checks: readonly Check[] = [...basicChecks, ...serialChecks, ...networkChecks];
