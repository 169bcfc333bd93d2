/**
 * Removes instructions that manage a function's local variables. XS's compiler creates and removes variables one by one
 * as their blocks begin and end, copies each argument into a variable, and keeps the source of a destructuring
 * assignment on the stack. The engine needs none of this: RESERVE makes room for all variables of a function and sets
 * them to undefined, and instructions find a variable by its position in that room (xsRun.c).
 *
 * A function stays as it is if it creates variables for other functions after its first branch, if it can be suspended,
 * or if it may read a variable that has an old value instead of being undefined.
 */
import { type Instruction, LAST, operandOf, without } from "./byte-code.js";

const USES = /^(GET|SET|PULL|VAR)_LOCAL_[12]$/;
const READS = /^GET_LOCAL_[12]$/;
/** Instructions that find a variable by its position which the function shares with others. */
const SHARED = /^([A-Z]+_CLOSURE|STORE)_[12]$/;
const CAPTURES = /^RETRIEVE_[12]$/;
const CREATES = /^NEW_(CLOSURE|LOCAL|TEMPORARY)$/;
/** Instructions that need the variables of the function in a way that is not considered here. */
const OTHERS =
	/_(LOCAL|PRIVATE)(_[12])?$|^(USED|START|AWAIT|YIELD|EVAL|WITH|MODULE|TRANSFER|USING|ARGUMENTS)|^(FUNCTION|PROGRAM)_ENVIRONMENT$/;

/** Returns the instructions of each function. The code of a nested function lies between CODE and its target. */
export function functionsIn(list: readonly Instruction[]): Instruction[][] {
	const all: Instruction[][] = [[]];
	const open: { readonly end: Instruction | undefined; readonly body: Instruction[] }[] = [
		{ end: undefined, body: all[0]! },
	];
	for (const instruction of list) {
		while (open.at(-1)!.end === instruction) open.pop();
		open.at(-1)!.body.push(instruction);
		if (!/^CODE(_ARCHIVE)?$/.test(instruction.name)) continue;
		const body: Instruction[] = [];
		all.push(body);
		open.push({ end: instruction.target, body });
	}
	return all;
}

function bitOf(one: Instruction): bigint {
	return 1n << BigInt(operandOf(one));
}

/** Returns the instructions without those that only manage variables. Changes operands of the remaining ones. */
export function withFewerLocals(list: readonly Instruction[]): Instruction[] {
	const remaining = new Set<Instruction>();
	for (const body of functionsIn(list)) {
		const shared = sharedIn(body);
		let rest = body;
		const steps = [dropScopes, readArguments, readProperties, dropUnread, renumber];
		if (canChange(body, shared)) for (const step of steps) rest = without(rest, new Set(step(rest, shared)));
		for (const one of rest) remaining.add(one);
	}
	return list.filter((one) => remaining.has(one));
}

/**
 * Returns the positions of the variables that the function shares with others: those that it captures, and those that it
 * creates before its first branch.
 */
function sharedIn(body: readonly Instruction[]): number[] {
	const targets = targetsIn(body);
	const shared: number[] = [];
	let position = 0;
	for (const one of body) {
		if (one.target !== undefined || targets.has(one)) break;
		const isCaptured = CAPTURES.test(one.name);
		for (let count = isCaptured ? operandOf(one) : Number(CREATES.test(one.name)); count > 0; count--) {
			position++;
			if (isCaptured || one.name === "NEW_CLOSURE") shared.push(position);
		}
	}
	return shared;
}

function targetsIn(body: readonly Instruction[]): Set<Instruction | undefined> {
	return new Set(body.map(({ target }) => target));
}

function dropScopes(body: readonly Instruction[]): Instruction[] {
	return body.filter(({ name }) => /^(NEW_TEMPORARY|UNWIND_[12])$/.test(name));
}

