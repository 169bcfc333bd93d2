/** The API's description agrees with the code: routes, access, fields, limits, errors. */

import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { NO_BODY } from "../../modules/api/body.js";
import * as codes from "../../modules/api/errors.js";
import { SCOPE_FULL, SCOPE_NONE } from "../../modules/auth/scope.js";
import { errorText } from "../../modules/http/status.js";
import { CERTIFICATE_FILE_LIMIT } from "../../modules/io/crypto.js";
import { HUB_DISABLED } from "../../modules/parts/hub/routes.js";
import { MQTT_DISABLED } from "../../modules/parts/mqtt/routes.js";
import { POWER } from "../../modules/parts/power/fields.js";
import { ZIGBEE_DISABLED } from "../../modules/parts/zigbee/routes.js";
import { BAD_SIGNATURE, INVALID_FILE, REPLAY, WRONG_DEVICE } from "../../modules/provision/file.js";
import * as failures from "../../modules/readout/failure.js";
import { codeOf, REFUSALS } from "../../modules/update/refusals.js";
import { describeAPI, readSource } from "../../tools/api/describe.js";
import { DOCUMENT } from "../../tools/api/document.js";
import type { Node } from "../../tools/api/files.js";
import { keyOf } from "../../tools/api/settings.js";
import { complaintOf, contentPointer, OPERATIONS, resolve } from "./document.js";
import { ROUTES } from "./tables.js";

/** Statuses of the HTTP server itself. */
const SERVER_STATUSES = [400, 408, 413, 414, 431, 500, 501, 503, 505];

const routes = new Map(ROUTES.map((route) => [keyOf(route.method, route.path), route]));

/** Error codes that a reply's schema lists. */
function codesOf(response: Node): string[] {
	const schema = resolve(response).content?.["application/json"]?.schema;
	return schema?.properties?.error?.enum ?? [];
}

