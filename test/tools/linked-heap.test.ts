/** Tests of the code that reduces the preloaded machine, which the SDK's linker writes as C. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changedFileIn, KNOWN } from "../../tools/sdk/engine.js";
import { sequenceOf, shareEnvironments } from "../../tools/sdk/environments.js";
import { Heap, isProperty, placesIn } from "../../tools/sdk/heap.js";
import { checkLookUps } from "../../tools/sdk/look-ups.js";
import { withoutStripped } from "../../tools/sdk/stripped.js";
import { machineOf, NAMES, slotOf, to } from "./linked-machine.js";

function object(first: number | undefined): string {
	return slotOf("INSTANCE", ".instance = { NULL, NULL }", {
		...(first === undefined ? {} : { next: first }),
		flag: 0xd0,
	});
}

function property(name: string, value: number, next?: number): string {
	const head = { id: `xsID_${name}`, flag: 0x8e, ...(next === undefined ? {} : { next }) };
	return slotOf("INTEGER", `.integer = ${value}`, head);
}

/**
 * A function for each text; it captures the variables named by the text's letters in its own environment. The list of
 * all functions comes first.
 */
function functions(texts: readonly string[]): { lines: string[]; code: number[] } {
	const lines = [object(undefined)];
	const variables = new Map<string, number>();
	for (const letter of new Set(texts.join("")))
		variables.set(letter, lines.push(slotOf("INTEGER", `.integer = ${letter.charCodeAt(0)}`)));
	const code: number[] = [];
	for (const text of texts) {
		const start = lines.length + 1;
		lines.push(slotOf("INSTANCE", ".instance = { NULL, NULL }", { next: start + 1, flag: 0xd1 }));
		lines.push(slotOf("UNDEFINED", ".number = 0", { id: "8", next: start + 2 }));
		for (const [index, letter] of [...text].entries()) {
			const next = index + 1 < text.length ? { next: start + 3 + index } : {};
			lines.push(
				slotOf("CLOSURE", `.closure = ${to(variables.get(letter)!)}`, { id: `xsID_${letter}`, flag: 0x8e, ...next }),
			);
		}
		code.push(lines.push(slotOf("CODE_X", `.code = { (txByte*)"\\x0c\\x00", ${to(start)} }`)));
	}
	return { lines, code };
}

/** Variables that each function captures, in the order of the functions' slots; `lengths` says how many it has. */
function captured(heap: Heap, lengths: readonly number[]): string[] {
	const code = heap.slots.filter(({ kind }) => kind === "XS_CODE_X_KIND");
	return code.map(({ value }, index) => {
		const list = heap.listOf(placesIn(value)[0]!).slice(1, 1 + lengths[index]!);
		const letters = list.map((at) => /\d+/.exec(heap.slots[placesIn(heap.slots[at]!.value)[0]!]!.value)![0]);
		return String.fromCharCode(...letters.map(Number));
	});
}

describe("Captured variables of the firmware's functions", () => {
	for (const [lists, length] of [
		[["abc", "bcd", "cde"], 5],
		[["a", "ab", "abc", "c", "bc"], 3],
		[["ab", "cd", "bc", "da"], 5],
		[["ab", "ba"], 3],
		[["abab", "ba", "babx"], 5],
		[["aa", "a"], 2],
		[["ab", "cd"], 4],
		[[], 0],
	] as [string[], number][])
		it(`become one sequence that contains each list: ${lists.join(" ")}`, () => {
			const sequence = sequenceOf(lists.map((list) => [...list])).join("");
			for (const list of lists) assert.ok(sequence.includes(list), `${sequence} has no ${list}`);
			assert.equal(sequence.length, length);
		});

	it("are shared, and each function keeps its own", () => {
		const texts = ["abc", "b", "bcd", "abc", "dc", "cd"];
		const { lines } = functions(texts);
		const heap = new Heap(machineOf(lines));
		shareEnvironments(heap);
		const small = new Heap(heap.toString());
		const lengths = texts.map(({ length }) => length);
		assert.deepEqual(captured(small, lengths), texts);
		// Five for abcdc, and an object with a slot of its own before them.
		assert.equal(small.slots.filter(({ kind }) => kind === "XS_CLOSURE_KIND").length, 5);
		assert.equal(small.slots.length, heap.slots.length - (2 * texts.length + texts.join("").length) + 2 + 5);
	});

	it("stay unchanged if something else refers to them, or the list contains other slots", () => {
		const { lines, code } = functions(["ab", "ab", "ab"]);
		lines.push(slotOf("REFERENCE", `.reference = ${to(code[0]! - 4)}`));
		lines[code[1]! - 2] = lines[code[1]! - 2]!.replace(
			/CLOSURE_KIND.*/,
			"REFERENCE_KIND}, .value = { .reference = NULL } },",
		);
		const heap = new Heap(machineOf(lines));
		shareEnvironments(heap);
		assert.equal(heap.toString().match(/\.flag = 0xd1/g)!.length, 3);
	});
});

