/**
 * For the firmware, turns the top-level functions of a script into arrow functions. For any other function XS keeps a
 * prototype, which takes 48 unused bytes of flash. The functions are moved to the front, because they may be called
 * before their declaration. Generators and functions that need `this` or `arguments` stay unchanged.
 */
import { below, childrenOf, type Edit, edited, type Node, nameOf, parse } from "./syntax.js";

function usesItself(node: Node): boolean {
	return childrenOf(node).some((child) => {
		if (child.type === "ThisExpression" || child.type === "MetaProperty" || nameOf(child) === "arguments") return true;
		const isOther = /^(Function|Class)(Declaration|Expression)$|^MethodDefinition$/.test(child.type);
		return !isOther && usesItself(child);
	});
}

function asArrow(script: string, node: Node): string {
	const name = below(node, "id")!;
	const body = below(node, "body")!;
	const head = script.slice(name.end, body.start).trim();
	const kind = node["async"] === true ? "async " : "";
	return `const ${nameOf(name)} = ${kind}${head} => ${script.slice(body.start, body.end)};\n`;
}

export function withArrows(script: string): string {
	const statements = childrenOf(parse(script));
	const functions = statements.filter(
		(node) => node.type === "FunctionDeclaration" && node["generator"] !== true && !usesItself(node),
	);
	const place = statements.find(({ type }) => type !== "ImportDeclaration")?.start ?? 0;
	const front: Edit = { start: place, end: place, text: functions.map((node) => asArrow(script, node)).join("") };
	return edited(script, [front, ...functions.map(({ start, end }) => ({ start, end, text: "" }))]);
}
