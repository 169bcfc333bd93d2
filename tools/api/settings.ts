/**
 * Writes types, bounds, choices, initial values and required fields of bodies and settings into the API's description,
 * from modules/config/schema.ts and modules/api/settings.ts. A setting that has no description there has that of
 * comments.ts.
 */
import { type BodyTable, NO_BODY } from "../../modules/api/body.js";
import type { Operation } from "../../modules/api/route.js";
import { BOOLEAN, BYTES, CHOICE, type Field, INTEGER, type SettingField } from "../../modules/config/schema.js";
import { METHOD_NAMES } from "../../modules/http/request.js";
import { commentOn } from "./comments.js";
import type { Node } from "./files.js";

const PREFIX = "/api/v1/";
const BACKUP = "POST /api/v1/system/backup";
const INITIAL = "x-initial";

export function keyOf(method: number, path: string): string {
	return `${METHOD_NAMES[method]} ${path.replace(/<(\w+)>/, "{$1}")}`;
}

/** Returns a regular expression for the permitted characters. Only a single range may have no end. */
function patternOf({ characters }: Field): string | undefined {
	if (characters === "" || characters.startsWith("\u0000")) return undefined;
	if (characters.length === 1) {
		const before = (characters.charCodeAt(0) - 1).toString(16).padStart(4, "0");
		return `^[^\\u0000-\\u${before}]*$`;
	}
	const quoted = (character: string) => (/[\\\]^-]/.test(character) ? `\\${character}` : character);
	const ranges = characters.match(/../g)!.map(([first, last]) => {
		return first === last ? quoted(first) : `${quoted(first)}-${quoted(last)}`;
	});
	return `^[${ranges.join("")}]*$`;
}

export function boundsOf(field: Field, table: BodyTable): Node {
	const { kind, minimum, maximum, choices } = field;
	if (table.list !== undefined && field === table.fields[0]) return { type: "array", maxItems: table.list.maximum };
	if (kind === BOOLEAN) return { type: "boolean" };
	if (kind === INTEGER) return { type: "integer", minimum, maximum };
	if (kind === CHOICE) return { type: typeof choices[0] === "number" ? "integer" : "string", enum: [...choices] };
	if (kind === BYTES) return { type: "array", minItems: minimum, maxItems: maximum };
	const pattern = patternOf(field);
	const minLength = minimum > 0 ? { minLength: minimum } : {};
	return { type: "string", ...minLength, maxLength: maximum, ...(pattern === undefined ? {} : { pattern }) };
}

/** Returns the referenced object itself, not a copy. */
function targetOf(document: Node, node: Node): Node {
	let target = document;
	for (const step of node.$ref.split("/").slice(1)) target = target[step];
	return target;
}

function schemaOf(document: Node, node: Node): Node {
	if (node.$ref === undefined) return node;
	const { schemas } = document.components;
	const name = node.$ref.split("/").at(-1);
	schemas[name] ??= {};
	const schema = schemas[name];
	schema.type ??= "object";
	schema.properties ??= {};
	return schema;
}

/** Returns `made` in the order of `old`. Existing members keep their order; a new one follows its predecessor in the table. */
export function inOrder(old: Node, made: Readonly<Record<string, Node>>): Node {
	const names = Object.keys(old).filter((name) => name in made);
	let before = -1;
	for (const name of Object.keys(made)) {
		if (!names.includes(name)) names.splice(before + 1, 0, name);
		before = names.indexOf(name);
	}
	return Object.fromEntries(names.map((name) => [name, made[name]]));
}

/**
 * Returns the schemas with the values of each `enum` that is text: route and name of a field with choices, or a name in
 * `words`.
 */
export function withChoices(
	schemas: Node,
	routes: readonly Operation[],
	words: Readonly<Record<string, readonly unknown[]>>,
): Node {
	const lists = new Map(Object.entries(words));
	for (const { path, body } of routes)
		for (const { name, choices } of body?.fields ?? []) lists.set(`${path.replace(PREFIX, "")} ${name}`, choices);
	return JSON.parse(JSON.stringify(schemas), (key, value) => {
		if (key !== "enum" || typeof value !== "string") return value;
		const list = lists.get(value);
		if (list === undefined) throw new Error(`modules/api/description.json: there is no field or list "${value}"`);
		return list;
	});
}

/** Writes the bodies and settings of the routes into `document`, which is changed. */
export function describeSettings(document: Node, routes: readonly Operation[]): void {
	for (const route of routes) {
		const key = keyOf(route.method, route.path);
		const [method, path] = key.split(" ");
		const operation = document.paths[path]?.[method.toLowerCase()];
		if (operation === undefined) continue;
		if (route.body !== undefined && route.body !== NO_BODY && key !== BACKUP)
			describeBody(document, operation.requestBody, route);
		describeReply(document, operation, route);
	}
}

function describeBody(document: Node, request: Node, { body, settings }: Operation): void {
	const given = request?.content?.["application/json"]?.schema;
	if (given === undefined || body === undefined) return;
	const schema = schemaOf(document, given);
	request["x-max-bytes"] = body.limit;
	const stored = settings === body ? settings.stored : [];
	describeFields(document, schema, body, stored);
	if (body.list === undefined) return;
	const { items } = schema.properties[body.fields[0].name];
	describeFields(document, items.$ref === undefined ? items : targetOf(document, items), body.list, []);
}

type Fields = Pick<BodyTable, "fields" | "required"> & Partial<BodyTable>;

function describeFields(document: Node, schema: Node, table: Fields, stored: readonly SettingField[]): void {
	const made: Record<string, Node> = {};
	for (const field of table.fields) {
		const setting = stored.find(({ name }) => name === field.name);
		made[field.name] = described(document, schema.properties[field.name], {
			...(setting === undefined ? {} : keywordsOf(setting)),
			...boundsOf(field, table as BodyTable),
		});
	}
	schema.properties = inOrder(schema.properties, made);
	if (table.required.length > 0) schema.required ??= table.required;
}

function keywordsOf(setting: SettingField): Node {
	const { secret, initial } = setting;
	const description = commentOn(setting);
	return {
		...(secret || initial === undefined ? {} : { [INITIAL]: initial }),
		...(secret ? { writeOnly: true } : {}),
		...(description === undefined ? {} : { description }),
	};
}

/** Returns a schema with the keywords of `made`. Those written by hand take precedence. */
function described(document: Node, old: Node = {}, made: Node): Node {
	if (old.$ref === undefined) return { ...made, ...old };
	const target = targetOf(document, old);
	Object.assign(target, { ...made, ...target });
	return old;
}

function describeReply(document: Node, operation: Node, { path, settings }: Operation): void {
	const { shown } = settings;
	if (shown.length === 0 || settings.show !== undefined) return;
	const { schema } = operation.responses[200].content["application/json"];
	const target = schemaOf(document, schema);
	const made: Record<string, Node> = {};
	for (const field of shown) {
		const name = field.secret ? `${field.name}_set` : field.name;
		const bounds = field.secret ? { type: "boolean" } : boundsOf(field, settings);
		made[name] = described(document, target.properties[name], bounds);
	}
	target.properties = inOrder(target.properties, made);
	const names = Object.keys(made);
	// The schema may also describe the body of a request, which may require fewer members than the reply.
	const { $ref } = document.paths[path].post.requestBody.content["application/json"].schema;
	const where = $ref === schema.$ref && settings.required.length < names.length ? schema : target;
	where.required ??= names;
}
