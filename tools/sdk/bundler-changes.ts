/**
 * Reverts transformations of the bundler that are bad for XS. `!0` and `!1` take three bytes instead of one. `let`
 * instead of `const` keeps data out of flash.
 */
import { below, childrenOf, type Edit, edited, type Node, parse } from "./syntax.js";
import { addNames, assignedBelow } from "./variables.js";

function literal({ start, end, argument }: Node): Edit[] {
	const { type, value } = argument as Node;
	return type === "Literal" && typeof value === "number" ? [{ start, end, text: String(value === 0) }] : [];
}

function constant(node: Node, assigned: ReadonlySet<string>): Edit[] {
	const { start, kind } = node;
	const variables = childrenOf(node);
	const isConstant = variables.every((variable) => {
		const names = new Set<string>();
		addNames(below(variable, "id")!, names);
		return below(variable, "init") !== undefined && ![...names].some((name) => assigned.has(name));
	});
	return kind === "let" && isConstant ? [{ start, end: start + "let".length, text: "const" }] : [];
}

function editsBelow(node: Node, assigned: ReadonlySet<string>): Edit[] {
	const own =
		node.type === "UnaryExpression" && node["operator"] === "!"
			? literal(node)
			: node.type === "VariableDeclaration"
				? constant(node, assigned)
				: [];
	return [...own, ...childrenOf(node).flatMap((child) => editsBelow(child, assigned))];
}

export function revertBundlerChanges(script: string): string {
	const tree = parse(script);
	const everywhere = assignedBelow(tree);
	// Each top-level statement is edited separately, because the same name may be another variable inside another
	// statement.
	const edits = childrenOf(tree).flatMap((statement) => {
		const isVariable = statement.type === "VariableDeclaration" && statement["kind"] === "let";
		return editsBelow(statement, isVariable ? everywhere : assignedBelow(statement));
	});
	return edited(script, edits);
}
