/** Finds declarations, assignments and uses of variables in a script. */
import { below, childrenOf, type Node, nameOf, propertyOf } from "./syntax.js";

export const FUNCTION = /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/;
const NAMED = /^(VariableDeclarator|FunctionDeclaration|FunctionExpression|ClassDeclaration|ClassExpression)$/;
const WITH_SCOPE = /^(BlockStatement|For(In|Of)?Statement|SwitchStatement)$/;

/** Adds the variables of a declaration or of the left side of an assignment, which may be a pattern. */
export function addNames(target: Node | undefined, names: Set<string>): void {
	if (target === undefined || target.type === "MemberExpression") return;
	if (target.type === "Identifier") names.add(nameOf(target));
	else if (target.type === "Property") addNames(below(target, "value"), names);
	else if (target.type === "AssignmentPattern") addNames(below(target, "left"), names);
	else for (const child of childrenOf(target)) addNames(child, names);
}

export function assignedBelow(node: Node, names = new Set<string>()): Set<string> {
	const { type } = node;
	if (type === "AssignmentExpression" || /^For(In|Of)Statement$/.test(type)) addNames(below(node, "left"), names);
	else if (type === "UpdateExpression") addNames(below(node, "argument"), names);
	for (const child of childrenOf(node)) assignedBelow(child, names);
	return names;
}

/** Returns the number of declarations of each name below the node. */
export function declaredBelow(node: Node, counts = new Map<string, number>()): Map<string, number> {
	const names = new Set<string>();
	if (NAMED.test(node.type)) addNames(below(node, "id"), names);
	addParameters(node, names);
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	for (const child of childrenOf(node)) declaredBelow(child, counts);
	return counts;
}

function addParameters(node: Node, names: Set<string>): void {
	if (node.type === "CatchClause") addNames(below(node, "param"), names);
	else if (FUNCTION.test(node.type)) for (const parameter of node["params"] as Node[]) addNames(parameter, names);
}

export interface Use {
	readonly node: Node;
	/** Text that the syntax needs before another name, as in `{ a }`. */
	readonly prefix: string;
	/** True if the variable is declared below the node at which the search began. */
	readonly isOwn: boolean;
}

/** Finds the places of variables below the node, which must not declare functions, classes or variables with `var`. */
export function usesBelow(
	node: Node,
	around: readonly ReadonlySet<string>[] = [],
	prefix = "",
	found: Use[] = [],
): Use[] {
	const scopes = [...around, scopeOf(node)];
	if (node.type === "Identifier") found.push({ node, prefix, isOwn: scopes.some((names) => names.has(nameOf(node))) });
	const key = propertyOf(node);
	for (const child of childrenOf(node)) {
		if (child === key) continue;
		const isLeft = node.type === "AssignmentPattern" && child === node["left"];
		usesBelow(child, scopes, node["shorthand"] === true ? `${nameOf(key)}: ` : isLeft ? prefix : "", found);
	}
	return found;
}

function scopeOf(node: Node): ReadonlySet<string> {
	const names = new Set<string>();
	addParameters(node, names);
	if (!WITH_SCOPE.test(node.type)) return names;
	const statements = node.type === "SwitchStatement" ? (node["cases"] as Node[]).flatMap(childrenOf) : childrenOf(node);
	for (const { type, declarations } of statements)
		if (type === "VariableDeclaration") for (const one of declarations as Node[]) addNames(below(one, "id"), names);
	return names;
}
