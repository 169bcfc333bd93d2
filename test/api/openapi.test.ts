/** The document modules/api/openapi.json and the code say the same: routes, access, fields, limits, errors. */

import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type BodyTable, NO_BODY } from "../../modules/api/body.js";
import * as codes from "../../modules/api/errors.js";
import { SCOPE_FULL, SCOPE_NONE } from "../../modules/auth/tokens.js";
import { BOOLEAN, BYTES, CHOICE, type Field, INTEGER, TEXT } from "../../modules/config/schema.js";
import { METHOD_NAMES } from "../../modules/http/request.js";
import { errorText } from "../../modules/http/status.js";
import { HUB_DISABLED } from "../../modules/hub/routes.js";
import { CERTIFICATE_FILE_LIMIT } from "../../modules/io/crypto.js";
import { MQTT_DISABLED } from "../../modules/mqtt/routes.js";
import { codeOf, REFUSALS } from "../../modules/ota/refusals.js";
import * as failures from "../../modules/readout/failure.js";
import { ZIGBEE_DISABLED } from "../../modules/zigbee/routes.js";
import { complaintOf, contentPointer, DOCUMENT, type Node, OPERATIONS, resolve } from "./document.js";
import { ROUTES } from "./tables.js";

/** Statuses that the server answers by itself. */
const SERVER_STATUSES = [400, 408, 413, 414, 431, 500, 501, 503, 505];

/** What the document says of a field beyond its table, since the route itself checks that. */
const BY_ROUTE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
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

/** Keywords that don't bound a value. */
const REMARKS = ["description", "writeOnly", "readOnly", "default", "x-initial"];

/** A route as the document has it. */
function keyOf(method: number, path: string): string {
	return `${METHOD_NAMES[method]} ${path.replace(/<(\w+)>/, "{$1}")}`;
}

const routes = new Map(ROUTES.map((route) => [keyOf(route.method, route.path), route]));

/** The pattern of a text whose characters are these; undefined for any text. One range alone may have no end. */
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
	return inOrder(`^[${ranges.join("")}]*$`);
}

/** A pattern of one class with its ranges sorted, so that the order in a table doesn't matter; others as they are. */
function inOrder(pattern: string): string {
	const inside = /^\^\[((?:\\?[^\]])*)\]\*\$$/.exec(pattern)?.[1];
	if (inside === undefined || inside.startsWith("^")) return pattern;
	const ranges = inside.match(/\\?.-\\?.|\\?./g)!;
	return `^[${ranges.sort().join("")}]*$`;
}

function schemaOf(field: Field, table: BodyTable): Node {
	const { kind, minimum, maximum, choices } = field;
	if (table.list !== undefined && field === table.fields[0]) return { type: "array", maxItems: table.list.maximum };
	if (kind === BOOLEAN) return { type: "boolean" };
	if (kind === INTEGER) return { type: "integer", minimum, maximum };
	if (kind === CHOICE) return { type: typeof choices[0] === "number" ? "integer" : "string", enum: [...choices] };
	if (kind === BYTES) return { type: "array", minItems: minimum, maxItems: maximum };
	assert.equal(kind, TEXT);
	const pattern = patternOf(field);
	return {
		type: "string",
		...(minimum > 0 ? { minLength: minimum } : {}),
		maxLength: maximum,
		...(pattern ? { pattern } : {}),
	};
}

/** That a field of the document is bounded as `wanted` says, but for the keywords in `loose`; its items. */
function agreeOn(what: string, property: Node, wanted: Node, loose: readonly string[]): Node {
	const { items, ...found } = { ...resolve(property) };
	for (const name of [...REMARKS, ...loose]) {
		delete found[name];
		delete wanted[name];
	}
	if (found.pattern) found.pattern = inOrder(found.pattern);
	assert.deepEqual(found, wanted, what);
	return items;
}

/** That the schema has these fields and no others, each bounded as its table says. */
function agree(
	key: string,
	schema: Node,
	fields: readonly Field[],
	required: readonly string[],
	table: BodyTable,
): void {
	const { properties } = schema;
	assert.deepEqual(
		Object.keys(properties).sort(),
		fields.map(({ name }) => name).sort(),
		`${key}: names of the fields`,
	);
	assert.deepEqual([...(schema.required ?? [])].sort(), [...required].sort(), `${key}: required fields`);
	for (const field of fields) {
		const loose = BY_ROUTE[key]?.[field.name] ?? [];
		const wanted = schemaOf(field, table);
		const items = agreeOn(`${key}: ${field.name}`, properties[field.name], wanted, loose);
		if (field.kind === BYTES && field !== table.fields[0])
			assert.deepEqual(items, { type: "integer", minimum: 0, maximum: 255 }, `${key}: ${field.name}`);
	}
}