describe("The description of the API", () => {
	it("is valid under the schema of OpenAPI 3.1", async () => {
		const { valid, errors } = await new Validator().validate(structuredClone(DOCUMENT));
		assert.ok(valid, JSON.stringify(errors, undefined, 2));
		assert.match(DOCUMENT.openapi, /^3\.1\./);
	});

	it("has every route of the firmware", () => {
		const missing = [...routes.keys()].filter((key) => !OPERATIONS.has(key));
		assert.deepEqual(missing, [], "describe these in modules/api/description.json");
	});

	it("has no route that the firmware lacks", () => {
		const source = readSource();
		source.paths["/api/v1/gone"] = { get: { tags: ["System"], summary: "Gone" } };
		assert.throws(() => describeAPI(source), /the firmware has no GET \/api\/v1\/gone$/);
	});

	it("requires a token where the firmware does, of the same scope", () => {
		assert.deepEqual(DOCUMENT.security, [{ token: [] }]);
		for (const [key, operation] of OPERATIONS) {
			const scope = routes.get(key)?.scope;
			const isOpen = scope === SCOPE_NONE;
			assert.deepEqual(operation.security, isOpen ? [] : undefined, key);
			assert.equal(codesOf(operation.responses[401] ?? {}).includes("unauthorized"), !isOpen, key);
			const isFull = scope === SCOPE_FULL;
			assert.equal(operation["x-scope"], isOpen ? undefined : isFull ? "full" : "read", key);
			// A read-only token can revoke only itself.
			const isRefused = isFull || key === "DELETE /api/v1/system/tokens/{id}";
			assert.equal(codesOf(operation.responses[403]).includes("forbidden_scope"), isRefused, key);
		}
	});

	it("is made anew by each npm command", () => {
		assert.deepEqual(describeAPI(), DOCUMENT);
	});

	it("needs no more of a group of settings than tag, summary and the example of a request", () => {
		const reply = {
			description: "OK",
			content: {
				"application/json": {
					schema: { $ref: "#/components/schemas/FallbackAP" },
					example: { fallback_ap_enabled: true },
				},
			},
		};
		const common = {
			"200": reply,
			"401": { $ref: "#/components/responses/Unauthorized" },
			"500": { $ref: "#/components/responses/Internal" },
			"503": { $ref: "#/components/responses/Busy" },
		};
		const { get, post } = readSource().paths["/api/v1/network/fallback-ap"];
		assert.deepEqual(Object.keys(get), ["tags", "summary"]);
		assert.deepEqual(Object.keys(post), ["tags", "summary", "request"]);
		assert.deepEqual(DOCUMENT.paths["/api/v1/network/fallback-ap"], {
			get: {
				operationId: "getNetworkFallbackAp",
				...{ tags: get.tags, summary: get.summary, "x-scope": "full" },
				responses: { ...common, "403": { $ref: "#/components/responses/NotShown" } },
			},
			post: {
				operationId: "postNetworkFallbackAp",
				...{ tags: post.tags, summary: post.summary, "x-scope": "full" },
				requestBody: { required: true, content: reply.content, "x-max-bytes": 2048 },
				responses: {
					...common,
					"400": { $ref: "#/components/responses/InvalidBody" },
					"403": { $ref: "#/components/responses/NotAllowed" },
					"413": { $ref: "#/components/responses/TooLarge" },
				},
			},
		});
	});

	it("has the errors that follow from a route's row", () => {
		const errorsOf = (key: string) => {
			const all = Object.entries<Node>(OPERATIONS.get(key)!.responses).filter(([status]) => status !== "200");
			return all.map(([status, { $ref }]) => `${status} ${$ref?.split("/").at(-1)}`).join(", ");
		};
		const challenge = "403 PlainHTTP, 500 Internal, 503 Busy";
		assert.equal(errorsOf("GET /api/v1/system/challenge"), challenge);
		const status = "401 Unauthorized, 403 PlainHTTP, 500 Internal, 503 Busy";
		assert.equal(errorsOf("GET /api/v1/system/status"), status);
		const reboot = "400 BadBody, 401 Unauthorized, 403 NotAllowed, 413 TooLarge, 500 Internal, 503 Busy";
		assert.equal(errorsOf("POST /api/v1/system/reboot"), reboot);
		const session = "401 Unauthorized, 403 NotAllowed, 404 UnknownId, 500 Internal, 503 Busy";
		assert.equal(errorsOf("DELETE /api/v1/system/sessions/{id}"), session);
		// Meters are not read in safe mode.
		const probe = reboot.replace("503", "501 Unsupported, 503").replace("BadBody", "InvalidBody");
		assert.equal(errorsOf("POST /api/v1/meter/probe"), probe);
		// A firmware may lack this part.
		assert.equal(errorsOf("GET /api/v1/peaks/status"), status.replace("500", "404 NotBuilt, 500"));
		assert.equal(errorsOf("POST /api/v1/peaks"), probe);
	});

	it("has type, bounds and comment of a setting that it does not mention", () => {
		const source = readSource();
		delete source.components.schemas.PowerMode;
		const { type, properties, required } = describeAPI(source).components.schemas.PowerMode;
		const names = POWER.fields.map(({ name }) => name);
		assert.deepEqual([type, Object.keys(properties), required], ["object", names, ["power_mode"]]);
		const { type: kind, minimum, maximum, description } = properties.power_mode;
		assert.deepEqual([kind, minimum, maximum], ["integer", 0, 2]);
		assert.match(description, /^0: sleep on battery/, "the comment above the field");
	});

	it("mentions no setting that its table lacks", () => {
		for (const [name, { properties = {} }] of Object.entries<Node>(readSource().components.schemas))
			for (const field of Object.keys(properties))
				assert.ok(field in DOCUMENT.components.schemas[name].properties, `${name}.${field}: nothing has it any more`);
	});

	it("has a JSON body where the firmware accepts one", () => {
		for (const [key, { body }] of routes) {
			const request = OPERATIONS.get(key)?.requestBody;
			const hasSchema = request?.content?.["application/json"]?.schema !== undefined;
			// A backup has a reader of its own, without a list of fields.
			const isBackup = key === "POST /api/v1/system/backup";
			assert.equal(hasSchema, isBackup || (body !== undefined && body !== NO_BODY), key);
			if (hasSchema) assert.equal(request.required, body?.mayBeMissing !== true, key);
		}
	});

	it("has the greatest size of a certificate file", () => {
		const { schema } = DOCUMENT.paths["/api/v1/system/certificate"].post.requestBody.content["text/plain"];
		assert.equal(schema.maxLength, CERTIFICATE_FILE_LIMIT);
	});

	it("has the codes of all errors and no others", () => {
		const own = SERVER_STATUSES.map((status) => JSON.parse(errorText(status)).error);
		const all = new Set([
			...own,
			...[INVALID_FILE, BAD_SIGNATURE, WRONG_DEVICE, REPLAY],
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

	it("has, at every route, the errors that any request can get", () => {
		for (const [key, { requestBody, responses }] of OPERATIONS) {
			const expected = ["200", "403", "500", "503"];
			if (requestBody || key.startsWith("POST")) expected.push("400");
			// Plain-text certificate uploads have their own codes for all errors, including the size.
			if (expected.includes("400") && !requestBody?.content["text/plain"]) expected.push("413");
			if (key.includes("{")) expected.push("404");
			for (const status of expected) assert.ok(status in responses, `${key}: ${status}`);
			for (const [status, response] of Object.entries(responses)) {
				const isJSONError = Number(status) >= 400 && !resolve(response).content?.["text/plain"];
				assert.equal(codesOf(response).length > 0, isJSONError, `${key}: codes of ${status}`);
			}
		}
	});

	it("names parameters as the paths do, and gives each operation a name of its own", () => {
		const ids = [...OPERATIONS.values()].map(({ operationId }) => operationId);
		assert.equal(new Set(ids).size, ids.length);
		for (const [key, { parameters = [] }] of OPERATIONS) {
			const inPath = parameters.filter((one) => one.in === "path").map((one) => one.name);
			assert.deepEqual(inPath, key.match(/(?<=\{)\w+(?=\})/g) ?? [], key);
		}
	});

	it("never describes something as not yet supported by the firmware", () => {
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

	it("has an example, valid under its schema, for every JSON request and reply", () => {
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

	it("rejects a schedule with a missing trigger, or with a trigger or period outside the limits", () => {
		const pointer = "/components/schemas/ScheduleSettings";
		const hours = { enabled: true, period_unit: "hours", period_value: 4 };
		assert.equal(complaintOf(pointer, { ...hours, trigger_minute: 59 }), "");
		assert.notEqual(complaintOf(pointer, hours), "");
		assert.notEqual(complaintOf(pointer, { ...hours, trigger_minute: 60 }), "");
		assert.notEqual(complaintOf(pointer, { ...hours, trigger_minute: 0, period_value: 3 }), "");
	});
});
