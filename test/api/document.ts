/**
 * Checks replies against the API's description; gateway.ts passes it every reply of the black-box suite. Clients
 * must accept unknown members, but here a reply may hold only documented ones.
 */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { DOCUMENT, METHODS } from "../../tools/api/document.js";
import type { Node } from "../../tools/api/files.js";

export interface Operation {
	readonly operationId: string;
	readonly "x-scope"?: string;
	readonly security?: readonly unknown[];
	readonly parameters?: readonly Node[];
	readonly requestBody?: Node;
	readonly responses: Readonly<Record<string, Node>>;
}

/** Target of a `$ref` within the document, with the target's pointer. */
function follow(pointer: string): [Node, string] {
	let node = DOCUMENT;
	for (const step of pointer.split("/").slice(1)) node = node?.[step.replaceAll("~1", "/").replaceAll("~0", "~")];
	assert.ok(node, `the document has nothing at ${pointer}`);
	return "$ref" in node && Object.keys(node).length === 1 ? follow(node.$ref.slice(1)) : [node, pointer];
}

/** `node`, or the target of its `$ref`. */
export function resolve(node: Node): Node {
	return "$ref" in node ? follow(node.$ref.slice(1))[0] : node;
}

function listOperations(): ReadonlyMap<string, Operation> {
	const all = new Map<string, Operation>();
	for (const [path, item] of Object.entries<Node>(DOCUMENT.paths))
		for (const method of METHODS) if (item[method]) all.set(`${method.toUpperCase()} ${path}`, item[method]);
	return all;
}

/** All operations; a key is like `GET /path`. */
export const OPERATIONS = listOperations();

function pointerOf(...steps: string[]): string {
	return steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * A copy of the document whose reply objects allow no further members. The restriction is added where a schema is used,
 * not in the schema itself, because `allOf` may combine schemas.
 */
function closed(node: Node, isPlace: boolean): Node {
	if (Array.isArray(node)) return node.map((one) => closed(one, false));
	if (node === null || typeof node !== "object") return node;
	const copy: Node = {};
	for (const [key, value] of Object.entries<Node>(node)) {
		if (key === "example" || key === "enum" || key === "const" || key === "default") copy[key] = value;
		else if (key === "properties")
			copy[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one, true)]));
		else copy[key] = closed(value, key === "items" || key === "schema");
	}
	if (isPlace) copy.unevaluatedProperties = false;
	return copy;
}

/** Keywords that the document uses besides those of JSON Schema. */
const KEYWORDS = [...Object.keys(DOCUMENT), "example", "x-initial", "x-status"];
const OPTIONS = {
	strict: true,
	strictTypes: false,
	strictRequired: false,
	allErrors: true,
	keywords: KEYWORDS,
} as const;
/** `open` validates against the unchanged document, `strict` against the closed copy. */
const open = new Ajv2020(OPTIONS).addSchema(DOCUMENT, "api");
const strict = new Ajv2020({ ...OPTIONS }).addSchema(closed(DOCUMENT, false), "api");
const compiled = new Map<string, ValidateFunction>();

function complaint(ajv: Ajv2020, name: string, pointer: string, value: unknown): string {
	const key = name + pointer;
	let validate = compiled.get(key);
	if (validate === undefined) {
		validate = ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
		compiled.set(key, validate);
	}
	return validate(value) ? "" : ajv.errorsText(validate.errors, { dataVar: "it", separator: "\n" });
}

/** Error of a value under the schema at `pointer`; "" if the value is valid. */
export function complaintOf(pointer: string, value: unknown): string {
	return complaint(open, "open", pointer, value);
}

/** Pointer to the content of an operation's request or reply. */
export function contentPointer(key: string, status: string): string {
	const [method, path] = key.split(" ");
	const steps = ["paths", path, method.toLowerCase()];
	const pointer = pointerOf(...steps, ...(status === "" ? ["requestBody"] : ["responses", status]));
	return `${follow(pointer)[1]}/content`;
}

/** The operation for `path`; undefined if none is documented. */
function find(method: string, path: string): [string, Operation] | undefined {
	const [name] = path.split("?");
	const wanted = `${method === "HEAD" ? "GET" : method} ${name}`;
	const exact = OPERATIONS.get(wanted);
	if (exact) return [wanted, exact];
	return [...OPERATIONS].find(([key]) => {
		const opening = key.indexOf("{");
		const rest = wanted.slice(opening);
		return opening > 0 && wanted.startsWith(key.slice(0, opening)) && rest !== "" && !rest.includes("/");
	});
}

/** Checks that the document allows this reply. `path` is as requested; `text` is empty for HEAD. */
export function checkReply(method: string, path: string, reply: { status: number; type: string; text: string }): void {
	const { status, type, text } = reply;
	const what = `${method} ${path} answered ${status} ${text}`;
	const found = find(method, path);
	const [key, operation] = found ?? ["", undefined];
	const response = operation?.responses[status];
	if (operation === undefined || response === undefined) {
		const outside = operation === undefined ? [401, 403, 404, 405] : [];
		assert.ok(outside.includes(status) || isRefusal(reply), `${what}: the API's description has no such reply`);
		if (text !== "") assert.equal(complaint(strict, "strict", "/components/schemas/Error", JSON.parse(text)), "", what);
		return;
	}
	if (method === "HEAD") return;
	const { content } = resolve(response);
	if (content === undefined) assert.equal(text, "", `${what}: the API's description has no body`);
	else if (type === "application/json") {
		assert.ok(content[type], `${what}: the API's description has no JSON for this reply`);
		const pointer = `${contentPointer(key, String(status))}/application~1json/schema`;
		const wrong = complaint(strict, "strict", pointer, JSON.parse(text));
		assert.equal(wrong, "", `${what}: differs from the API's description`);
	} else assert.ok(content[type], `${what}: the API's description has no ${type} for this reply`);
}

/** Returns true for the server's reply to invalid HTTP, which reaches no route. */
function isRefusal({ status, text }: { status: number; text: string }): boolean {
	return [408, 414, 431, 505].includes(status) || (status === 400 && JSON.parse(text).error === "bad_request");
}