/** The enumeration of error codes in a reply's schema. */
function codesOf(response: Node): string[] {
	const schema = resolve(response).content?.["application/json"]?.schema;
	return schema?.properties?.error?.enum ?? [];
}

describe("The description of the API, openapi.json", () => {
	it("is valid by the schema of OpenAPI 3.1", async () => {
		const { valid, errors } = await new Validator().validate(structuredClone(DOCUMENT));
		assert.ok(valid, JSON.stringify(errors, undefined, 2));
		assert.match(DOCUMENT.openapi, /^3\.1\./);
	});

	it("has every route of the firmware", () => {
		const missing = [...routes.keys()].filter((key) => !OPERATIONS.has(key));
		assert.deepEqual(missing, [], "describe these in modules/api/openapi.json");
	});

	it("has no route that the firmware lacks", () => {
		assert.deepEqual(
			[...OPERATIONS.keys()].filter((key) => !routes.has(key)),
			[],
		);
	});

	it("asks for a token where the firmware does, of the same scope", () => {
		assert.deepEqual(DOCUMENT.security, [{ token: [] }]);
		for (const [key, operation] of OPERATIONS) {
			const scope = routes.get(key)?.scope;
			const isOpen = scope === SCOPE_NONE;
			assert.deepEqual(operation.security, isOpen ? [] : undefined, key);
			assert.equal(codesOf(operation.responses[401] ?? {}).includes("unauthorized"), !isOpen, key);
			const isFull = scope === SCOPE_FULL;
			assert.equal(operation["x-scope"], isOpen ? undefined : isFull ? "full" : "read", key);
			assert.equal(codesOf(operation.responses[403]).includes("forbidden_scope"), isFull, key);
		}
	});

	it("has the fields, bounds and sizes of every body", () => {
		for (const [key, { body }] of routes) {
			const request = OPERATIONS.get(key)?.requestBody;
			const schema = request?.content?.["application/json"]?.schema;
			// A backup is no object of fields: it has a reader of its own.
			if (key === "POST /api/v1/system/backup") continue;
			assert.equal(schema !== undefined, body !== undefined && body !== NO_BODY, `${key}: a JSON body`);
			if (body === undefined || body === NO_BODY) continue;
			const object = resolve(schema);
			agree(key, object, body.fields, body.required, body);
			assert.equal(request["x-max-bytes"], body.limit, `${key}: largest body`);
			assert.equal(request.required, true, key);
			const { list } = body;
			if (list === undefined) continue;
			agree(key, resolve(object.properties[body.fields[0].name].items), list.fields, list.required, body);
		}
	});

	it("tells what a new unit has, of every setting that is not secret", () => {
		for (const [key, { body, settings }] of routes) {
			const request = OPERATIONS.get(key)?.requestBody;
			if (body === undefined || settings !== body) continue;
			const { properties } = resolve(request.content["application/json"].schema);
			const stored = new Map(settings.stored.map((field) => [field.name, field]));
			for (const [name, property] of Object.entries<Node>(properties)) {
				const setting = stored.get(name);
				const initial = setting?.secret ? undefined : setting?.initial;
				assert.equal(resolve(property)["x-initial"], initial, `${key}: ${name}`);
			}
		}
	});

	it("has the settings that each group answers with, bounded as they are in its body, and of secrets only whether there is one", () => {
		let groups = 0;
		for (const [key, { settings }] of routes) {
			if (settings.shown.length === 0 || settings.show !== undefined) continue;
			const { schema } = OPERATIONS.get(key)!.responses[200].content["application/json"];
			const { required, ...base } = { ...resolve({ $ref: schema.$ref }), ...schema };
			const names = settings.shown.map(({ name, secret }) => (secret ? `${name}_set` : name));
			assert.deepEqual(Object.keys(base.properties).sort(), names.toSorted(), `${key}: names`);
			assert.deepEqual(required.toSorted(), names.toSorted(), `${key}: required`);
			for (const field of settings.shown) {
				if (field.secret) assert.deepEqual(base.properties[`${field.name}_set`], { type: "boolean" }, key);
				else agreeOn(`${key}: ${field.name}`, base.properties[field.name], schemaOf(field, settings), []);
			}
			groups++;
		}
		// GET and POST of power mode, time zone, fallback, protocol, IEC 62056-21, control, schedule, DLMS and upgrade.
		assert.equal(groups, 18);
	});

	it("has the size of a certificate file", () => {
		const { schema } = DOCUMENT.paths["/api/v1/system/certificate"].post.requestBody.content["text/plain"];
		assert.equal(schema.maxLength, CERTIFICATE_FILE_LIMIT);
	});

	it("has the codes of all errors and no others", () => {
		const own = SERVER_STATUSES.map((status) => JSON.parse(errorText(status)).error);
		const all = new Set([
			...own,
			...[HUB_DISABLED, MQTT_DISABLED, ZIGBEE_DISABLED],
			...Object.values({ ...codes, ...failures }).filter((code) => typeof code === "string"),
			...REFUSALS.map((_, refusal) => codeOf(refusal)).filter((code) => code !== ""),
		]);
		const { oneOf } = DOCUMENT.components.schemas.Error.properties.error;
		assert.deepEqual(oneOf.map((one: Node) => one.const).sort(), [...all].sort());
		for (const [key, { responses }] of OPERATIONS) {
			for (const response of Object.values(responses))
				for (const code of codesOf(response)) assert.ok(all.has(code), `${key}: ${code}`);
		}
	});

	it("has the errors that any request can meet, at every route", () => {
		for (const [key, { requestBody, responses }] of OPERATIONS) {
			const wanted = ["200", "403", "500", "503"];
			if (requestBody || key.startsWith("POST")) wanted.push("400");
			// A file of certificates has its reasons in plain text, its size included.
			if (wanted.includes("400") && !requestBody?.content["text/plain"]) wanted.push("413");
			if (key.includes("{")) wanted.push("404");
			for (const status of wanted) assert.ok(status in responses, `${key}: ${status}`);
			for (const [status, response] of Object.entries(responses)) {
				const isJSONError = Number(status) >= 400 && !resolve(response).content?.["text/plain"];
				assert.equal(codesOf(response).length > 0, isJSONError, `${key}: codes of ${status}`);
			}
		}
	});

	it("names parameters as the paths have them, and each operation once", () => {
		const ids = [...OPERATIONS.values()].map(({ operationId }) => operationId);
		assert.equal(new Set(ids).size, ids.length);
		for (const [key, { parameters = [] }] of OPERATIONS) {
			const inPath = parameters.filter((one) => one.in === "path").map((one) => one.name);
			assert.deepEqual(inPath, key.match(/(?<=\{)\w+(?=\})/g) ?? [], key);
		}
	});

	it("does not say of this firmware that it can't do something yet", () => {
		const text = JSON.stringify(DOCUMENT);
		assert.deepEqual(text.match(/[^".;]*\bfirmware (does|has|is|can|knows)[^".;]* yet\b[^".;]*/gi) ?? [], []);
	});

	it("uses everything that it defines", () => {
		const text = JSON.stringify(DOCUMENT);
		const { schemas, responses } = DOCUMENT.components;
		const names = [
			...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
			...Object.keys(responses).map((name) => `#/components/responses/${name}`),
		];
		assert.deepEqual(
			names.filter((name) => !text.includes(`"${name}"`)),
			[],
		);
	});

	it("gives examples that its own schemas allow, of every JSON that goes in or out", () => {
		for (const [key, { requestBody, responses }] of OPERATIONS) {
			for (const [status, part] of [
				["", requestBody],
				["200", responses[200]],
			] as const) {
				const json = part && resolve(part).content?.["application/json"];
				if (json === undefined) continue;
				assert.ok("example" in json, `${key}: an example of ${status === "" ? "the request" : status}`);
				const wrong = complaintOf(`${contentPointer(key, status)}/application~1json/schema`, json.example);
				assert.equal(wrong, "", `${key}: example of ${status === "" ? "the request" : status}`);
			}
		}
	});

	it("refuses what the document forbids", () => {
		const pointer = "/components/schemas/ScheduleSettings";
		const hours = { enabled: true, period_unit: "hours", period_value: 4 };
		assert.equal(complaintOf(pointer, { ...hours, trigger_minute: 59 }), "");
		assert.notEqual(complaintOf(pointer, hours), "");
		assert.notEqual(complaintOf(pointer, { ...hours, trigger_minute: 60 }), "");
		assert.notEqual(complaintOf(pointer, { ...hours, trigger_minute: 0, period_value: 3 }), "");
	});
});
