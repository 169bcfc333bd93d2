/** Replaces sunspec.ts in a firmware without SunSpec. */
import type { Dialect } from "./dialect.js";

export const SUNSPEC: readonly Dialect[] = Object.freeze([]);
