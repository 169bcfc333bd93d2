/**
 * Reads the C file that the SDK's linker (xsl) writes. Calculates how many bytes of flash the preloaded machine takes,
 * separately for each owner.
 *
 * The file contains an array of slots and tables of names. Each slot is one line, which includes its byte code or
 * string. A slot belongs to the first owner from which it can be reached. The owners come in this order: built-ins of
 * the engine, modules of the SDK, the project's script. A built-in that can be reached only from the script counts as
 * part of the script.
 *
 * Sizes are those of the 32-bit microcontroller, where a slot has 16 bytes. The real size differs by about one per
 * cent.
 */

const SLOT_BYTES = 16;
const POINTER_BYTES = 4;
const ID_BYTES = 2;
const BUILDER_BYTES = 12;
const SCRIPT_BYTES = 36;

export interface Share {
	slots: number;
	codeBytes: number;
	stringBytes: number;
}

export interface Image {
	/** Bytes by owner. An owner is a module name in the manifest, or one of the constants below. */
	shares: Map<string, Share>;
	/** Number of bytes in the tables of names, scripts and native functions. */
	tableBytes: number;
	/** Number of changeable properties in flash. Each takes 4 bytes of RAM, and a slot of RAM after its first change. */
	aliases: number;
}

export const BUILT_INS = "(built-ins)";
export const NAMES = "(names)";
export const SCRIPT = "main";

interface Slot {
	/** Indexes of the next slots, empty in the last slot. */
	next: number[];
	refers: number[];
	isKey: boolean;
	/**
	 * True for a captured variable. Nearly all functions share one list of captured variables
	 * (tools/sdk/environments.ts).
	 */
	isCaptured: boolean;
	share: Share;
}

export function bytesOf({ slots, codeBytes, stringBytes }: Share): number {
	return slots * SLOT_BYTES + codeBytes + stringBytes;
}

