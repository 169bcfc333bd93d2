/** Tests of the code that shortens the firmware's byte code. */
import assert from "node:assert/strict";
import { type Instruction, InstructionSet } from "../../tools/sdk/byte-code.js";
import { Heap } from "../../tools/sdk/heap.js";
import { shortenCode, shortened } from "../../tools/sdk/shorter-code.js";
import { machineOf, slotOf } from "./linked-machine.js";

/** A part of xsCommon.c. */
const SIZES = `
const txS1 gxCodeSizes[XS_CODE_COUNT] ICACHE_FLASH_ATTR = {
	0 /* XS_NO_CODE */,
	2 /* XS_CODE_BRANCH_1 */,
	3 /* XS_CODE_BRANCH_2 */,
	5 /* XS_CODE_BRANCH_4 */,
	2 /* XS_CODE_BRANCH_ELSE_1 */,
	3 /* XS_CODE_BRANCH_ELSE_2 */,
	5 /* XS_CODE_BRANCH_ELSE_4 */,
	1 /* XS_CODE_POP */,
	0 /* XS_CODE_NEW_LOCAL */,
	-1 /* XS_CODE_STRING_1 */,
	-2 /* XS_CODE_STRING_2 */,
	1 /* XS_CODE_END */,
#ifdef mx32bitID
	5 /* XS_CODE_PROFILE */,
#else
	3 /* XS_CODE_PROFILE */,
#endif
	1 /* XS_CODE_NEW_TEMPORARY */,
	-1 /* XS_CODE_STRING_ARCHIVE_1 */,
};
`;
const SET = new InstructionSet(SIZES);
const [BRANCH_1, BRANCH_2, BRANCH_4, ELSE_1, ELSE_2, , POP, NEW_LOCAL, STRING_1, STRING_2, END, PROFILE] = [
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
];

describe("Byte code", () => {
	it("is read with the SDK's table, and is unchanged when written again", () => {
		for (const bytes of [
			[POP, END],
			[NEW_LOCAL, 1, 2, STRING_1, 3, 65, 66, 0, STRING_2, 2, 0, 65, 0, PROFILE, 9, 9, END],
			[BRANCH_1, 2, POP, POP, ELSE_1, 0xfa, END],
		])
			assert.deepEqual(SET.write(SET.read(bytes)), bytes);
	});

	it("has the shortest possible branches, and no zeros after its end", () => {
		const far = Array.from({ length: 125 }, () => POP);
		for (const [before, after] of [
			[
				[BRANCH_4, 1, 0, 0, 0, POP, END, 0, 0, 0],
				[BRANCH_1, 1, POP, END],
			],
			[
				[POP, ELSE_2, 0xfc, 0xff, END],
				[POP, ELSE_1, 0xfd, END],
			],
			// Shortening the inner branch makes the outer one short enough.
			[
				[BRANCH_2, 128, 0, ...far, BRANCH_2, 0, 0, END],
				[BRANCH_1, 127, ...far, BRANCH_1, 0, END],
			],
			[
				[BRANCH_4, 129, 0, 0, 0, ...far, ...far.slice(0, 4), END],
				[BRANCH_2, 129, 0, ...far, ...far.slice(0, 4), END],
			],
			[
				[...far, POP, ELSE_2, 127, 255, END],
				[...far, POP, ELSE_1, 128, END],
			],
		] as [number[], number[]][])
			assert.deepEqual(SET.write(SET.read(before)), after);
	});

	for (const [what, bytes, message] of [
		["an instruction that the SDK lacks", [99], /no byte code 99/],
		["a branch to the middle of another", [BRANCH_1, 1, NEW_LOCAL, 1, 2, END], /leads to no instruction/],
		["an instruction after its end", [END, 0, END], /goes on behind its end/],
	] as [string, number[], RegExp][])
		it(`is refused with ${what}`, () => assert.throws(() => SET.read(bytes), message));

	it("can't be read without the table", () => assert.throws(() => new InstructionSet("int x;"), /has no gxCodeSizes/));
});

