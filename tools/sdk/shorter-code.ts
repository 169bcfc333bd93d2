/**
 * Shortens the functions' byte code, in bytes and in steps. XS's own compiler cannot do this:
 * - It gives all branches in a script the width that the longest one needs. Here each branch gets the width that it
 *   needs itself.
 * - It creates each variable with a name and without a value, so that a use before the declaration is an error. The
 *   type checker has already found such uses. Therefore a slot without a name suffices here, and a declaration becomes
 *   an assignment.
 * - In conditions with several operands it keeps a value on the stack only to branch on it again. Here the first branch
 *   leads directly to the final target.
 * - It looks for each global in the script's own variables first. Here a global is a property of the global object.
 * - It compiles -1, and `void 0` (which the bundler writes for `undefined`), as calculations. Here they are constants.
 * - It creates and removes variables one by one, and copies arguments into variables (locals.ts).
 * - It branches to the end of the function, or to another branch. Here the end or the final target takes that place.
 * - At each use it copies strings, and the code of nested functions, into RAM. Here they stay in flash.
 */
import { type Instruction, type InstructionSet, LAST, without } from "./byte-code.js";
import { CODE, type Heap } from "./heap.js";
import { withFewerLocals } from "./locals.js";

const CONDITION = /^BRANCH_(ELSE|IF)$/;
/** Byte code as the linker writes it, which is a C string. */
const LITERAL = /\(txByte\*\)"((?:\\x..)+)"/;
const ESCAPE_LENGTH = 4;
/** Instructions that only put a value on the stack. */
const PLAIN = /^(ARGUMENT|DUB|FALSE|GET_LOCAL_[12]|INTEGER_[124]|NULL|STRING_ARCHIVE_[124]|THIS|TRUE|UNDEFINED)$/;
const ENDS = /^END(_ARROW|_BASE|_DERIVED)?$/;
const IN_FLASH = /^(STRING_[124]|CODE)$/;

export function shortened(code: readonly Instruction[]): Instruction[] {
	let list = [...code];
	for (const instruction of list)
		if (IN_FLASH.test(instruction.name)) instruction.name = instruction.name.replace(/^[A-Z]+/, "$&_ARCHIVE");
	list = withFewerLocals(withPlainLocals(withConstants(list)));
	for (let length = Infinity; list.length < length; ) {
		length = list.length;
		list = withShortWays(withShortConditions(list));
	}
	return list;
}

function withConstants(list: readonly Instruction[]): Instruction[] {
	const targets = new Set(list.map(({ target }) => target));
	const removed = new Set<Instruction>();
	for (const [index, instruction] of list.entries()) {
		const next = list[index + 1];
		if (instruction.name === "PROGRAM_REFERENCE" && next?.name === "GET_VARIABLE" && !targets.has(next)) {
			instruction.name = "GLOBAL";
			instruction.operand = [];
			next.name = "GET_PROPERTY";
			continue;
		}
		if (instruction.name !== "INTEGER_1" || next === undefined || targets.has(next)) continue;
		const value = instruction.operand[0]!;
		if (next.name === "VOID") {
			instruction.name = "UNDEFINED";
			instruction.operand = [];
			removed.add(next);
		} else if (next.name === "MINUS" && value > 0 && value < 0x80) {
			instruction.operand = [0x100 - value];
			removed.add(next);
		}
	}
	return without(list, removed);
}

function withPlainLocals(list: readonly Instruction[]): Instruction[] {
	const targets = new Set(list.map(({ target }) => target));
	const removed = new Set<Instruction>();
	for (const [index, instruction] of list.entries()) {
		const next = list[index + 1];
		const [, width] = /^(?:CONST|LET|VAR)_LOCAL_([12])$/.exec(instruction.name) ?? [];
		if (instruction.name === "NEW_LOCAL") {
			instruction.name = "NEW_TEMPORARY";
			instruction.operand = [];
		} else if (/^RE(SET|FRESH)_LOCAL_/.test(instruction.name)) removed.add(instruction);
		else if (width !== undefined && next?.name === "POP" && !targets.has(next)) {
			instruction.name = `PULL_LOCAL_${width}`;
			removed.add(next);
		} else if (width !== undefined) instruction.name = `VAR_LOCAL_${width}`;
	}
	return withKeptValues(without(list, removed));
}

