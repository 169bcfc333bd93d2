/**
 * For the firmware, turns `a && b();` and `a ? b() : c();` into `if`, which has shorter byte code: XS keeps the value of
 * an expression, although nothing uses it. The same with `return a ? b() : c();`, so that inlined.ts can replace calls.
 */
import { below, childrenOf, type Edit, edited, type Node, parse } from "./syntax.js";
import { FUNCTION } from "./variables.js";

function has(node: Node, type: RegExp): boolean {
	return type.test(node.type) || childrenOf(node).some((child) => has(child, type));
}

export function withStatements(script: string): string {
	const edits: Edit[] = [];
	const text = (node: Node, property: string) => {
		const { start, end } = below(node, property)!;
		return script.slice(start, end);
	};

	const statementOf = (node: Node, start: string): string => {
		const branch = (property: string) => statementOf(below(node, property)!, start);
		if (node.type === "ConditionalExpression")
			return `{ if (${text(node, "test")}) ${branch("consequent")} else ${branch("alternate")} }`;
		if (start === "" && node.type === "LogicalExpression" && node["operator"] !== "??") {
			const left = text(node, "left");
			return `{ if (${node["operator"] === "&&" ? left : `!(${left})`}) ${branch("right")} }`;
		}
		return `{ ${start}(${script.slice(node.start, node.end)}); }`;
	};

	const find = (node: Node): void => {
		const { type, start, end } = node;
		const value = below(node, type === "ExpressionStatement" ? "expression" : "argument");
		const isReturn =
			type === "ReturnStatement" && value?.type === "ConditionalExpression" && has(node, /^CallExpression$/);
		const isPlain =
			type === "ExpressionStatement" &&
			/^(Logical|Conditional)Expression$/.test(value!.type) &&
			value!["operator"] !== "??";
		// The parts of the statement are copied, so they must not contain statements that change too.
		if ((isPlain || isReturn) && !has(node, FUNCTION))
			edits.push({ start, end, text: statementOf(value!, isReturn ? "return " : "") });
		else for (const child of childrenOf(node)) find(child);
	};
	find(parse(script));
	return edited(script, edits);
}