/** Assembles lines such as "DUB", "GET_LOCAL_1 3", "BRANCH_ELSE a", "a: POP". */
function assembled(lines: readonly string[]): Instruction[] {
	const labels = new Map<string, Instruction>();
	const code = lines.map((line) => {
		const [, label, name, operand] = /^(?:(\w+): )?(\w+)(?: (\w+))?$/.exec(line)!;
		const isBranch = operand !== undefined && /^[a-z]/.test(operand);
		const instruction: Instruction = {
			name: name!,
			operand: operand === undefined || isBranch ? [] : [Number(operand)],
			target: undefined,
		};
		if (label !== undefined) labels.set(label, instruction);
		return { instruction, to: isBranch ? operand : undefined };
	});
	for (const { instruction, to } of code) if (to !== undefined) instruction.target = labels.get(to)!;
	return code.map(({ instruction }) => instruction);
}

function disassembled(code: readonly Instruction[]): string[] {
	const targets = [...new Set(code.flatMap(({ target }) => target ?? []))].sort(
		(a, b) => code.indexOf(a) - code.indexOf(b),
	);
	const labelOf = (instruction: Instruction) => "abcdef"[targets.indexOf(instruction)];
	return code.map((instruction) => {
		const { name, operand, target } = instruction;
		const label = targets.includes(instruction) ? `${labelOf(instruction)}: ` : "";
		const what = target === undefined ? operand.join(" ") : labelOf(target);
		return `${label}${name} ${what}`.trim();
	});
}

