/**
 * Completes the API's description. modules/api/description.json has what is special to an operation. The rest follows
 * from the route's row (modules/api/route.ts) and from the tables of the settings (settings.ts).
 *
 * - `request` and `reply` are JSON bodies: `schema` is the name of a schema, or a schema; `example` is a value.
 * - A GET without `reply` has the reply of the POST beside it. A POST of settings without `reply`, or without its
 *   `schema` or `example`, has those of the request; the example also gets the initial values. Other operations without
 *   `reply` have an empty one.
 * - `errors`, by status: the name of a response, or a response, beside or in place of that of the row. `codes` of a
 *   response are its error codes.
 * - `requestBody` and `responses` are those of OpenAPI, for bodies that are not JSON.
 * - `operationId` replaces the name that is made from method and path.
 * - `enum` of a schema may be text: route and name of the field whose choices it has (`meter/protocol protocol`), or a
 *   name in `words`.
 */
import { NO_BODY } from "../../modules/api/body.js";
import type { Operation } from "../../modules/api/route.js";
import { SCOPE_FULL, SCOPE_NONE } from "../../modules/auth/scope.js";
import type { SettingField } from "../../modules/config/schema.js";
import { METHOD_GET } from "../../modules/http/request.js";
import type { Node } from "./files.js";
import { describeSettings, inOrder, keyOf, withChoices } from "./settings.js";

const JSON_TYPE = "application/json";
const SCHEMAS = "#/components/schemas/";

/**
 * Returns the complete description, an OpenAPI document. `omittable`: keys (keyOf) of the routes that a firmware may
 * lack. Throws an Error if there is no route for an operation.
 */
export function complete(
	source: Node,
	routes: readonly Operation[],
	omittable: ReadonlySet<string>,
	words: Readonly<Record<string, readonly string[]>>,
): Node {
	const rows = new Map(routes.map((route) => [keyOf(route.method, route.path), route]));
	const document = structuredClone(source);
	const { paths, components } = document;
	for (const [path, item] of Object.entries<Node>(paths)) {
		// The POST is first, because the reply of the GET may be the same.
		for (const method of Object.keys(item).sort().reverse()) {
			const key = `${method.toUpperCase()} ${path}`;
			const row = rows.get(key);
			if (row === undefined) throw new Error(`modules/api/description.json: the firmware has no ${key}`);
			item[method] = operationOf(item[method], key, row, omittable.has(key), item.post?.responses?.[200]);
		}
	}
	for (const [name, response] of Object.entries(components.responses))
		components.responses[name] = responseOf(response);
	components.schemas = withChoices(components.schemas, routes, words);
	describeSettings(document, routes);
	return document;
}

function operationOf(source: Node, key: string, row: Operation, mayLack: boolean, ofPost: Node): Node {
	const { operationId = nameOf(key), tags, summary, description, parameters, request, reply, errors } = source;
	const requestBody =
		request === undefined ? source.requestBody : { required: !row.body?.mayBeMissing, ...contentOf(request) };
	const all: Node = { ...errorsOf(row, requestBody?.content[JSON_TYPE] !== undefined, mayLack), ...errors };
	const responses = Object.fromEntries(Object.entries(all).map(([status, one]) => [status, responseOf(one)]));
	const access =
		row.scope === SCOPE_NONE ? { security: [] } : { "x-scope": row.scope === SCOPE_FULL ? "full" : "read" };
	const members = {
		...{ operationId, tags, ...access, summary, description, parameters, requestBody },
		responses: { 200: replyOf(row, request, reply, ofPost), ...responses, ...source.responses },
	};
	return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));
}

/** Returns a name such as `getSystemTokens`. */
function nameOf(key: string): string {
	const [method, path] = key.split(" /api/v1/");
	const words = path.replace(/\/\{\w+\}$/, "").split(/\W|_/);
	return method.toLowerCase() + words.map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}

/** Returns the names of the responses to faults of any request to this route, by status. */
function errorsOf({ method, path, scope, body, readsMeter }: Operation, hasJSON: boolean, mayLack: boolean): Node {
	const isGET = method === METHOD_GET;
	const names: Node = { 403: isGET ? "PlainHTTP" : "Forbidden", 500: "Internal", 503: "Busy" };
	if (scope !== SCOPE_NONE) names[401] = "Unauthorized";
	if (scope === SCOPE_FULL) names[403] = isGET ? "NotShown" : "NotAllowed";
	if (path.includes("<")) names[404] = "UnknownId";
	if (mayLack && isGET) names[404] = "NotBuilt";
	if (readsMeter || (mayLack && !isGET)) names[501] = "Unsupported";
	if (hasJSON || body === NO_BODY) Object.assign(names, { 400: hasJSON ? "InvalidBody" : "BadBody", 413: "TooLarge" });
	return names;
}

function replyOf({ method, settings }: Operation, request: Node, reply: Node, ofPost: Node): Node {
	if (method === METHOD_GET && reply === undefined) return structuredClone(ofPost);
	const { shown, show } = settings;
	if (reply === undefined && (request === undefined || shown.length === 0)) return responseOf("Empty");
	const { schema = request.schema, example, ...more } = reply ?? {};
	const isWhole = shown.length === 0 || (show !== undefined && example !== undefined);
	const all = isWhole ? example : exampleOf(shown, example, request?.example);
	return { description: "OK", ...more, ...contentOf({ schema, example: all }) };
}

function exampleOf(shown: readonly SettingField[], written: Node = {}, sent: Node = {}): Node {
	const values = shown.map(({ name, secret, initial }) => {
		const member = secret ? `${name}_set` : name;
		return [member, written[member] ?? (secret ? name in sent : (sent[name] ?? initial ?? ""))];
	});
	return inOrder(written, Object.fromEntries(values));
}

function contentOf({ schema, example }: Node): Node {
	return {
		content: { [JSON_TYPE]: { schema: typeof schema === "string" ? { $ref: SCHEMAS + schema } : schema, example } },
	};
}

function responseOf(source: Node): Node {
	if (typeof source === "string") return { $ref: `#/components/responses/${source}` };
	const { codes, ...response } = source;
	if (codes === undefined) return response;
	const schema = { allOf: [{ $ref: `${SCHEMAS}Error` }], properties: { error: { enum: codes } } };
	return { ...response, content: { [JSON_TYPE]: { schema } } };
}
