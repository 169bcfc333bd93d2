/**
 * Makes the page's types of replies (hosts/browser/kit/replies.ts) and limits of fields (bodies.ts) from the API's
 * complete description. It supports only those features of JSON Schema that the description uses.
 */
import { DOCUMENT } from "./document.js";
import { type Node, PAGE_TYPES } from "./files.js";

const PREFIX = "/api/v1/";
const SCHEMAS = "#/components/schemas/";

const ORIGIN = "Made by each npm command from modules/api/description.json and the tables of the settings.";

function jsonOf(part: Node): Node {
	return part?.content?.["application/json"]?.schema;
}

function resolve(schema: Node): Node {
	return schema?.$ref?.startsWith(SCHEMAS) ? DOCUMENT.components.schemas[schema.$ref.slice(SCHEMAS.length)] : schema;
}

/**
 * Adds to `found` the names of the schemas to which `schema` refers, directly or through other schemas. A schema comes
 * before those to which it refers, unless an earlier schema refers to them too.
 */
function repliesOf(schema: Node, found: Set<string>): void {
	if (schema === null || typeof schema !== "object") return;
	if (typeof schema.$ref === "string" && schema.$ref.startsWith(SCHEMAS)) {
		const name = schema.$ref.slice(SCHEMAS.length);
		if (found.has(name)) return;
		found.add(name);
		repliesOf(DOCUMENT.components.schemas[name], found);
	}
	for (const part of Object.values(schema)) repliesOf(part, found);
}

const TYPES: Readonly<Record<string, string>> = {
	string: "string",
	integer: "number",
	number: "number",
	boolean: "boolean",
	null: "null",
};

function typeOf(schema: Node): string {
	const { $ref, type, properties, required = [], items, allOf } = schema;
	if ($ref !== undefined && required.length === 0) return $ref.slice(SCHEMAS.length);
	if ("const" in schema) return JSON.stringify(schema.const);
	if (schema.enum !== undefined) return schema.enum.map((one: unknown) => JSON.stringify(one)).join(" | ");
	if (Array.isArray(type) && type.includes("object")) return `${typeOf({ ...schema, type: "object" })} | null`;
	if (Array.isArray(type)) return type.map((one) => TYPES[one]).join(" | ");
	if (type === "array") return `readonly (${typeOf(items)})[]`;
	if (properties === undefined) return TYPES[type];
	const members = Object.entries<Node>(properties).map(([name, one]) => {
		return `readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(one)};`;
	});
	const own = `{\n${members.join("\n")}\n}`;
	return [...(allOf ?? []).filter((one: Node) => one.$ref).map(typeOf), own].join(" & ");
}

function replyTypes(): string[] {
	const found = new Set<string>();
	for (const item of Object.values<Node>(DOCUMENT.paths))
		for (const { responses } of [item.get, item.post].filter(Boolean)) repliesOf(jsonOf(responses?.[200]), found);
	return [...found].map((name) => {
		const type = typeOf(DOCUMENT.components.schemas[name]);
		return `export ${type.startsWith("{") && type.endsWith("}") ? `interface ${name} ${type}` : `type ${name} = ${type};`}`;
	});
}

/** Returns the limits of a field. A member `by` means that the choices depend on the value of another field. */
function limitsOf(schema: Node, conditions: readonly Node[], name: string): string {
	const { minimum, maximum, minLength, maxLength, pattern, maxItems, items } = schema;
	const limits: string[] = [];
	const min = minimum ?? minLength;
	const max = maximum ?? maxLength ?? maxItems;
	if (min !== undefined) limits.push(`min: ${min}`);
	if (max !== undefined) limits.push(`max: ${max}`);
	if (pattern !== undefined) limits.push(`pattern: ${new RegExp(pattern)}`);
	if (schema.enum !== undefined) limits.push(`choices: ${JSON.stringify(schema.enum)}`);
	const item = resolve(items);
	if (item?.properties !== undefined) limits.push(`items: ${fieldsOf(item)}`);
	const by = conditions.flatMap(({ if: test, then }) => {
		const choices = then?.properties?.[name]?.enum;
		const [other] = Object.values<Node>(test?.properties ?? {});
		return choices === undefined ? [] : [`${JSON.stringify(other.const)}: ${JSON.stringify(choices)}`];
	});
	if (by.length > 0) limits.push(`by: { ${by.join(", ")} }`);
	return `{ ${limits.join(", ")} }`;
}

function fieldsOf({ properties, allOf = [] }: Node): string {
	const fields = Object.entries<Node>(properties).map(
		([name, one]) => `${name}: ${limitsOf(resolve(one), allOf, name)}`,
	);
	return `{\n${fields.join(",\n")}\n}`;
}

function bodies(): string[] {
	return Object.entries<Node>(DOCUMENT.paths).flatMap(([path, { post }]) => {
		const schema = resolve(jsonOf(post?.requestBody));
		if (schema === undefined) return [];
		const name = path.slice(PREFIX.length).replace(/\W/g, "_").toUpperCase();
		return [`/** POST ${path} */\nexport const ${name} = ${fieldsOf(schema)} as const;`];
	});
}

export interface PageFile {
	readonly path: string;
	readonly text: string;
}

function fileOf(path: string, what: string, parts: readonly string[]): PageFile {
	const text = [`/** ${what} ${ORIGIN} */`, ...parts].join("\n\n");
	return { path, text: `${indented(text)}\n` };
}

function indented(text: string): string {
	let depth = 0;
	const lines = text.split("\n").map((line) => {
		if (line.startsWith("}")) depth--;
		const tabs = "\t".repeat(depth);
		if (line.endsWith("{")) depth++;
		return tabs + line;
	});
	return lines.join("\n");
}

export function pageFiles(): readonly PageFile[] {
	const [replies, bodiesFile] = PAGE_TYPES;
	return [
		fileOf(replies, "Types of the replies.", replyTypes()),
		fileOf(bodiesFile, "Permitted values of the fields of request bodies, by route.", bodies()),
	];
}
