/** Replaces sma.ts in a firmware without SMA's energy meter. */
import type { Dialect } from "./dialect.js";

export const SMA: readonly Dialect[] = Object.freeze([]);
