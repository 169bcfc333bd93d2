/** Parses a script and edits its text. */
import { parseAst } from "rolldown/parseAst";

/** A node of ESTree. `start` and `end` are positions in the text, in UTF-16 code units. */
export interface Node {
	readonly type: string;
	readonly start: number;
	readonly end: number;
	readonly [property: string]: unknown;
}

export interface Edit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

export function parse(script: string): Node {
	return parseAst(script, { lang: "js" }) as unknown as Node;
}

export function below(node: Node, property: string): Node | undefined {
	const value = node[property] as Node | null | undefined;
	return typeof value?.type === "string" ? value : undefined;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";

export function childrenOf(node: Node): Node[] {
	const children: Node[] = [];
	for (const property in node) {
		const value = node[property];
		if (!Array.isArray(value)) {
			if (isNode(value)) children.push(value);
			continue;
		}
		for (const one of value) if (isNode(one)) children.push(one);
	}
	return children;
}

export function nameOf(node: Node | undefined): string {
	return /^(Private)?Identifier$/.test(node?.type ?? "") ? (node!["name"] as string) : "";
}

export function isClass({ type }: Node): boolean {
	return type === "ClassDeclaration" || type === "ClassExpression";
}

/** Returns the name of a property. Returns undefined if the name is computed. */
export function propertyOf(node: Node): Node | undefined {
	if (node["computed"] === true) return undefined;
	if (node.type === "MemberExpression") return below(node, "property");
	return /^(Property|MethodDefinition|PropertyDefinition)$/.test(node.type) ? below(node, "key") : undefined;
}

/** Returns the text with all edits, which must not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
	let result = "";
	let end = 0;
	for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
		result += text.slice(end, edit.start) + edit.text;
		end = edit.end;
	}
	return result + text.slice(end);
}