describe("Slots of the firmware", () => {
	const OBJECTS = [
		object(2),
		property("a", 1, 3),
		property("c", 2),
		object(5),
		property("b", 3, 6),
		property("c", 4, 7),
		property("d", 5),
		object(9),
		property("d", 6, 10),
		property("a", 7),
	];

	it("are where XS looks for them, and never where it would look for another object's property", () => {
		const text = new Heap(machineOf(OBJECTS)).toString();
		assert.equal(checkLookUps(new Heap(text)), 7);
		assert.equal(new Heap(text).slots.filter(isProperty).length, 7);
	});

	it("are rejected if XS would take one for a property of another object", () => {
		const text = new Heap(machineOf(OBJECTS)).toString();
		const colors = new Heap(text).colors();
		const objects = new Heap(text).slots.flatMap(({ kind }, place) => (kind === "XS_INSTANCE_KIND" ? [place] : []));
		// For each object and a property of another one: gives the property's name the color with which XS would find
		// it from the object.
		let wrong = 0;
		for (const owner of objects)
			for (const [place, slot] of new Heap(text).slots.entries()) {
				const heap = new Heap(text);
				const number = heap.numberOf(place);
				if (!isProperty(slot) || place <= owner || heap.listOf(owner).includes(place)) continue;
				const changed = colors.map((color, index) => (index === number ? place - owner : color));
				heap.changeTables((table) =>
					table.replace(/(gxColors.*\{\n)[^}]*/, `$1${changed.map((one) => `\t${one},\n`).join("")}`),
				);
				assert.throws(() => checkLookUps(heap), /^Error: XS would take slot \d+ \(xsID_\w\) for a property/);
				wrong++;
			}
		assert.ok(wrong > 5, String(wrong));
	});

	it("keep their lists, the references to them, and the order of array items", () => {
		const items = [
			slotOf("ARRAY", `.array = { ${to(13)}, 2 }`, { id: "3" }),
			slotOf("INTEGER", ".integer = 2 * sizeof(txSlot)", { flag: 0x80 }),
			slotOf("REFERENCE", `.reference = ${to(4)}`).replace("NULL", "(txSlot*)0"),
			slotOf("STRING_X", '.string = "x"').replace("NULL", "(txSlot*)1"),
		];
		const text = new Heap(machineOf([...OBJECTS, ...items])).toString();
		const heap = new Heap(text);
		const valuesOf = (place: number) => heap.listOf(place).map((at) => Number(/\d+/.exec(heap.slots[at]!.value)![0]));
		const [first] = placesIn(text.slice(text.indexOf("gxStack")));
		assert.deepEqual(valuesOf(first!), [1, 2]);
		const array = heap.slots.find(({ kind }) => kind === "XS_ARRAY_KIND")!;
		const [start] = placesIn(array.value);
		assert.match(heap.slots[start! - 1]!.line, /2 \* sizeof/);
		assert.match(heap.slots[start! + 1]!.line, /\(txSlot\*\)1, .*"x"/);
		assert.deepEqual(valuesOf(placesIn(heap.slots[start!]!.value)[0]!), [3, 4, 5]);
		assert.deepEqual(placesIn(heap.slots[0]!.value), [heap.slots.length]);
		assert.match(text, new RegExp(`#define mxHeapCount ${heap.slots.length}\n`));
	});

	it("are rejected in another form than that of the linker of SDK 8.2, or if one is missing", () => {
		assert.throws(() => new Heap(machineOf(["{ 0 },"])), /another form/);
		assert.throws(() => new Heap("int main() {}"), /another way/);
		const heap = new Heap(machineOf(OBJECTS));
		heap.slots[1]!.isRemoved = true;
		assert.throws(() => heap.toString(), /which is gone/);
	});
});

