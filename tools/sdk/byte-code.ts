/**
 * XS byte code as a list of instructions that can be changed. It is decoded from a function's bytes and encoded with
 * the shortest branches. The instructions and their lengths are in the SDK's xsCommon.c.
 */

export interface Instruction {
	/** Name of the instruction as in XS, without XS_CODE_ and without the width of a branch: BRANCH_ELSE, GET_LOCAL_1. */
	name: string;
	/** Bytes of the operand. Branches have none. */
	operand: readonly number[];
	/** Target of a branch, or the end of a nested function's code; otherwise undefined. */
	target: Instruction | undefined;
}

/**
 * Instructions with a target. The target is relative to the end of the instruction and has 1, 2 or 4 bytes. CODE skips
 * the code of a nested function.
 */
const BRANCH = /^((?:BRANCH(?:_[A-Z]+)?|CATCH|CODE|CODE_ARCHIVE))_([124])$/;

/** Instructions after which a function does not continue with the next one. */
export const LAST = /^(BRANCH|END(_ARROW|_BASE|_DERIVED)?|RETURN|THROW|RETHROW)$/;

export class InstructionSet {
	readonly #names: string[] = [];
	readonly #sizes: number[] = [];
	readonly #numbers = new Map<string, number>();

	/** Reads the table of instructions. `text` is the content of xsCommon.c. Throws an Error if it lacks the table. */
	constructor(text: string) {
		const table = /gxCodeSizes\[[^{]*\{([^}]*)\}/.exec(text)?.[1];
		if (table === undefined) throw new Error("xsCommon.c has no gxCodeSizes: this SDK writes it in another way.");
		// As on the chip, the variant in which names have two bytes is used.
		const short = table.replace(/#ifdef mx32bitID[^#]*#else([^#]*)#endif/g, "$1");
		for (const [, size, name] of short.matchAll(/(-?\d+) \/\* XS_(?:CODE_)?(\w+) \*\//g)) {
			this.#numbers.set(name!, this.#names.length);
			this.#names.push(name!);
			this.#sizes.push(Number(size));
		}
	}

	/** Decodes a function's byte code. Zeros after the code are ignored. */
	read(bytes: readonly number[]): Instruction[] {
		const list: Instruction[] = [];
		const at = new Map<number, Instruction>();
		const branches: { instruction: Instruction; to: number }[] = [];
		let place = 0;
		while (place < bytes.length && bytes[place] !== 0) {
			const name = this.#names[bytes[place]!] ?? "";
			const end = place + this.#sizeAt(bytes, place);
			const operand = bytes.slice(place + 1, end);
			const branch = BRANCH.exec(name);
			const instruction: Instruction = {
				name: branch?.[1] ?? name,
				operand: branch === null ? operand : [],
				target: undefined,
			};
			if (branch !== null) branches.push({ instruction, to: end + signed(operand) });
			at.set(place, instruction);
			list.push(instruction);
			place = end;
		}
		if (bytes.slice(place).some((byte) => byte !== 0)) throw new Error("Byte code goes on behind its end.");
		for (const { instruction, to } of branches) {
			instruction.target = at.get(to);
			if (instruction.target === undefined) throw new Error(`${instruction.name} leads to no instruction.`);
		}
		return list;
	}

	#sizeAt(bytes: readonly number[], place: number): number {
		const size = this.#sizes[bytes[place]!];
		if (size === undefined) throw new Error(`There is no byte code ${bytes[place]}.`);
		if (size > 0) return size;
		// The operand is a name (size 0), or a number of bytes that is preceded by their count.
		return size === 0 ? 3 : 1 - size + unsigned(bytes.slice(place + 1, place + 1 - size));
	}

	write(list: readonly Instruction[]): number[] {
		const widths: number[] = list.map(({ target }) => (target === undefined ? 0 : 1));
		const places = new Map<Instruction, number>();
		for (let isFitting = false; !isFitting; ) {
			let end = 0;
			for (const [index, instruction] of list.entries()) {
				places.set(instruction, end);
				end += 1 + instruction.operand.length + widths[index]!;
			}
			isFitting = true;
			for (const [index, instruction] of list.entries()) {
				if (instruction.target === undefined) continue;
				const distance = places.get(instruction.target)! - places.get(instruction)! - 1 - widths[index]!;
				const width = distance === (distance << 24) >> 24 ? 1 : distance === (distance << 16) >> 16 ? 2 : 4;
				if (width <= widths[index]!) continue;
				widths[index] = width;
				isFitting = false;
			}
		}
		return list.flatMap((instruction, index) => {
			const { name, operand, target } = instruction;
			const width = widths[index]!;
			const number = this.#numbers.get(target === undefined ? name : `${name}_${width}`);
			if (number === undefined) throw new Error(`There is no byte code ${name}.`);
			if (target === undefined) return [number, ...operand];
			const distance = places.get(target)! - places.get(instruction)! - 1 - width;
			return [number, ...[0, 8, 16, 24].slice(0, width).map((shift) => (distance >> shift) & 0xff)];
		});
	}
}

/**
 * Returns the list without the removed instructions. A branch to a removed instruction leads to the next remaining one.
 */
export function without(list: readonly Instruction[], removed: ReadonlySet<Instruction>): Instruction[] {
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

/** Returns the number that is an instruction's operand. */
export function operandOf({ operand }: Instruction): number {
	return unsigned(operand);
}

function unsigned(bytes: readonly number[]): number {
	return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

function signed(bytes: readonly number[]): number {
	const shift = 32 - 8 * bytes.length;
	return (unsigned(bytes) << shift) >> shift;
}
