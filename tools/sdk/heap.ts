/**
 * Model of the preloaded machine in the SDK linker's C file. The file has an array of slots, one per line, which refer
 * to each other by index, and tables that refer to slots. Slots can be removed. The remaining slots are then reordered,
 * so that XS finds properties as fast as in the linker's own order.
 *
 * XS looks for a property at the object's index plus the colour of the name (fxOrdinaryGetProperty in xsType.c). If the
 * slot there has another name, XS walks the object's list. If the slot has that name, XS uses it without a further
 * check, so it must belong to the object.
 */

/** Reference to a slot. A check ensures that no string contains such a text. */
const PLACE = /&gxHeap\[(\d+)\]/g;
const LINE =
	/^\/\* \d+ \*\/\t\{ (NULL|\(txSlot\*\)(?:&gxHeap\[(\d+)\]|-?\d+)), \{\.ID = ([\w$]+)(?: \/\*.*?\*\/)?, \.flag = (\w+), \.kind = (\w+?) ?\}, \.value = (.*)$/;
export const CODE = "XS_CODE_X_KIND";
const COLORS = "static const txID gxColors[mxKeysCount] ICACHE_FLASH1_ATTR = {\n";
const HEAD = "static const txSlot gxHeap[mxHeapCount] = {\n";
const INTERNAL = 1;
const EXOTIC = 1;
/** Kinds that the first slot of an environment can have. The environment of `with` is an exception. */
const ENVIRONMENT = /^XS_(UNDEFINED|NULL)_KIND$/;
const NO_ID = "XS_NO_ID";

/** A slot, which takes 16 bytes of flash. */
export interface Slot {
	readonly line: string;
	/** Index of the next slot in the list. Undefined for the last slot, and for items of arrays. */
	next: number | undefined;
	readonly id: string;
	readonly flag: number;
	readonly kind: string;
	/** Text after `.value = `. */
	value: string;
	isRemoved: boolean;
}

export function isProperty({ id, flag, kind }: Slot): boolean {
	return (flag & INTERNAL) === 0 && id !== NO_ID && id !== "0" && kind !== "XS_INSTANCE_KIND";
}

export function placesIn(value: string): number[] {
	return [...value.matchAll(PLACE)].map((match) => Number(match[1]));
}

export class Heap {
	readonly slots: readonly Slot[];
	#before: string;
	#after: string;
	/** Numbers of the names, by the linker's constants for them. */
	readonly #ids = new Map<string, number>();

	/** Throws an Error if the text is not from the linker of SDK 8.2. */
	constructor(text: string) {
		const lines = arrayIn(text, HEAD, "};\n\n");
		this.#before = text.slice(0, lines.start - HEAD.length);
		this.#after = text.slice(lines.end);
		this.slots = text.slice(lines.start, lines.end).split("\n").map(readSlot);
		const keys = arrayIn(
			this.#after,
			"static const txSlot* const gxKeys[mxKeysCount] ICACHE_FLASH1_ATTR = {\n",
			"\n};",
		);
		const places = this.#after.slice(keys.start, keys.end).split("\n");
		for (const [number, line] of places.entries()) {
			const [place] = placesIn(line);
			const name = place === undefined ? undefined : /\{ "([^"]*)"/.exec(this.slots[place]!.value)?.[1];
			if (name !== undefined) this.#ids.set(`xsID_${name}`, number);
		}
	}

	listOf(place: number): number[] {
		const list: number[] = [];
		for (let next = this.slots[place]!.next; next !== undefined; next = this.slots[next]!.next) list.push(next);
		return list;
	}

	/** Returns true for the environment of a function. Captured variables are found by their positions, never by name. */
	isEnvironment(place: number): boolean {
		const { kind, flag, next } = this.slots[place]!;
		return (
			kind === "XS_INSTANCE_KIND" &&
			(flag & EXOTIC) !== 0 &&
			next !== undefined &&
			ENVIRONMENT.test(this.slots[next]!.kind)
		);
	}

	/** Returns the colours of the names, by the number of the name. */
	colors(): number[] {
		const { start, end } = arrayIn(this.#after, COLORS, "}");
		return this.#after.slice(start, end).match(/\d+/g)!.map(Number);
	}

	numberOf(place: number): number {
		const { id } = this.slots[place]!;
		return /^\d+$/.test(id) ? Number(id) : (this.#ids.get(id) ?? 0);
	}

	define(text: string): void {
		this.#before += `${text}\n`;
	}

	changeTables(change: (text: string) => string): void {
		this.#after = change(this.#after);
	}

	rowsOf(array: string): string[] {
		const { start, end } = this.#rows(array);
		return this.#before.slice(start, end).split("\n").slice(0, -1);
	}

	setRows(array: string, rows: readonly string[]): void {
		const { start, end } = this.#rows(array);
		const before = this.#before.slice(0, start).replace(/\[\d+\] = \{\n$/, `[${rows.length}] = {\n`);
		this.#before = before + rows.map((row) => `${row}\n`).join("") + this.#before.slice(end);
	}

	#rows(array: string): { start: number; end: number } {
		const head =
			new RegExp(`^static const \\w+ ${array}\\[\\d+\\] = \\{\n`, "m").exec(this.#before)?.[0] ?? `${array}[] = {`;
		return arrayIn(this.#before, head, "};\n");
	}

	placesInTables(): number[] {
		return placesIn(this.#after);
	}

	/** Returns the C file. Throws an Error if anything refers to a removed slot. */
	toString(): string {
		const { colors, order } = this.#layOut();
		const places = new Map(order.map((place, index) => [place, index]));
		places.set(this.slots.length, order.length);
		const moved = (text: string): string =>
			text.replace(PLACE, (_, place: string) => {
				const to = places.get(Number(place));
				if (to === undefined) throw new Error(`Something refers to slot ${place}, which is gone.`);
				return `&gxHeap[${to}]`;
			});
		const lines = order.map((place, index) => {
			if (place < 0)
				return lineOf(index, "NULL, {.ID = XS_NO_ID, .flag = 0x0, .kind = XS_UNDEFINED_KIND}, ", "{ .number = 0 } },");
			const { line, next, value } = this.slots[place]!;
			const head = /\t\{ (?:NULL|\(txSlot\*\)[^,]*), (\{.*?\}, )\.value = /.exec(line)!;
			const item = /\t\{ (\(txSlot\*\)-?\d+), /.exec(line)?.[1];
			const link = next !== undefined ? `(txSlot*)&gxHeap[${next}]` : (item ?? "NULL");
			return lineOf(index, moved(`${link}, ${head[1]}`), moved(value));
		});
		const count = (text: string) => text.replace(/(?<=#define mxHeapCount )\d+/, String(order.length));
		let number = 0;
		const colored = this.#after.replace(
			/(gxColors\[mxKeysCount\] ICACHE_FLASH1_ATTR = \{\n)([^}]*)/,
			(_, head, table) => head + table.replace(/\d+/g, () => String(colors.get(number++) ?? 0)),
		);
		return count(this.#before) + HEAD + lines.join("\n") + moved(colored);
	}

	/**
	 * Returns the new order of the slots, in which a number below 0 means an empty place, and the colours of the names by
	 * number.
	 */
	#layOut(): { colors: ReadonlyMap<number, number>; order: readonly number[] } {
		const owned = this.#ownedProperties();
		const colors = colorsOf([...owned.values()].map((list) => list.map((place) => this.numberOf(place))));
		const layout = new Layout((place) => colors.get(this.numberOf(place)) ?? 0);
		layout.append([0]);
		layout.addInstances(owned);
		const laidOut = new Set([0, ...owned.keys(), ...[...owned.values()].flat(), this.slots.length - 1]);
		const runs = this.#arrays();
		for (const run of runs) for (const place of run) laidOut.add(place);
		const single = [...this.slots.keys()].filter((place) => !laidOut.has(place) && !this.slots[place]!.isRemoved);
		layout.fill(single);
		for (const run of runs) layout.append(run);
		layout.append([this.slots.length - 1]);
		return { colors, order: layout.order };
	}

	/**
	 * Returns, for each instance, the slots of the properties that may be looked up in it. Captured variables are never
	 * looked up.
	 */
	#ownedProperties(): Map<number, number[]> {
		const owners = new Map<number, number>();
		const owned = new Map<number, number[]>();
		for (const [place, slot] of this.slots.entries()) {
			if (slot.kind !== "XS_INSTANCE_KIND" || slot.isRemoved) continue;
			const list = this.isEnvironment(place) ? [] : this.listOf(place).filter((at) => isProperty(this.slots[at]!));
			const own = list.filter((at) => !owners.has(at));
			for (const at of own) owners.set(at, place);
			owned.set(place, own);
		}
		return owned;
	}

	/** Returns the items of the arrays. Each list begins with the slot that has the array's size. */
	#arrays(): number[][] {
		return this.slots.flatMap(({ value, isRemoved }) => {
			const first = /^\{ \.array = \{ \(txSlot\*\)&gxHeap\[(\d+)\]/.exec(value)?.[1];
			if (first === undefined || isRemoved) return [];
			const size = Number(/\.integer = (\d+) \* sizeof/.exec(this.slots[Number(first) - 1]!.value)![1]);
			return [Array.from({ length: 1 + size }, (_, index) => Number(first) - 1 + index)];
		});
	}
}

/** Places the slots. Where XS looks for a property of an instance, it must not find the slot of another object. */
class Layout {
	readonly order: number[] = [];
	readonly #colorOf: (slot: number) => number;
	readonly #instances = new Set<number>();

	constructor(colorOf: (slot: number) => number) {
		this.#colorOf = colorOf;
	}

	addInstances(owned: ReadonlyMap<number, readonly number[]>): void {
		const sorted = [...owned].map(([slot, own]) => ({ slot, own, size: Math.max(0, ...own.map(this.#colorOf)) }));
		let free = this.order.length;
		for (const { slot, own } of sorted.sort((a, b) => b.size - a.size)) {
			while (this.#isTaken(free)) free++;
			let place = free;
			while (this.#isTaken(place) || own.some((property) => this.#isTaken(place + this.#colorOf(property)))) place++;
			this.#put(slot, place);
			this.#instances.add(place);
			for (const property of own) this.#put(property, place + this.#colorOf(property));
		}
	}

	fill(slots: readonly number[]): void {
		let holes = this.order.flatMap((slot, place) => (slot < 0 ? [place] : []));
		for (const slot of slots) {
			const hole = holes.slice(0, 100).find((place) => !this.#isTakenFor(slot, place));
			if (hole === undefined) this.append([slot]);
			else this.#put(slot, hole);
			if (hole !== undefined) holes = holes.filter((place) => place !== hole);
		}
	}

	append(slots: readonly number[]): void {
		let start = this.order.length;
		while (slots.some((slot, index) => this.#isTakenFor(slot, start + index))) start++;
		for (const [index, slot] of slots.entries()) this.#put(slot, start + index);
	}

	#isTaken(place: number): boolean {
		return (this.order[place] ?? -1) >= 0;
	}

	#isTakenFor(slot: number, place: number): boolean {
		const color = this.#colorOf(slot);
		return color > 0 && this.#instances.has(place - color);
	}

	#put(slot: number, place: number): void {
		while (this.order.length <= place) this.order.push(-1);
		this.order[place] = slot;
	}
}

/**
 * Returns the colours of names, counted from 1. Names in the same list get different colours, the most frequent names
 * first.
 */
function colorsOf(lists: readonly (readonly number[])[]): Map<number, number> {
	const listsOf = new Map<number, (readonly number[])[]>();
	for (const list of lists)
		for (const name of list) {
			const known = listsOf.get(name);
			if (known === undefined) listsOf.set(name, [list]);
			else known.push(list);
		}
	const colors = new Map<number, number>();
	for (const [name, its] of [...listsOf].sort((a, b) => b[1].length - a[1].length)) {
		const taken = new Set(its.flatMap((list) => list.map((other) => colors.get(other))));
		let color = 1;
		while (taken.has(color)) color++;
		colors.set(name, color);
	}
	return colors;
}

function arrayIn(text: string, head: string, end: string): { start: number; end: number } {
	const at = text.indexOf(head);
	if (at < 0) throw new Error(`The linker's file has no "${head.trim()}": this SDK writes it in another way.`);
	const start = at + head.length;
	return { start, end: text.indexOf(end, start) };
}

function readSlot(line: string): Slot {
	const match = LINE.exec(line);
	if (match === null) throw new Error(`The linker's file has a slot of another form: ${line}`);
	const [, , next, id, flag, kind, value] = match;
	return {
		line,
		next: next === undefined ? undefined : Number(next),
		id: id!,
		flag: flag === "XS_NO_FLAG" ? 0 : Number(flag),
		kind: kind!,
		value: value!,
		isRemoved: false,
	};
}

function lineOf(index: number, head: string, value: string): string {
	return `/* ${String(index).padStart(4, "0")} */\t{ ${head}.value = ${value}`;
}