/** Returns true if the room for the variables is all that the function needs. */
function canChange(body: readonly Instruction[], shared: readonly number[]): boolean {
	const rooms = body.filter(({ name }) => /^RESERVE_[12]$/.test(name));
	if (rooms.length !== 1 || rooms[0]!.name !== "RESERVE_1") return false;
	for (const one of body) {
		if (USES.test(one.name)) continue;
		if (SHARED.test(one.name) ? !shared.includes(operandOf(one)) : OTHERS.test(one.name)) return false;
	}
	const counts = body.map((one) => (CAPTURES.test(one.name) ? operandOf(one) : Number(one.name === "NEW_CLOSURE")));
	const count = counts.reduce((sum, each) => sum + each, 0);
	return count === shared.length && readsTheSame(body);
}

interface State {
	/** Number of variables that exist. */
	readonly depth: number;
	/** One bit for each position in the room: its value is right even if no instruction creates variables. */
	readonly right: bigint;
	/** One bit for each position in which nothing was stored yet, so that it is undefined. */
	readonly unused: bigint;
}

const ALL = (1n << 257n) - 1n;

/** Returns true if, on all ways through the function, variables that are read have the same value without being created. */
function readsTheSame(body: readonly Instruction[]): boolean {
	const places = new Map(body.map((one, index) => [one, index]));
	const states = new Map<number, State>([[0, { depth: 0, right: ALL, unused: ALL }]]);
	const waiting = [0];
	for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
		const one = body[place]!;
		const state = states.get(place)!;
		if (READS.test(one.name) && (state.right & bitOf(one)) === 0n) return false;
		const { depth, right, unused } = stateAfter(one, state);
		const next = [
			...(LAST.test(one.name) ? [] : [place + 1]),
			...(one.target === undefined ? [] : [places.get(one.target)!]),
		];
		for (const to of next) {
			const known = states.get(to) ?? { depth, right: ALL, unused: ALL };
			if (known.depth !== depth) return false;
			const both = { depth, right: known.right & right, unused: known.unused & unused };
			if (states.has(to) && both.right === known.right && both.unused === known.unused) continue;
			states.set(to, both);
			waiting.push(to);
		}
	}
	return true;
}

function stateAfter(one: Instruction, { depth, right, unused }: State): State {
	if (CREATES.test(one.name)) {
		const created = 1n << BigInt(depth + 1);
		return { depth: depth + 1, right: (right & ~created) | (unused & created), unused };
	}
	if (CAPTURES.test(one.name)) return { depth: depth + operandOf(one), right, unused };
	if (/^UNWIND_[12]$/.test(one.name)) return { depth: depth - operandOf(one), right, unused };
	if (!USES.test(one.name) || READS.test(one.name)) return { depth, right, unused };
	return { depth, right: right | bitOf(one), unused: unused & ~bitOf(one) };
}

/** Reads an argument where it is used, unless the function stores another value in its variable. */
function readArguments(body: readonly Instruction[]): Instruction[] {
	const targets = targetsIn(body);
	const removed: Instruction[] = [];
	for (const [index, argument] of body.entries()) {
		const store = body[index + 1];
		if (argument.name !== "ARGUMENT" || store === undefined || targets.has(store)) continue;
		if (!USES.test(store.name) || READS.test(store.name)) continue;
		const uses = usesOf(body, operandOf(store)).filter((one) => one !== store);
		if (!uses.every(({ name }) => READS.test(name))) continue;
		// SET_LOCAL leaves the argument on the stack.
		removed.push(store, ...(store.name.startsWith("PULL") && !targets.has(argument) ? [argument] : []));
		if (store.name.startsWith("PULL") && targets.has(argument)) store.name = "POP";
		for (const one of uses) {
			one.name = argument.name;
			one.operand = argument.operand;
		}
	}
	return removed;
}

function usesOf(body: readonly Instruction[], variable: number): Instruction[] {
	return body.filter((one) => USES.test(one.name) && operandOf(one) === variable);
}

