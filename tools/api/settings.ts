/**
 * Writes types, bounds, choices, initial values and required fields of bodies and settings into the API's description,
 * from modules/config/schema.ts and modules/api/settings.ts. A setting that has no description there has that of
 * comments.ts.
 */
import { type BodyTable, NO_BODY } from "../../modules/api/body.js";
import type { Operation } from "../../modules/api/route.js";
import { BOOLEAN, BYTES, CHOICE, type Field, INTEGER, type SettingField } from "../../modules/config/schema.js";
import { METHOD_NAMES } from "../../modules/http/request.js";
import { LIVE_SMA, LIVE_SUNSPEC } from "../../modules/live-meter/fields.js";
import { SECURITY_FIELDS } from "../../modules/ota/security-fields.js";
import { commentOn } from "./comments.js";
import type { Node } from "./files.js";

/** Keywords that the routes themselves check. They are written by hand. */
export const BY_ROUTE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
	"POST /api/v1/system/password": { new_password: ["minLength"] },
	"POST /api/v1/dlms/config": { block_cipher_key: ["pattern"], auth_key: ["pattern"] },
	"POST /api/v1/network/wifi": {
		ssid: ["minLength"],
		password: ["pattern"],
		ip: ["pattern"],
		netmask: ["pattern"],
		gateway: ["pattern"],
		hostname: ["minLength", "pattern"],
	},
	"POST /api/v1/network/ap": { ap_ssid: ["minLength"], ap_password: ["minLength"] },
	"POST /api/v1/zigbee/map": { mapping_id: ["pattern"] },
};

/** Settings that a firmware may lack (tools/sdk/omissions.ts). Its reply lacks their members. */
const LACKED: readonly string[] = [...SECURITY_FIELDS, LIVE_SMA, LIVE_SUNSPEC].map(({ name }) => name);

const BACKUP = "POST /api/v1/system/backup";
const MADE = ["type", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"];
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

/** Returns `old` with the generated keywords of `made`. Removes keywords that are not generated any more. */
function renewed(old: Node, made: Node, byRoute: readonly string[] = []): Node {
	const node: Node = {};
	for (const [name, value] of Object.entries<Node>(old)) {
		if (byRoute.includes(name) || !(MADE.includes(name) || name === INITIAL)) node[name] = value;
		else if (name in made) node[name] = sameClass(value, made[name]) ? value : made[name];
	}
	for (const [name, value] of Object.entries(made)) if (!(name in node) && !byRoute.includes(name)) node[name] = value;
	return node;
}

function sameClass(a: Node, b: Node): boolean {
	const rangesOf = (pattern: unknown) => {
		const inside = typeof pattern === "string" ? /^\^\[((?:\\?[^\]])*)\]\*\$$/.exec(pattern)?.[1] : undefined;
		return inside?.startsWith("^")
			? undefined
			: inside
					?.match(/\\?.-\\?.|\\?./g)
					?.sort()
					.join("");
	};
	return rangesOf(a) !== undefined && rangesOf(a) === rangesOf(b);
}

/** Returns the members in order. Existing members keep their order; a new one follows its predecessor in the table. */
function inOrder(old: Node, made: Readonly<Record<string, Node>>): Node {
	const names = Object.keys(old).filter((name) => name in made);
	let before = -1;
	for (const name of Object.keys(made)) {
		if (!names.includes(name)) names.splice(before + 1, 0, name);
		before = names.indexOf(name);
	}
	return Object.fromEntries(names.map((name) => [name, made[name]]));
}

function sameNames(old: readonly string[] | undefined, names: readonly string[]): readonly string[] {
	return [...(old ?? [])].sort().join() === [...names].sort().join() ? (old ?? []) : names;
}

/** Writes the bodies and settings of the routes into `document`, which is changed. */
export function describeSettings(document: Node, routes: readonly Operation[]): void {
	for (const route of routes) {
		const key = keyOf(route.method, route.path);
		const [method, path] = key.split(" ");
		const operation = document.paths[path]?.[method.toLowerCase()];
		if (operation === undefined) continue;
		if (route.body !== undefined && route.body !== NO_BODY && key !== BACKUP)
			describeBody(document, operation.requestBody, route, key);
		describeReply(document, operation, route);
	}
}

