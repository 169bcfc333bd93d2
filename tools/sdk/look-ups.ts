/** Checks that XS finds the right properties of preloaded objects. */
import type { Heap } from "./heap.js";

/**
 * Checks all named slots. XS (fxOrdinaryGetProperty in xsType.c) considers a named slot to be a property of the object
 * whose index is the slot's index minus the colour of the name. Throws an Error if the slot belongs to another object.
 * Returns how many properties XS finds without walking along a list.
 */
export function checkLookUps(heap: Heap): number {
	const colors = heap.colors();
	const lists = new Map<number, ReadonlySet<number>>();
	let found = 0;
	for (const [place, { id, kind }] of heap.slots.entries()) {
		const color = colors[heap.numberOf(place)] ?? 0;
		const owner = place - color;
		if (color === 0 || kind === "XS_INSTANCE_KIND" || heap.slots[owner]?.kind !== "XS_INSTANCE_KIND") continue;
		if (heap.isEnvironment(owner)) continue;
		if (!lists.has(owner)) lists.set(owner, new Set(heap.listOf(owner)));
		if (!lists.get(owner)!.has(place))
			throw new Error(`XS would take slot ${place} (${id}) for a property of the object at ${owner}, which it is not.`);
		found++;
	}
	return found;
}
