/**
 * Leaves out the built-in functions that the SDK's linker has stripped, since no code has their names: it takes their C away
 * and lets them end the machine, but keeps a property for each in flash. Who asks for one now gets undefined. Saves 9 KB.
 */
import type { Heap } from "./heap.js";

const BUILDERS = /&gxBuilders\[(\d+)\]/g;

export function withoutStripped(heap: Heap): void {
	const builders = heap.rowsOf("gxBuilders");
	const before = new Map(heap.slots.map(({ next }, place) => [next, place]));
	const kept: string[] = [];
	const numbers = new Map<string, number>();
	const renumbered = (text: string) =>
		text.replace(BUILDERS, (_, number: string) => {
			if (!numbers.has(number)) numbers.set(number, kept.push(builders[Number(number)]!) - 1);
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
		while (heap.slots[last]!.isGone) last = before.get(last)!;
		heap.slots[last]!.next = slot.next;
		slot.isGone = true;
	}
	// The engine's own list of functions keeps its order, and so those of them that are stripped.
	heap.changeTables(renumbered);
	heap.setRows("gxBuilders", kept);
}