/** Keeps a value on the stack if it is stored and then immediately loaded again. */
function withKeptValues(list: readonly Instruction[]): Instruction[] {
	const targets = new Set(list.map(({ target }) => target));
	const removed = new Set<Instruction>();
	for (const [index, instruction] of list.entries()) {
		const next = list[index + 1];
		const [, width] = /^PULL_LOCAL_([12])$/.exec(instruction.name) ?? [];
		if (width === undefined || next?.name !== `GET_LOCAL_${width}` || targets.has(next)) continue;
		if (instruction.operand.join() !== next.operand.join()) continue;
		instruction.name = `SET_LOCAL_${width}`;
		removed.add(next);
	}
	return without(list, removed);
}

function withShortConditions(list: readonly Instruction[]): Instruction[] {
	const targets = new Set(list.map(({ target }) => target));
	const places = new Map(list.map((instruction, index) => [instruction, index]));
	const removed = new Set<Instruction>();
	const areLeft = (...all: (Instruction | undefined)[]) => all.every((one) => one !== undefined && !removed.has(one));
	for (const [index, first] of list.entries()) {
		const [second, third] = [list[index + 1], list[index + 2]];
		if (!areLeft(first, second) || !CONDITION.test(second!.name) || targets.has(second)) continue;
		if (first.name === "NOT") {
			second!.name = opposite(second!.name);
			removed.add(first);
		} else if (first.name === "DUB" && third?.name === "POP" && areLeft(third) && !targets.has(third)) {
			const place = places.get(second!.target!)!;
			const [at, after, last] = [list[place]!, list[place + 1], list[place + 2]];
			if (!areLeft(at)) continue;
			if (CONDITION.test(at.name)) {
				// The second branch has the same condition, and therefore the same result.
				const to = at.name === second!.name ? at.target : after;
				if (!areLeft(to)) continue;
				second!.target = to;
				removed.add(first).add(third);
			} else if (at.name === "DUB" && after?.name === second!.name && last?.name === "POP" && areLeft(after, last))
				second!.target = after.target;
		}
	}
	return without(list, removed);
}

function withShortWays(list: readonly Instruction[]): Instruction[] {
	for (const one of list) {
		if (!one.name.startsWith("BRANCH")) continue;
		for (let steps = list.length; steps > 0 && one.target!.name === "BRANCH"; steps--) one.target = one.target!.target;
		if (one.name !== "BRANCH" || !ENDS.test(one.target!.name)) continue;
		one.name = one.target!.name;
		one.target = undefined;
	}
	const targets = new Set(list.map(({ target }) => target));
	const removed = new Set<Instruction>();
	let isReached = true;
	for (const [index, one] of list.entries()) {
		const next = list[index + 1];
		isReached ||= targets.has(one);
		if (!isReached || (one.name === "BRANCH" && one.target === next)) removed.add(one);
		else if (next?.name === "POP" && !targets.has(next) && !removed.has(one)) {
			if (PLAIN.test(one.name)) removed.add(one).add(next);
			else if (one.name.startsWith("SET_LOCAL")) {
				one.name = one.name.replace("SET", "PULL");
				removed.add(next);
			}
		}
		isReached &&= !LAST.test(one.name);
	}
	return without(list, removed);
}

function opposite(condition: string): string {
	return condition === "BRANCH_IF" ? "BRANCH_ELSE" : "BRANCH_IF";
}

export function shortenCode(heap: Heap, instructions: InstructionSet): void {
	const places = new Map<string, number>();
	let all = "";
	for (const slot of heap.slots) {
		const [literal, text] = slot.kind === CODE ? (LITERAL.exec(slot.value) ?? []) : [];
		if (literal === undefined) continue;
		const bytes = text!.split("\\x").slice(1);
		const code = instructions.read(bytes.map((byte) => Number.parseInt(byte, 16)));
		const short = instructions.write(shortened(code));
		const written = short.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
		const place = places.get(written) ?? all.length / ESCAPE_LENGTH;
		if (!places.has(written)) all += written;
		places.set(written, place);
		slot.value = slot.value.replace(literal, `(txByte*)&gxCodes[${place}] /* ${short.length} bytes */`);
	}
	heap.define(`static const char gxCodes[] = "${all}";\n`);
}
