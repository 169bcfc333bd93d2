/** Replaces ct002.ts in a firmware that can't reply as a CT002. */
import type { Dialect } from "./dialect.js";

export const CT002: readonly Dialect[] = Object.freeze([]);
