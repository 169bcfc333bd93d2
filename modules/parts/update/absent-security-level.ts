/** Replaces security-level.ts in a firmware without automatic security updates. */
import type { Put } from "../../config/schema.js";

export function securityPuts(): Put[] {
	return [];
}
