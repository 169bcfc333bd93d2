/**
 * Refuses jumps that leave a `switch` otherwise than by its own `break` or by `return`: `continue`, and `break` with a
 * label outside. XS 8.2.3 leaves the value of the `switch` on the stack then (fxBreakContinueNodeCode of xsCode.c removes
 * variables only), one slot each time. In a loop over a text this overflows the stack.
 */
import { below, childrenOf, type Node, nameOf, parse } from "./syntax.js";
import { FUNCTION } from "./variables.js";

const LOOP = /^(For|While|DoWhile)/;

/** Throws an Error with the statement if the script has such a jump. */
export function checkJumps(script: string): void {
	check(parse(script), []);

	function check(node: Node, around: readonly Node[]): void {
		const { type } = node;
		const label = nameOf(below(node, "label"));
		if (type === "ContinueStatement" || (type === "BreakStatement" && label !== "")) {
			const isTarget = (one: Node) =>
				label === "" ? LOOP.test(one.type) : one.type === "LabeledStatement" && nameOf(below(one, "label")) === label;
			const at = around.findLastIndex(isTarget);
			if (around.slice(at + 1).some((one) => one.type === "SwitchStatement"))
				throw new Error(
					`"${script.slice(node.start, node.end)}" leaves a switch (tools/sdk/jumps.ts): ${whereOf(node)}`,
				);
		}
		const inner = FUNCTION.test(type) ? [] : [...around, node];
		for (const child of childrenOf(node)) check(child, inner);
	}

	function whereOf({ start }: Node): string {
		return script.slice(Math.max(0, start - 120), start).replace(/\s+/g, " ");
	}
}
