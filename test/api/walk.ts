/**
 * Every route with a request that its row of the API text allows, for the checks walk-...-checks.ts. Routes come from
 * the firmware's own table, bodies from the examples in openapi.json, so that a new route is included.
 */

import assert from "node:assert/strict";
import { METHOD_NAMES } from "../../modules/http/request.js";
import { type Node, OPERATIONS, resolve } from "./document.js";
import { type JSONObject, PASSWORD, proofOf, type Reply, type TestGateway, USERNAME } from "./gateway.js";
import { ChangedPassword } from "./password-checks.js";
import { ROUTES } from "./tables.js";

export interface WalkRoute {
	/** `POST system/tokens`; a parameter of the path is `<id>`. */
	readonly name: string;
	readonly method: string;
	/** Below /api/v1/. */
	readonly path: string;
	/** Scope that its token needs. */
	readonly scope: number;
	/** Schema of its JSON body; undefined: it wants none. */
	readonly schema: Node;
	/** An example of that. */
	readonly example: JSONObject;
	/** Largest JSON body, bytes. */
	readonly limit: number;
	/** Content type of its reply; "" for an empty one. */
	readonly type: string;
}

export const WALK: readonly WalkRoute[] = ROUTES.map(({ method, path, scope }) => {
	const name = `${METHOD_NAMES[method]} ${path.replace("/api/v1/", "")}`;
	const operation = OPERATIONS.get(`${METHOD_NAMES[method]} ${path.replace(/<(\w+)>/, "{$1}")}`);
	assert.ok(operation, `${name} is not in openapi.json`);
	const json = operation.requestBody?.content["application/json"];
	const [type = ""] = Object.keys(resolve(operation.responses[200]).content ?? {});
	return {
		name,
		method: METHOD_NAMES[method],
		path: path.replace("/api/v1/", ""),
		scope,
		schema: json && resolve(json.schema),
		example: json?.example,
		limit: operation.requestBody?.["x-max-bytes"] ?? 0,
		type,
	};
});

/** Those that want a JSON body. */
export const JSON_ROUTES = WALK.filter(({ schema }) => schema !== undefined);

/** The device starts anew when these have been answered. */
export const RESTARTING = ["POST system/reboot", "POST system/factory_reset", "POST system/certificate"];

export function routeOf(name: string): WalkRoute {
	const route = WALK.find((one) => one.name === name);
	assert.ok(route, `there is no route ${name}`);
	return route;
}

/** A number in place of the path's parameter. */
export function pathOf({ path }: WalkRoute, id = "00000000"): string {
	return path.replace(/<\w+>/, id);
}

/** An id that DELETE of this path finds. */
async function idFor(gateway: TestGateway, path: string): Promise<string> {
	if (path.startsWith("system/tokens/")) return (await gateway.write("system/tokens", { name: "to be revoked" })).id;
	const { token } = gateway;
	await gateway.login();
	gateway.token = token;
	return (await gateway.read("system/sessions")).sessions.findLast((one: JSONObject) => !one.current).id;
}

/** The example, with what only this unit and this moment can tell. */
async function bodyFor(gateway: TestGateway, route: WalkRoute): Promise<JSONObject> {
	if (route.name === "POST network/wifi") return { ...route.example, hostname: gateway.hostname };
	if (route.name === "POST system/password") return new ChangedPassword(() => gateway).body(PASSWORD);
	if (route.name !== "POST system/login") return route.example;
	const { nonce, salt } = await gateway.read("system/challenge", { token: null });
	return { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
}

/** Seconds that a client may have to wait for a scan (API text, "Limits"). */
const SCAN_TRIES = 20;

export interface Visit {
	/** After the path. */
	readonly query?: string;
	/** Sent where the route wants no body. */
	readonly idleBody?: string;
	readonly method?: string;
}

/** Asks for a route as its row of the API text has it, with the gateway's token of the moment. */
export async function visit(gateway: TestGateway, route: WalkRoute, how: Visit = {}): Promise<Reply> {
	const { query = "", idleBody, method = route.method } = how;
	const path = pathOf(route, route.path.includes("<") ? await idFor(gateway, route.path) : "");
	const body = route.schema === undefined ? idleBody : await bodyFor(gateway, route);
	for (let tries = 0; ; tries++) {
		const reply = await gateway.request(method, path + query, { body });
		// A radio that is joining a network, as it does after a start, can't scan.
		if (reply.status !== 503 || route.path !== "network/scan" || tries === SCAN_TRIES) return reply;
		await gateway.pass(1000);
	}
}

/** Undoes what was set of the name, before a certificate is made for it that no client here trusts. */
export async function keepHostname(gateway: TestGateway): Promise<void> {
	await gateway.write("network/wifi", { ssid: "home", password: "", dhcp: true, hostname: gateway.hostname });
}

/** `body` as JSON, with blanks up to a length in bytes. */
export function padded(body: JSONObject, bytes: number): string {
	const text = JSON.stringify(body).slice(0, -1);
	return `${text}${" ".repeat(bytes - Buffer.byteLength(text) - 1)}}`;
}