/** Throws an Error if the text is not from the linker of SDK 8.2. */
export function readImage(text: string): Image {
	const lines = section(text, "txSlot gxHeap");
	const heap = lines.map(readSlot);
	const stack = section(text, "txSlot gxStack").map(readSlot);
	const { list, modules } = listModules(lines, heap);
	const shares = new Map<string, Share>();
	const owned = new Set<number>([0]);

	const take = (owner: string, roots: readonly number[]): void => {
		const share = shares.get(owner) ?? { slots: 0, codeBytes: 0, stringBytes: 0 };
		shares.set(owner, share);
		const waiting = roots.filter((index) => index !== list);
		for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
			if (owned.has(index) || heap[index] === undefined) continue;
			owned.add(index);
			add(share, heap[index].share);
			// The slots after a captured variable may be variables of other functions (`isCaptured`). They are followed only
			// for the script. It comes last and owns the rest of the list.
			if (owner === SCRIPT || !heap[index].isCaptured) waiting.push(...heap[index].next);
			waiting.push(...heap[index].refers);
		}
	};

	const keys = heap.flatMap((slot, index) => (slot.isKey ? [index] : []));
	for (const index of keys) owned.add(index);
	shares.set(NAMES, { slots: 0, codeBytes: 0, stringBytes: 0 });
	for (const index of keys) add(shares.get(NAMES)!, heap[index].share);
	// The list leads to every module, so each of its entries is followed separately.
	owned.add(list);
	for (const { entry } of modules) owned.add(entry);

	take(
		BUILT_INS,
		stack.flatMap((slot) => slot.refers),
	);
	for (const slot of stack) add(shares.get(BUILT_INS)!, slot.share);
	const sorted = [...modules].sort((a, b) => Number(a.name === SCRIPT) - Number(b.name === SCRIPT));
	for (const { name, entry, instance } of sorted) {
		take(name, [instance]);
		add(shares.get(name)!, heap[entry].share);
	}
	heap.forEach((slot, index) => {
		if (!owned.has(index) || index === 0 || index === list) add(shares.get(BUILT_INS)!, slot.share);
	});
	for (const { name, bytes } of loadedScripts(text)) {
		const share = shares.get(name) ?? { slots: 0, codeBytes: 0, stringBytes: 0 };
		share.codeBytes += bytes;
		shares.set(name, share);
	}
	return { shares, tableBytes: tableBytes(text), aliases: Number(/#define mxAliasCount (\d+)/.exec(text)?.[1] ?? 0) };
}

function section(text: string, name: string): string[] {
	const head = new RegExp(`^static const ${name}\\[\\w+\\] = \\{\\n`, "m").exec(text);
	if (head === null) throw new Error(`The linker's file has no ${name}: this SDK writes it in another way.`);
	const start = head.index + head[0].length;
	return text
		.slice(start, text.indexOf("};\n", start))
		.split("\n")
		.filter((line) => line.includes("{"));
}

function readSlot(line: string): Slot {
	const buffers = [...line.matchAll(/\(txByte\*\)"((?:\\x..)*)"/g)].reduce(
		(sum, match) => sum + match[1].length / 4,
		0,
	);
	// The code may be part of the array that contains all code (tools/sdk/shorter-code.ts).
	const code = buffers + Number(/gxCodes\[\d+\] \/\* (\d+) bytes/.exec(line)?.[1] ?? 0);
	const string = /\.(?:string|key) = (?:\{ )?("(?:[^"\\]|\\.|"")*")/.exec(line)?.[1];
	// Strings are removed first, because a string may contain text like a reference.
	const [first, ...rest] = line.replace(/"(?:[^"\\]|\\.)*"/g, "").split(", {.ID");
	const indexes = (part: string) => [...part.matchAll(/&gxHeap\[(\d+)\]/g)].map((match) => Number(match[1]));
	// The line states only the first of an array's consecutive slots, and their number.
	const [, start, length] = /\.array = \{ \(txSlot\*\)&gxHeap\[(\d+)\], (\d+) \}/.exec(line) ?? [];
	const items = Array.from({ length: Number(length ?? 0) }, (_, index) => Number(start) + index);
	return {
		next: indexes(first),
		refers: [...indexes(rest.join()), ...items],
		isCaptured: /\.kind = XS_CLOSURE_KIND/.test(line),
		isKey: /\.kind = XS_KEY(_X)?_KIND/.test(line),
		share: { slots: 1, codeBytes: code, stringBytes: string === undefined ? 0 : textLength(string) + 1 },
	};
}

/** Returns the number of bytes without the NUL. The linker writes each byte outside ASCII as `\xNN""`. */
function textLength(literal: string): number {
	return literal
		.slice(1, -1)
		.replace(/\\x..""/g, "x")
		.replace(/\\./g, "x").length;
}

interface Module {
	name: string;
	entry: number;
	instance: number;
}

/** Finds the object that has a property for each loaded module, one of which is our script. */
function listModules(lines: readonly string[], heap: readonly Slot[]): { list: number; modules: Module[] } {
	const pattern =
		/\.ID = (?:xsID_(\w+)|\d+ \/\* (.+?) \*\/), .*XS_REFERENCE_KIND.*\.reference = \(txSlot\*\)&gxHeap\[(\d+)\]/;
	const moduleAt = (entry: number): Module | undefined => {
		const match = pattern.exec(lines[entry]);
		return match === null ? undefined : { name: match[1] ?? match[2], entry, instance: Number(match[3]) };
	};
	const before = new Map(heap.flatMap(({ next }, index) => next.map((other): [number, number] => [other, index])));
	let list = heap.findIndex((_, index) => moduleAt(index)?.name === SCRIPT);
	if (list < 0) throw new Error(`The linker's file has no module ${SCRIPT}: this SDK writes it in another way.`);
	while (before.has(list)) list = before.get(list)!;
	const modules: Module[] = [];
	for (let entry = heap[list].next[0]; entry !== undefined; entry = heap[entry].next[0]) {
		const module = moduleAt(entry);
		if (module !== undefined) modules.push(module);
	}
	return { list, modules };
}

function loadedScripts(text: string): { name: string; bytes: number }[] {
	const pattern = /\(txS1\*\)gxCode\d+, (\d+), [^"]*"([^"]+)"/g;
	return [...text.matchAll(pattern)].map((match) => ({ name: match[2], bytes: Number(match[1]) }));
}

function tableBytes(text: string): number {
	const count = (name: string) => Number(new RegExp(`#define mx${name}Count (\\d+)`).exec(text)?.[1] ?? 0);
	const pointers = count("Keys") + count("Names") + count("Symbols") + count("Slot");
	const colors = text.includes("txID gxColors[") ? count("Keys") * ID_BYTES : 0;
	const builders = [...text.matchAll(/xsHostBuilder gxBuilders\d*\[(\d+)\]/g)];
	const numbers = (count("BigInt") + count("RegExp")) * 4;
	const hosts = builders.reduce((sum, match) => sum + Number(match[1]), 0) * BUILDER_BYTES;
	return pointers * POINTER_BYTES + colors + numbers + hosts + count("Scripts") * SCRIPT_BYTES;
}

function add(share: Share, more: Share): void {
	share.slots += more.slots;
	share.codeBytes += more.codeBytes;
	share.stringBytes += more.stringBytes;
}
