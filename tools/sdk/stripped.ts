/**
 * Leaves out the methods of built-in objects that the SDK's linker has stripped. It strips a method if no code contains
 * the method's name. It removes the method's C (fxDeadStrip in xsl.c) but keeps a property for the method in flash.
 * Leaving out these properties saves 9 KB.
 *
 * The properties of stripped constructors, getters and setters remain, and so do the properties of functions in the
 * engine's own tables. A call of a stripped function ends the machine ("dead strip", 4). The linker does not strip a
 * function if any code contains its name, or if the engine itself calls it, for example for conversions and iteration
 * (fxStripCallbacks in xslStrip.c).
 */
import type { Heap } from "./heap.js";

const BUILDERS = /&gxBuilders\[(\d+)\]/g;

export function withoutStripped(heap: Heap): void {
	const builders = heap.rowsOf("gxBuilders");
	const before = new Map(heap.slots.map(({ next }, place) => [next, place]));
	const remaining: string[] = [];
	const numbers = new Map<string, number>();
	const renumbered = (text: string) =>
		text.replace(BUILDERS, (_, number: string) => {
			if (!numbers.has(number)) numbers.set(number, remaining.push(builders[Number(number)]!) - 1);
			return `&gxBuilders[${numbers.get(number)}]`;
		});
	for (const [place, slot] of heap.slots.entries()) {
		const [[, number] = []] = slot.value.matchAll(BUILDERS);
		if (number === undefined) continue;
		if (!/\bfxDeadStrip\b/.test(builders[Number(number)]!)) {
			slot.value = renumbered(slot.value);
			continue;
		}
		let last = before.get(place)!;
		while (heap.slots[last]!.isRemoved) last = before.get(last)!;
		heap.slots[last]!.next = slot.next;
		slot.isRemoved = true;
	}
	// The engine's own list of functions keeps its order, so stripped functions remain in it.
	heap.changeTables(renumbered);
	heap.setRows("gxBuilders", remaining);
}
