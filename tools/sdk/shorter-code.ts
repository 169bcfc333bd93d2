/**
 * Shortens the functions' byte code, in bytes and in steps. XS's own compiler cannot do this:
 * - It gives all branches in a script the width that the longest one needs. Here each branch gets the width that it
 *   needs itself.
 * - It creates each variable with a name and without a value, so that a use before the declaration is an error. The
 *   type checker has already found such uses. Therefore a slot without a name suffices here, and a declaration becomes
 *   an assignment.
 * - In conditions with several operands it keeps a value on the stack only to branch on it again. Here the first branch
 *   leads directly to the final target.
 * - It compiles -1, and `void 0` (which the bundler writes for `undefined`), as calculations. Here they are constants.
 * - At each use it copies strings, and the code of nested functions, into RAM. Here they stay in flash.
 */
import type { Instruction, InstructionSet } from "./byte-code.js";
import { CODE, type Heap } from "./heap.js";

const CONDITION = /^BRANCH_(ELSE|IF)$/;
/** Byte code as the linker writes it, which is a C string. */
const LITERAL = /\(txByte\*\)"((?:\\x..)+)"/;
const ESCAPE_LENGTH = 4;
const IN_FLASH = /^(STRING_[124]|CODE)$/;

export function shortened(code: readonly Instruction[]): Instruction[] {
	let list = [...code];
	for (const instruction of list)
		if (IN_FLASH.test(instruction.name)) instruction.name = instruction.name.replace(/^[A-Z]+/, "$&_ARCHIVE");
	list = withPlainLocals(withConstants(list));
	for (let length = Infinity; list.length < length; ) {
		length = list.length;
		list = withShortConditions(list);
	}
	return list;
}

/**
 * Returns the list without the removed instructions. A branch to a removed instruction leads to the next remaining one.
 */
function without(list: readonly Instruction[], removed: ReadonlySet<Instruction>): Instruction[] {
	const next = new Map<Instruction, Instruction>();
	let following: Instruction | undefined;
	for (const instruction of [...list].reverse()) {
		if (!removed.has(instruction)) following = instruction;
		else if (following !== undefined) next.set(instruction, following);
	}
	for (const instruction of list) {
		const { target } = instruction;
		if (target !== undefined) instruction.target = next.get(target) ?? target;
	}
	return list.filter((instruction) => !removed.has(instruction));
}

function withConstants(list: readonly Instruction[]): Instruction[] {
	const targets = new Set(list.map(({ target }) => target));
	const removed = new Set<Instruction>();
	for (const [index, instruction] of list.entries()) {
		const next = list[index + 1];
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
