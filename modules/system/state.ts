/** What `system/status` shows that changes by itself, for it and for the stream of events. */
import type { Core } from "../core/core.js";
import type { Facts } from "../core/facts.js";
import type { Part } from "../part.js";

/** Taken down at once. */
export function stateOf(core: Core, parts: readonly Part[]): Facts {
	const facts: Facts[number][] = [];
	for (const part of parts) facts.push(...part.state(core.find(part), core));
	return facts;
}