function describeBody(document: Node, request: Node, { body, settings }: Operation, key: string): void {
	const given = request?.content?.["application/json"]?.schema;
	if (given === undefined || body === undefined) return;
	const schema = schemaOf(document, given);
	request["x-max-bytes"] = body.limit;
	const stored = settings === body ? settings.stored : [];
	describeFields(document, schema, body, stored, key);
	if (body.list === undefined) return;
	const { items } = schema.properties[body.fields[0].name];
	describeFields(document, items.$ref === undefined ? items : targetOf(document, items), body.list, [], key);
}

type Fields = Pick<BodyTable, "fields" | "required"> & Partial<BodyTable>;

function describeFields(
	document: Node,
	schema: Node,
	table: Fields,
	stored: readonly SettingField[],
	key: string,
): void {
	const made: Record<string, Node> = {};
	for (const field of table.fields) {
		const old = schema.properties[field.name] ?? {};
		const byRoute = BY_ROUTE[key]?.[field.name];
		const setting = stored.find(({ name }) => name === field.name);
		const initial =
			setting === undefined || setting.secret || setting.initial === undefined ? {} : { [INITIAL]: setting.initial };
		const wanted = {
			...initial,
			...boundsOf(field, table as BodyTable),
			...(setting?.secret ? { writeOnly: true } : {}),
			...descriptionOf(old, setting),
		};
		made[field.name] = old.$ref === undefined ? renewed(old, wanted, byRoute) : old;
		if (old.$ref !== undefined)
			Object.assign(targetOf(document, old), renewed(targetOf(document, old), wanted, byRoute));
	}
	schema.properties = inOrder(schema.properties, made);
	const required = sameNames(schema.required, table.required);
	if (required.length > 0) schema.required = required;
	else delete schema.required;
}

function describeReply(document: Node, operation: Node, route: Operation): void {
	const { settings } = route;
	if (settings.shown.length === 0 || settings.show !== undefined) return;
	const { schema } = operation.responses[200].content["application/json"];
	const target = schemaOf(document, schema);
	const made: Record<string, Node> = {};
	for (const field of settings.shown) {
		const { name, secret } = field;
		const old = target.properties[secret ? `${name}_set` : name] ?? {};
		const wanted = { ...initialOf(old, field), ...boundsOf(field, settings) };
		if (secret) made[`${name}_set`] = renewed(old, { type: "boolean" });
		else made[name] = old.$ref === undefined ? renewed(old, wanted) : old;
	}
	target.properties = inOrder(target.properties, made);
	const names = Object.keys(made).filter((name) => !LACKED.includes(name));
	const body = settings.required;
	// The schema may also describe the body of a request, which may require fewer members than the reply.
	const isOwn = schema.required !== undefined || (isOneSchema(document, route, schema) && body.length < names.length);
	const where = isOwn ? schema : target;
	where.required = sameNames(where.required, names);
	addToExample(operation.responses[200].content["application/json"], settings.shown);
}

function isOneSchema(document: Node, { path }: Operation, { $ref }: Node): boolean {
	return document.paths[path].post.requestBody.content["application/json"].schema.$ref === $ref;
}

function addToExample(content: Node, shown: readonly Field[]): void {
	if (content.example === undefined) return;
	const values = shown.map(({ name, secret, initial }) => (secret ? [`${name}_set`, false] : [name, initial ?? ""]));
	const made = values.map(([name, value]) => [name, content.example[name as string] ?? value]);
	content.example = inOrder(content.example, Object.fromEntries(made));
}

function descriptionOf(old: Node, field: SettingField | undefined): Node {
	const description = "description" in old ? undefined : field && commentOn(field);
	return description === undefined ? {} : { description };
}

/** Returns the initial value for a schema that body and reply share. Other schemas have no initial value. */
function initialOf(old: Node, { initial }: Field): Node {
	return INITIAL in old && initial !== undefined ? { [INITIAL]: initial } : {};
}
