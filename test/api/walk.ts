/**
 * Every route, with a request that its row of the API text allows, for walk-...-checks.ts. Routes come from the
 * firmware's table and bodies from the examples of the API's description, so new routes are included.
 */

import assert from "node:assert/strict";
import { METHOD_NAMES } from "../../modules/http/request.js";
import type { Node } from "../../tools/api/files.js";
import { OPERATIONS, resolve } from "./document.js";
import { type JSONObject, PASSWORD, proofOf, type Reply, type TestGateway, USERNAME } from "./gateway.js";
import { ChangedPassword } from "./password-checks.js";
import { ROUTES } from "./tables.js";

export interface WalkRoute {
	/** Name such as `POST system/tokens`; `<id>` is a parameter of the path. */
	readonly name: string;
	readonly method: string;
	/** Path below /api/v1/. */
	readonly path: string;
	/** Required scope of the token. */
	readonly scope: number;
	/** Schema of the JSON body; undefined: no body. */
	readonly schema: Node;
	/** True if a request without a body is refused. */
	readonly needsBody: boolean;
	readonly example: JSONObject;
	/** Longest body, bytes. */
	readonly limit: number;
	/** Content type of the reply; "" for an empty one. */
	readonly type: string;
}

export const WALK: readonly WalkRoute[] = ROUTES.map(({ method, path, scope }) => {
	const name = `${METHOD_NAMES[method]} ${path.replace("/api/v1/", "")}`;
	const operation = OPERATIONS.get(`${METHOD_NAMES[method]} ${path.replace(/<(\w+)>/, "{$1}")}`);
	assert.ok(operation, `the API's description has no ${name}`);
	const json = operation.requestBody?.content["application/json"];
	const [type = ""] = Object.keys(resolve(operation.responses[200]).content ?? {});
	return {
		name,
		method: METHOD_NAMES[method],
		path: path.replace("/api/v1/", ""),
		scope,
		schema: json && resolve(json.schema),
		needsBody: operation.requestBody?.required === true,
		example: json?.example,
		limit: operation.requestBody?.["x-max-bytes"] ?? 0,
		type,
	};
});

export const JSON_ROUTES = WALK.filter(({ schema }) => schema !== undefined);

/** Routes that restart the device after their reply. */
export const RESTARTING = ["POST system/reboot", "POST system/factory_reset", "POST system/certificate"];

export function routeOf(name: string): WalkRoute {
	const route = WALK.find((one) => one.name === name);
	assert.ok(route, `there is no route ${name}`);
	return route;
}

/** The path with its parameter replaced by `id`. */
export function pathOf({ path }: WalkRoute, id = "00000000"): string {
	return path.replace(/<\w+>/, id);
}

/** Returns an existing id for DELETE of this path. */
async function idFor(gateway: TestGateway, path: string): Promise<string> {
	if (path.startsWith("system/tokens/")) return (await gateway.write("system/tokens", { name: "to be revoked" })).id;
	const { token } = gateway;
	await gateway.login();
	gateway.token = token;
	return (await gateway.read("system/sessions")).sessions.findLast((one: JSONObject) => !one.current).id;
}

/** Returns the example body, with values of this unit and time. */
async function bodyFor(gateway: TestGateway, route: WalkRoute): Promise<JSONObject> {
	if (route.name === "POST network/wifi") return { ...route.example, hostname: gateway.hostname };
	// A change restarts the device.
	if (route.name === "POST zigbee/config") return { enabled: gateway.hasRadio };
	if (route.name === "POST system/password") return new ChangedPassword(() => gateway).body(PASSWORD);
	if (route.name !== "POST system/login") return route.example;
	const { nonce, salt } = await gateway.read("system/challenge", { token: null });
	return { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
}

/** How long a scan may be refused, s (API text, "Limits"). */
const SCAN_TRIES = 20;

export interface Visit {
	readonly query?: string;
	/** Body for routes that need none. */
	readonly idleBody?: string;
	readonly method?: string;
}

/** Sends the request that the route's row of the API text describes, with the gateway's current token. */
export async function visit(gateway: TestGateway, route: WalkRoute, how: Visit = {}): Promise<Reply> {
	const { query = "", idleBody, method = route.method } = how;
	const path = pathOf(route, route.path.includes("<") ? await idFor(gateway, route.path) : "");
	const body = route.schema === undefined ? idleBody : await bodyFor(gateway, route);
	for (let tries = 0; ; tries++) {
		const reply = await gateway.request(method, path + query, { body });
		// A radio that is joining a network, as after a start, can't scan.
		if (reply.status !== 503 || route.path !== "network/scan" || tries === SCAN_TRIES) return reply;
		await gateway.pass(1000);
	}
}

/** Restores the hostname before the gateway makes a certificate that the clients do not trust. */
export async function keepHostname(gateway: TestGateway): Promise<void> {
	await gateway.write("network/wifi", { ssid: "home", password: "", dhcp: true, hostname: gateway.hostname });
}

/** `body` as JSON, padded with blanks to a number of bytes. */
export function padded(body: JSONObject, bytes: number): string {
	const text = JSON.stringify(body).slice(0, -1);
	return `${text}${" ".repeat(bytes - Buffer.byteLength(text) - 1)}}`;
}