/**
 * Reads properties in `const { a, b } = object` as in `const a = object.a, b = object.b`. XS's compiler converts the
 * object first, keeps it on the stack, and stores it in a variable. GET_PROPERTY converts the object as well.
 */
function readProperties(body: readonly Instruction[]): Instruction[] {
	const targets = targetsIn(body);
	const removed: Instruction[] = [];
	for (const [index, one] of body.entries()) {
		const [source, convert, store] = [body[index - 1], body[index + 1], body[index + 2]];
		if (one.name !== "DUB" || convert?.name !== "TO_INSTANCE" || !/^SET_LOCAL/.test(store?.name ?? "")) continue;
		const reads: Instruction[] = [];
		let end = index + 3;
		while (body[end]?.name === "GET_PROPERTY" && /^PULL_LOCAL/.test(body[end + 1]?.name ?? "")) {
			end += 2;
			const again = body[end];
			if (again === undefined || !READS.test(again.name) || operandOf(again) !== operandOf(store!)) break;
			reads.push(again);
			end++;
		}
		const whole = body.slice(index, end + 1);
		if (whole.at(-1)?.name !== "POP" || whole.some((each) => targets.has(each))) continue;
		removed.push(one, convert, whole.at(-1)!);
		if (source === undefined || !/^(THIS|ARGUMENT)$/.test(source.name)) continue;
		for (const again of reads) {
			again.name = source.name;
			again.operand = source.operand;
		}
	}
	return removed;
}

/** Does not store values that are never read. */
function dropUnread(body: readonly Instruction[]): Instruction[] {
	const places = new Map(body.map((one, index) => [one, index]));
	const live: bigint[] = body.map(() => 0n);
	const after = (place: number): bigint => {
		const { name, target } = body[place]!;
		const next = LAST.test(name) ? 0n : (live[place + 1] ?? 0n);
		return next | (target === undefined ? 0n : live[places.get(target)!]!);
	};
	// An exception may leave a block anywhere.
	let kept = 0n;
	for (let isChanged = true; isChanged; ) {
		isChanged = false;
		for (let place = body.length - 1; place >= 0; place--) {
			const one = body[place]!;
			let now = after(place) | kept;
			if (READS.test(one.name)) now |= bitOf(one);
			else if (USES.test(one.name)) now = (now & ~bitOf(one)) | kept;
			if (one.name === "CATCH") kept |= live[places.get(one.target!)!]!;
			if (now === live[place]) continue;
			live[place] = now;
			isChanged = true;
		}
	}
	const removed: Instruction[] = [];
	for (const [place, one] of body.entries()) {
		if (!USES.test(one.name) || READS.test(one.name) || ((after(place) | kept) & bitOf(one)) !== 0n) continue;
		if (!one.name.startsWith("PULL")) removed.push(one);
		else {
			one.name = "POP";
			one.operand = [];
		}
	}
	return removed;
}

/** Closes the gaps between the remaining variables. Shared variables come first, in the order of their creation. */
function renumber(body: readonly Instruction[], shared: readonly number[]): Instruction[] {
	const used = new Set(body.filter(({ name }) => USES.test(name)).map(operandOf));
	const order = [...shared, ...[...used].filter((one) => !shared.includes(one)).sort((a, b) => a - b)];
	const numbers = new Map(order.map((one, index) => [one, 1 + index]));
	for (const one of body) {
		if (!USES.test(one.name) && !SHARED.test(one.name)) continue;
		const number = numbers.get(operandOf(one))!;
		one.name = one.name.replace(/_[12]$/, number < 0x100 ? "_1" : "_2");
		one.operand = number < 0x100 ? [number] : [number & 0xff, number >> 8];
	}
	const room = body.find(({ name }) => name === "RESERVE_1")!;
	room.operand = [order.length];
	return order.length === 0 ? [room] : [];
}
