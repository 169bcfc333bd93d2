/** Replaces security-level.ts in a firmware that installs nothing by itself. */
import type { Put } from "../config/schema.js";

export function securityPuts(): Put[] {
	return [];
}
