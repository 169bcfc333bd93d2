/**
 * Reads the API's complete description for the generators. It supports only those features of OpenAPI 3.1 and JSON
 * Schema that the description uses.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMPLETE, type Node, ROOT } from "./files.js";

export const DOCUMENT: Node = JSON.parse(readFileSync(COMPLETE, "utf8"));
export const METHODS = ["get", "post", "delete"];

export interface Operation {
	readonly path: string;
	readonly method: string;
	readonly operation: Node;
}

export function operationsOf(tag: string): Operation[] {
	return Object.entries<Node>(DOCUMENT.paths).flatMap(([path, item]) =>
		METHODS.filter((method) => item[method]?.tags.includes(tag)).map((method) => ({
			path,
			method,
			operation: item[method],
		})),
	);
}

export function nameOf(path: string): string {
	return path.replace("/api/v1/", "").replace("{", "<").replace("}", ">");
}

export function formatted(path: string, input: string): string {
	const biome = join(ROOT, "node_modules/.bin/biome");
	const args = ["format", `--stdin-file-path=${path}`];
	const { status, stdout, stderr } = spawnSync(biome, args, { cwd: ROOT, input, encoding: "utf8" });
	if (status !== 0) throw new Error(`biome: ${stderr}`);
	return stdout;
}

/** Returns the schema that the node refers to. The node's own members take precedence over those of the schema. */
export function resolve(node: Node): Node {
	// A nullable schema has its reference in `oneOf`.
	if (node.oneOf?.[0]?.$ref) {
		const target = resolve(node.oneOf[0]);
		return merge(target, { ...node, oneOf: undefined, type: [target.type, "null"] });
	}
	if (!("$ref" in node))
		return node.allOf?.[0]?.$ref ? merge(resolve(node.allOf[0]), { ...node, allOf: undefined }) : node;
	const { $ref, ...own } = node;
	let target = DOCUMENT;
	for (const step of $ref.split("/").slice(1)) target = target[step];
	return merge(resolve(target), own);
}

function merge(base: Node, own: Node): Node {
	const properties = own.properties ? { ...base.properties, ...own.properties } : base.properties;
	return { ...base, ...own, ...(properties ? { properties } : {}) };
}

export function bounds(schema: Node): string {
	const { type, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
	const words: string[] = [];
	if ("const" in schema) return code(schema.const);
	if (schema.enum) return schema.enum.map(code).join(" ");
	words.push([type ?? ""].flat().join(" or "));
	if (minimum !== undefined || maximum !== undefined) words.push(range(minimum, maximum));
	if (minLength !== undefined || maxLength !== undefined) words.push(`${range(minLength, maxLength)} characters`);
	if (minItems !== undefined || maxItems !== undefined) words.push(`${range(minItems, maxItems)} items`);
	if (schema.writeOnly) words.push("never shown");
	return words.join(", ");
}

export function initialOf(schema: Node): string {
	const value = schema["x-initial"] ?? schema.default;
	return value === undefined ? "" : code(value);
}

export function conditions({ anyOf = [], ...schema }: Node): string[] {
	const lines: string[] = anyOf.map((one: Node) => `${one.title}: ${names(one.required)}`);
	for (const rule of [schema, ...(schema.allOf ?? [])]) {
		if (!rule.if) continue;
		const [[name, value]] = Object.entries<Node>(rule.if.properties);
		const { required = [], properties = {} } = rule.then;
		const parts = required.length > 0 ? [`needs ${names(required)}`] : [];
		for (const [field, one] of Object.entries<Node>(properties)) if (one.enum) parts.push(`${field} ${bounds(one)}`);
		lines.push(`\`${name}\` ${bounds(value)}: ${parts.join("; ")}`);
	}
	return lines;
}

export function names(list: readonly string[]): string {
	return list.map((name) => `\`${name}\``).join(", ");
}

function code(value: unknown): string {
	return `\`${JSON.stringify(value)}\``;
}

function range(minimum?: number, maximum?: number): string {
	if (minimum === maximum) return String(minimum);
	if (maximum === undefined) return `${minimum} or more`;
	return minimum === undefined ? `up to ${maximum}` : `${minimum} to ${maximum}`;
}
