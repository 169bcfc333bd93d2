/** Replaces mbus-store.ts in a firmware without M-Bus as master. */
import type { Slaves } from "../../mbus/session.js";

const NO_SLAVES: Slaves = Object.freeze({ baud: 0, address: 0, count: 0, secondary: Object.freeze([]) });

export function slavesOf(): Slaves {
	return NO_SLAVES;
}
