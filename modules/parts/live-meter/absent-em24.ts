/** Replaces em24.ts in a firmware that can't reply as an EM24. */
import type { Dialect } from "./dialect.js";

export const EM24: readonly Dialect[] = Object.freeze([]);