describe("The firmware's functions", () => {
	for (const [what, before, after] of [
		[
			"create and set variables without names",
			"NEW_LOCAL 7, ARGUMENT 0, CONST_LOCAL_1 3, POP, NEW_LOCAL 8, UNDEFINED, LET_LOCAL_2 4, POP",
			"NEW_TEMPORARY, ARGUMENT 0, PULL_LOCAL_1 3, NEW_TEMPORARY, UNDEFINED, PULL_LOCAL_2 4",
		],
		[
			"leave a value on the stack if it is used at once",
			"THIS, CONST_LOCAL_1 3, POP, GET_LOCAL_1 3, END",
			"THIS, SET_LOCAL_1 3, END",
		],
		[
			"load a variable other than the one just set from its slot",
			"THIS, CONST_LOCAL_1 3, POP, GET_LOCAL_1 4, END",
			"THIS, PULL_LOCAL_1 3, GET_LOCAL_1 4, END",
		],
		[
			"keep the value on the stack if an expression goes on after an assignment",
			"THIS, CONST_LOCAL_1 3, END",
			"THIS, VAR_LOCAL_1 3, END",
		],
		[
			"keep a branch target",
			"BRANCH_ELSE a, CONST_LOCAL_1 3, a: POP, END",
			"BRANCH_ELSE a, VAR_LOCAL_1 3, a: POP, END",
		],
		["keep a branch target after an assignment", "BRANCH_ELSE a, PULL_LOCAL_1 3, a: GET_LOCAL_1 3, END", ""],
		["branch past removed instructions", "a: RESET_LOCAL_1 3, REFRESH_LOCAL_1 3, POP, BRANCH a", "a: POP, BRANCH a"],
		[
			"keep variables that are shared with other functions",
			"NEW_CLOSURE 1, CONST_CLOSURE_1 1, POP, RESET_CLOSURE_1 1, LET_CLOSURE_1 1, POP",
			"",
		],
		[
			"use texts and code in flash without a copy",
			"STRING_1 65, STRING_4 65, CODE a, END, a: POP",
			"STRING_ARCHIVE_1 65, STRING_ARCHIVE_4 65, CODE_ARCHIVE a, END, a: POP",
		],
		[
			"load constants with the shortest instruction",
			"INTEGER_1 0, VOID, INTEGER_1 5, MINUS, INTEGER_1 0, MINUS, INTEGER_1 128, MINUS",
			"UNDEFINED, INTEGER_1 251, INTEGER_1 0, MINUS, INTEGER_1 128, MINUS",
		],
		[
			"read globals as properties of the global object",
			"PROGRAM_REFERENCE 5, GET_VARIABLE 5, PROGRAM_REFERENCE 5, SET_VARIABLE 5, BRANCH_ELSE a, PROGRAM_REFERENCE 5, " +
				"a: GET_VARIABLE 5",
			"GLOBAL, GET_PROPERTY 5, PROGRAM_REFERENCE 5, SET_VARIABLE 5, BRANCH_ELSE a, PROGRAM_REFERENCE 5, a: GET_VARIABLE 5",
		],
		[
			"branch by the opposite condition instead of a NOT",
			"THIS, NOT, BRANCH_ELSE a, POP, a: NOT, BRANCH_IF b, b: END",
			"THIS, BRANCH_IF a, POP, a: BRANCH_ELSE b, b: END",
		],
		["keep a NOT before a branch target", "BRANCH_IF a, NOT, a: BRANCH_ELSE b, b: END", ""],
		[
			"branch directly for each operand: a and b",
			"THIS, DUB, BRANCH_ELSE a, POP, NULL, a: BRANCH_ELSE b, TRUE, b: END",
			"THIS, BRANCH_ELSE a, NULL, BRANCH_ELSE a, TRUE, a: END",
		],
		[
			"branch directly for each operand: a or b",
			"THIS, DUB, BRANCH_IF a, POP, NULL, a: BRANCH_ELSE b, TRUE, b: END",
			"THIS, BRANCH_IF a, NULL, BRANCH_ELSE b, a: TRUE, b: END",
		],
		[
			"branch directly for each operand: a and b and c",
			"THIS, DUB, BRANCH_ELSE a, POP, NULL, a: DUB, BRANCH_ELSE b, POP, FALSE, b: BRANCH_ELSE c, TRUE, c: END",
			"THIS, BRANCH_ELSE a, NULL, BRANCH_ELSE a, FALSE, BRANCH_ELSE a, TRUE, a: END",
		],
		[
			"branch directly for each operand: (a or b) and c",
			"THIS, DUB, BRANCH_IF a, POP, NULL, a: DUB, BRANCH_ELSE b, POP, FALSE, b: BRANCH_ELSE c, TRUE, c: END",
			"THIS, BRANCH_IF a, NULL, BRANCH_ELSE b, a: FALSE, BRANCH_ELSE b, TRUE, b: END",
		],
		[
			"manage no variables one by one, and read arguments where they are used",
			"RESERVE_1 2, NEW_LOCAL 7, ARGUMENT 1, VAR_LOCAL_1 1, POP, NEW_LOCAL 8, THIS, LET_LOCAL_1 2, POP, GET_LOCAL_1 1, " +
				"GET_LOCAL_1 2, ADD, GET_LOCAL_1 2, ADD, UNWIND_1 1, SET_RESULT, END",
			"RESERVE_1 1, THIS, PULL_LOCAL_1 1, ARGUMENT 1, GET_LOCAL_1 1, ADD, GET_LOCAL_1 1, ADD, SET_RESULT, END",
		],
		[
			"copy an argument that they change",
			"RESERVE_1 1, NEW_LOCAL 7, ARGUMENT 0, CONST_LOCAL_1 1, POP, GET_LOCAL_1 1, INCREMENT, PULL_LOCAL_1 1, " +
				"GET_LOCAL_1 1, GET_LOCAL_1 1, ADD, SET_RESULT, END",
			"RESERVE_1 1, ARGUMENT 0, INCREMENT, SET_LOCAL_1 1, GET_LOCAL_1 1, ADD, SET_RESULT, END",
		],
		[
			"keep the places of captured variables",
			"RESERVE_1 4, RETRIEVE_1 2, NEW_LOCAL 7, ARGUMENT 0, CONST_LOCAL_1 3, POP, NEW_LOCAL 8, GET_CLOSURE_1 2, " +
				"CONST_LOCAL_1 4, POP, GET_LOCAL_1 3, GET_LOCAL_1 4, GET_LOCAL_1 4, END",
			"RESERVE_1 3, RETRIEVE_1 2, GET_CLOSURE_1 2, PULL_LOCAL_1 3, ARGUMENT 0, GET_LOCAL_1 3, GET_LOCAL_1 3, END",
		],
		[
			"read properties without a copy of the object",
			"RESERVE_1 4, NEW_LOCAL 7, NEW_LOCAL 8, THIS, NEW_TEMPORARY, DUB, TO_INSTANCE, SET_LOCAL_1 3, GET_PROPERTY 5, " +
				"CONST_LOCAL_1 1, POP, GET_LOCAL_1 3, GET_PROPERTY 6, CONST_LOCAL_1 2, POP, UNWIND_1 1, POP, GET_LOCAL_1 1, " +
				"GET_LOCAL_1 2, GET_LOCAL_1 1, END",
			"RESERVE_1 2, THIS, GET_PROPERTY 5, PULL_LOCAL_1 1, THIS, GET_PROPERTY 6, PULL_LOCAL_1 2, GET_LOCAL_1 1, " +
				"GET_LOCAL_1 2, GET_LOCAL_1 1, END",
		],
		[
			"read properties of a result only once",
			"RESERVE_1 4, NEW_LOCAL 7, NEW_LOCAL 8, RUN_1 0, NEW_TEMPORARY, DUB, TO_INSTANCE, SET_LOCAL_1 3, GET_PROPERTY 5, " +
				"CONST_LOCAL_1 1, POP, GET_LOCAL_1 3, GET_PROPERTY 6, CONST_LOCAL_1 2, POP, UNWIND_1 1, POP, GET_LOCAL_1 1, " +
				"GET_LOCAL_1 2, GET_LOCAL_1 1, END",
			"RESERVE_1 3, RUN_1 0, SET_LOCAL_1 3, GET_PROPERTY 5, PULL_LOCAL_1 1, GET_LOCAL_1 3, GET_PROPERTY 6, " +
				"PULL_LOCAL_1 2, GET_LOCAL_1 1, GET_LOCAL_1 2, GET_LOCAL_1 1, END",
		],
		[
			"keep a destructuring with a value for a missing property",
			"RESERVE_1 2, NEW_LOCAL 7, THIS, NEW_TEMPORARY, DUB, TO_INSTANCE, SET_LOCAL_1 2, GET_PROPERTY 5, DUB, UNDEFINED, " +
				"STRICT_EQUAL, BRANCH_ELSE a, POP, NULL, a: CONST_LOCAL_1 1, POP, UNWIND_1 1, POP, GET_LOCAL_1 1, " +
				"GET_LOCAL_1 1, END",
			"RESERVE_1 1, THIS, DUB, TO_INSTANCE, GET_PROPERTY 5, DUB, UNDEFINED, STRICT_EQUAL, BRANCH_ELSE a, POP, NULL, " +
				"a: PULL_LOCAL_1 1, POP, GET_LOCAL_1 1, GET_LOCAL_1 1, END",
		],
		[
			"do not store a value that is never read",
			"RESERVE_1 1, NEW_LOCAL 7, THIS, CONST_LOCAL_1 1, POP, RUN_1 0, SET_LOCAL_1 1, SET_RESULT, END",
			"RUN_1 0, SET_RESULT, END",
		],
		[
			"store a value that is read only after an exception",
			"RESERVE_1 1, NEW_LOCAL 7, NULL, LET_LOCAL_1 1, POP, CATCH a, THIS, PULL_LOCAL_1 1, RUN_1 0, NULL, PULL_LOCAL_1 1, " +
				"UNCATCH, END, a: GET_LOCAL_1 1, END",
			"RESERVE_1 1, NULL, PULL_LOCAL_1 1, CATCH a, THIS, PULL_LOCAL_1 1, RUN_1 0, NULL, PULL_LOCAL_1 1, UNCATCH, END, " +
				"a: GET_LOCAL_1 1, END",
		],
		[
			"keep the creation of a variable that may have an old value",
			"RESERVE_1 1, a: NEW_LOCAL 7, THIS, BRANCH_ELSE b, THIS, PULL_LOCAL_1 1, b: GET_LOCAL_1 1, UNWIND_1 1, BRANCH a",
			"RESERVE_1 1, a: NEW_TEMPORARY, THIS, BRANCH_ELSE b, THIS, PULL_LOCAL_1 1, b: GET_LOCAL_1 1, UNWIND_1 1, BRANCH a",
		],
		[
			"have no creation of a variable that may be read while it is undefined",
			"RESERVE_1 1, NEW_LOCAL 7, THIS, BRANCH_ELSE b, THIS, PULL_LOCAL_1 1, b: GET_LOCAL_1 1, UNWIND_1 1, END",
			"RESERVE_1 1, THIS, BRANCH_ELSE a, THIS, PULL_LOCAL_1 1, a: GET_LOCAL_1 1, END",
		],
		[
			"create a variable for others in its place, as the first ones",
			"RESERVE_1 4, RETRIEVE_1 1, NEW_TEMPORARY, NEW_CLOSURE 8, NEW_TEMPORARY, THIS, PULL_LOCAL_1 2, ARGUMENT 0, " +
				"CONST_CLOSURE_1 3, THIS, PULL_LOCAL_1 4, GET_LOCAL_1 2, GET_LOCAL_1 4, ADD, GET_LOCAL_1 2, GET_LOCAL_1 4, " +
				"STORE_1 3, STORE_1 1, UNWIND_1 3, END",
			"RESERVE_1 4, RETRIEVE_1 1, NEW_CLOSURE 8, THIS, PULL_LOCAL_1 3, ARGUMENT 0, CONST_CLOSURE_1 2, THIS, " +
				"PULL_LOCAL_1 4, GET_LOCAL_1 3, GET_LOCAL_1 4, ADD, GET_LOCAL_1 3, GET_LOCAL_1 4, STORE_1 2, STORE_1 1, END",
		],
		[
			"keep all variables if they create one for others in a loop",
			"RESERVE_1 2, NEW_TEMPORARY, THIS, PULL_LOCAL_1 1, a: NEW_CLOSURE 1, GET_LOCAL_1 1, STORE_1 2, UNWIND_1 1, BRANCH a",
			"RESERVE_1 2, NEW_TEMPORARY, THIS, PULL_LOCAL_1 1, a: NEW_CLOSURE 1, GET_LOCAL_1 1, STORE_1 2, UNWIND_1 1, BRANCH a",
		],
		[
			"keep all variables if they can be suspended",
			"RESERVE_1 1, NEW_TEMPORARY, START_GENERATOR, THIS, PULL_LOCAL_1 1, GET_LOCAL_1 1, YIELD, UNWIND_1 1, END",
			"RESERVE_1 1, NEW_TEMPORARY, START_GENERATOR, THIS, SET_LOCAL_1 1, YIELD, UNWIND_1 1, END",
		],
		[
			"have nested functions with their own variables",
			"RESERVE_1 1, NEW_LOCAL 7, CODE a, RESERVE_1 1, NEW_LOCAL 7, ARGUMENT 0, CONST_LOCAL_1 1, POP, GET_LOCAL_1 1, END, " +
				"a: CONST_LOCAL_1 1, POP, GET_LOCAL_1 1, GET_LOCAL_1 1, END",
			"RESERVE_1 1, CODE_ARCHIVE a, ARGUMENT 0, END, a: SET_LOCAL_1 1, GET_LOCAL_1 1, END",
		],
		[
			"end where they would branch to their end, and have no code behind it",
			"THIS, BRANCH_ELSE a, NULL, SET_RESULT, BRANCH c, NULL, a: THIS, BRANCH_IF b, BRANCH d, b: BRANCH c, d: NULL, c: END",
			"THIS, BRANCH_ELSE a, NULL, SET_RESULT, END, a: THIS, BRANCH_IF b, NULL, b: END",
		],
		[
			"never store and drop a value in two steps",
			"THIS, SET_LOCAL_1 1, POP, GET_LOCAL_1 2, END",
			"THIS, PULL_LOCAL_1 1, GET_LOCAL_1 2, END",
		],
		[
			"do not load a value only to drop it",
			"RUN_1 0, POP, THIS, POP, BRANCH_ELSE a, NULL, a: POP, END",
			"RUN_1 0, POP, BRANCH_ELSE a, NULL, a: POP, END",
		],
		["keep a value that is used", "THIS, DUB, BRANCH_ELSE a, POP, NULL, a: PULL_LOCAL_1 1, END", ""],
	] as [string, string, string][])
		it(what, () => {
			const lines = (text: string) => text.split(", ");
			assert.deepEqual(disassembled(shortened(assembled(lines(before)))), lines(after || before));
		});

	it("have all their code in one array, with equal code only once", () => {
		const code = (bytes: string) => slotOf("CODE_X", `.code = { (txByte*)"${bytes}", NULL }`);
		const heap = new Heap(
			machineOf([
				code("\\x07\\x0b\\x00\\x00"),
				code("\\x08\\x01\\x02\\x0b"),
				code("\\x07\\x0b"),
				code("\\x07\\x07\\x0b\\x00"),
			]),
		);
		shortenCode(heap, SET);
		const text = heap.toString();
		assert.match(
			text,
			/static const char gxCodes\[\] = "\\x07\\x0b\\x0d\\x0b\\x07\\x07\\x0b";\n\nstatic const txSlot gxHeap\[mxHeapCount\]/,
		);
		const found = [...text.matchAll(/\(txByte\*\)&gxCodes\[(\d+)\] \/\* (\d+) bytes \*\/, NULL/g)];
		assert.deepEqual(
			found.map((match) => [Number(match[1]), Number(match[2])]),
			[
				[0, 2],
				[2, 2],
				[0, 2],
				[4, 3],
			],
		);
	});
});