describe("Built-in functions that the linker has stripped", () => {
	/** A built-in object with these functions, listed in another order than their slots. */
	function builtIns(list: readonly number[]): Heap {
		const places = [...list.keys()].map((index) => list.length + 1 - index);
		const functions = list.map((builder, index) => {
			const next = places[index + 1];
			const value = `.hostFunction = { &gxBuilders[${builder}], ${builder} }`;
			return slotOf("HOST_FUNCTION", value, {
				id: `xsID_${NAMES[builder]}`,
				flag: 0x8e,
				...(next === undefined ? {} : { next }),
			});
		});
		const heap = new Heap(machineOf([object(places[0]), ...functions.reverse()]));
		withoutStripped(heap);
		return new Heap(heap.toString());
	}

	for (const [list, names] of [
		[
			[0, 1, 3],
			["a", "d"],
		],
		[
			[1, 2, 0, 3],
			["a", "d"],
		],
		[
			[0, 3, 2, 1],
			["a", "d"],
		],
		[
			[3, 1, 2, 0],
			["d", "a"],
		],
		[[1, 2], []],
		[[0], ["a"]],
	] as [number[], string[]][])
		it(`are removed as properties: ${list.map((index) => NAMES[index]).join(" ")}`, () => {
			const heap = builtIns(list);
			const object = heap.slots.findIndex(({ kind }) => kind === "XS_INSTANCE_KIND");
			const own = heap.listOf(object).map((place) => heap.slots[place]!);
			assert.deepEqual(
				own.map(({ id }) => id),
				names.map((name) => `xsID_${name}`),
			);
			const rows = heap.rowsOf("gxBuilders");
			const builders = own.map(({ value }) => rows[Number(/gxBuilders\[(\d+)\]/.exec(value)![1])]);
			assert.deepEqual(
				builders,
				names.map((name) => `\t{ fx_${name}, 1, xsID_${name} },`),
			);
		});

	it("stay in the engine's own list, with their number", () => {
		const text = builtIns([1, 3, 2]).toString();
		assert.match(text, /gxBuilders\[2\] = \{\n\t\{ fx_d, 1, xsID_d \},\n\t\{ fxDeadStrip, 2, xsID_c \},\n\};/);
		assert.match(text.slice(text.indexOf("gxStack")), /\{ &gxBuilders\[1\], 7 \}/);
	});
});

describe("An unknown SDK", () => {
	it("is rejected with the name of the changed file and advice", () => {
		const xs = mkdtempSync(join(tmpdir(), "gateway-engine-"));
		try {
			for (const folder of ["sources", "tools"]) mkdirSync(join(xs, folder));
			for (const name of Object.keys(KNOWN)) writeFileSync(join(xs, name), "");
			const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
			const known = Object.fromEntries(Object.keys(KNOWN).map((name) => [name, empty]));
			assert.equal(changedFileIn(xs, known), undefined);
			for (const name of ["tools/xslSlot.c", "sources/xsCode.c", "sources/xsType.c"]) {
				writeFileSync(join(xs, name), "int other;");
				assert.ok(changedFileIn(xs, known)!.startsWith(`${name} of this Moddable SDK is not that of 8.2.3`), name);
			}
			assert.match(changedFileIn(xs, known)!, /GATEWAY_PLAIN=linker/);
		} finally {
			rmSync(xs, { recursive: true });
		}
	});
});
