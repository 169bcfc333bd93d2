/**
 * Stores the captured variables of all firmware functions in one shared list. Otherwise XS has an environment for each
 * function that captures variables, which takes 32 bytes, and 16 bytes per variable.
 *
 * In the preloaded machine, environments never change. A function copies from its environment as many slots as its byte
 * code says, from the third slot on (RETRIEVE in xsRun.c). Therefore the first two slots may have any content, and more
 * slots may follow, so that all lists can overlap in a single one. This saves 44 KB of flash and costs nothing at run
 * time.
 */
import { CODE, type Heap, placesIn, type Slot } from "./heap.js";

/** Returns a sequence that contains each list. The end of a list may also be the beginning of another one. */
export function sequenceOf(lists: readonly (readonly string[])[]): string[] {
	let parts: (readonly string[])[] = [];
	for (const list of [...lists].sort((a, b) => b.length - a.length))
		if (!parts.some((part) => placeOf(list, part) >= 0)) parts.push(list);
	for (let length = (parts[0]?.length ?? 0) - 1; length > 0; length--) parts = joined(parts, length);
	return parts.flat();
}

function joined(lists: readonly (readonly string[])[], length: number): (readonly string[])[] {
	const open = new Set(lists.filter((list) => list.length > length));
	const rest = lists.filter((list) => !open.has(list));
	const byBeginning = new Map<string, (readonly string[])[]>();
	const add = (list: readonly string[]) => {
		const key = list.slice(0, length).join("\n");
		byBeginning.set(key, [...(byBeginning.get(key) ?? []), list]);
		open.add(list);
	};
	for (const list of [...open]) add(list);
	for (const first of [...open]) {
		if (!open.delete(first)) continue;
		let list = first;
		const next = () => byBeginning.get(list.slice(-length).join("\n"))?.find((other) => open.has(other));
		for (let other = next(); other !== undefined; other = next()) {
			open.delete(other);
			list = [...list, ...other.slice(length)];
		}
		add(list);
	}
	return [...open, ...rest];
}

function placeOf(list: readonly string[], whole: readonly string[]): number {
	for (let place = whole.indexOf(list[0]!); place >= 0; place = whole.indexOf(list[0]!, place + 1))
		if (list.every((item, index) => whole[place + index] === item)) return place;
	return -1;
}

export function shareEnvironments(heap: Heap): void {
	const { slots } = heap;
	const users = new Map<number, Slot[]>();
	const others = new Set(heap.placesInTables());
	for (const slot of slots) {
		const places = placesIn(slot.value);
		const [environment] = slot.kind === CODE ? places : [];
		if (environment === undefined) for (const place of places) others.add(place);
		else users.set(environment, [...(users.get(environment) ?? []), slot]);
	}
	// XS expects the `this` of an arrow function at the end of the function's list.
	const shared = [...users.keys()].filter((place) => {
		const [own, ...captured] = heap.listOf(place);
		const isPlain = captured.length > 0 && captured.every((at) => slots[at]!.kind === "XS_CLOSURE_KIND");
		return heap.isEnvironment(place) && isPlain && ![place, own!, ...captured].some((at) => others.has(at));
	});
	if (shared.length === 0) return;
	const keyOf = ({ id, flag, value }: Slot) => `${id} ${flag} ${value}`;
	const lists = shared.map((place) => heap.listOf(place).slice(1));
	const keys = lists.map((list) => list.map((at) => keyOf(slots[at]!)));
	const sequence = sequenceOf(keys);

	const spare = new Map<string, number[]>();
	for (const at of lists.flat()) {
		slots[at]!.isRemoved = true;
		const key = keyOf(slots[at]!);
		spare.set(key, [...(spare.get(key) ?? []), at]);
	}
	for (const place of shared) slots[place]!.isRemoved = slots[slots[place]!.next!]!.isRemoved = true;
	const [first] = shared;
	const chain = [first!, slots[first!]!.next!, ...sequence.map((key) => spare.get(key)!.pop()!)];
	for (const [index, at] of chain.entries()) {
		slots[at]!.isRemoved = false;
		slots[at]!.next = chain[index + 1];
	}
	for (const [index, place] of shared.entries()) {
		const start = chain[placeOf(keys[index]!, sequence)]!;
		for (const user of users.get(place)!) user.value = user.value.replace(`&gxHeap[${place}]`, `&gxHeap[${start}]`);
	}
}
