/** Members of `system/status` that change on their own, for the route and for the event stream. */
import type { Core } from "../../core/core.js";
import type { Facts } from "../../core/facts.js";
import type { Part } from "../../part/part.js";

export function stateOf(core: Core, parts: readonly Part[]): Facts {
	const facts: Facts[number][] = [];
	for (const part of parts) facts.push(...part.state(core.find(part), core));
	return facts;
}
