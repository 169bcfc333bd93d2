/**
 * Each operation of the API with a valid body, and with each kind of invalid one, sent to the whole gateway. Only
 * kind and form of the replies are checked; the suite of the API (test/api) checks their content. With QUICK in the
 * environment, only the first field of each body is varied.
 */
import assert from "node:assert/strict";
import { PARTS } from "../../modules/app/parts.js";
import { isError, type Reply } from "../api/gateway.js";
import { deleteTokens } from "../api/token-checks.js";
import { keepHostname, padded, pathOf, RESTARTING, visit, WALK, type WalkRoute } from "../api/walk.js";
import { isTaken } from "../api/walk-field-checks.js";
import { FIELDS } from "../api/walk-fields.js";
import type { WholeGateway } from "./whole-gateway.js";

/** Routes whose body is a file, or whose effect ends the walk; events.ts has the files that are accepted. */
const LAST = [...RESTARTING, "POST system/certificate/reset", "POST system/upgrade/install"];
const FILES = ["POST system/certificate", "POST system/ota", "POST provision/file"];
/** Attempts while the gateway is busy, and the pause between them. */
const BUSY_TRIES = 20;
const BUSY_MS = 500;
const HUGE = "1e400";
const DEEP = `${"[".repeat(20)}${"]".repeat(20)}`;
const HALF = '"\\ud800"';

/** The name of the part that has the route. */
function partOf({ method, path }: WalkRoute): string {
	const whole = `/api/v1/${path}`;
	const part = PARTS.find(({ routes }) => routes.some((one) => one.path === whole));
	assert.ok(part, `no part has ${method} ${path}`);
	return part.name;
}

export function operationChecks(gateway: () => WholeGateway): void {
	/** The fields of the body that this firmware has; only the first one with QUICK. */
	const fieldsOf = (route: WalkRoute) => {
		const fields = FIELDS.filter((field) => field.route === route && !gateway().lacks(field.name));
		return process.env["QUICK"] === undefined ? fields : fields.slice(0, 1);
	};
	const post = ({ path }: WalkRoute, body?: unknown): Promise<Reply> => gateway().post(path, body);

	/** Token with which the readable routes are read too. */
	let reader = "";

	async function makeReader(): Promise<void> {
		await deleteTokens(gateway());
		reader = (await gateway().write("system/tokens", { name: "reader", scope: "read" })).token;
	}

	/** Undoes what a request has changed, so that the next one meets a gateway with everything on. */
	async function restore({ name, path }: WalkRoute): Promise<void> {
		if (name === "POST network/wifi") await keepHostname(gateway());
		if (path.startsWith("system/tokens") && name !== "GET system/tokens") await makeReader();
		if (/^system\/(login|logout|password|sessions)/.test(path)) await gateway().login();
	}

	/** Turns on what the requests of a route may have turned off. */
	async function turnOnAgain({ method, path }: WalkRoute): Promise<void> {
		await gateway().openStream();
		const settings = gateway().settings.get(path);
		if (method === "GET") return;
		if (settings !== undefined) assert.equal((await gateway().post(path, settings)).status, 200);
		else if (/^(network|zigbee|system\/backup)/.test(path)) await gateway().turnOn();
	}

	async function sendValid(route: WalkRoute): Promise<void> {
		const bodies = fieldsOf(route).flatMap(({ good, body }) =>
			[good[0], good.at(-1)].map((value) => body(JSON.stringify(value))),
		);
		for (const body of new Set(bodies)) {
			isTaken(await post(route, body), `${route.name} ${body}`);
			await restore(route);
		}
	}

	/** The route's reply to a body that is wrong in one way. While an output needs the memory, the gateway is busy. */
	async function isRefused(route: WalkRoute, body: unknown): Promise<void> {
		let reply = await post(route, body);
		for (let tries = 0; reply.status === 503 && tries < BUSY_TRIES; tries++) {
			await gateway().pass(BUSY_MS);
			reply = await post(route, body);
		}
		const { status, text } = reply;
		assert.ok(status === 400 || status === 413, `${route.name} ${String(body).slice(0, 200)}: ${status} ${text}`);
	}

	async function sendInvalid(route: WalkRoute): Promise<void> {
		const { schema, example, limit, needsBody } = route;
		for (const body of [...(needsBody ? [undefined, ""] : []), "{", '{"x":1', "[]", "null", `{"unknown":${DEEP}}`])
			await isRefused(route, body);
		if ("required" in schema || "anyOf" in schema) await isRefused(route, "{}");
		await isRefused(route, padded(example, limit + 1));
		for (const { bad, body } of fieldsOf(route)) {
			const values = [bad[0], bad.at(-1), ...bad.filter((value) => value === null || typeof value === "object")];
			for (const value of new Set(values)) await isRefused(route, body(JSON.stringify(value)));
			for (const text of [HUGE, HALF, `"${"x".repeat(limit - Buffer.byteLength(body('""')))}"`])
				await isRefused(route, body(text));
		}
	}

	/** Requests without a JSON body, in the right and in wrong ways. */
	async function sendPlain(route: WalkRoute): Promise<void> {
		const { method, name } = route;
		const path = pathOf(route);
		if (method === "GET") {
			await visit(gateway(), route, { query: "?unknown=1&lang=xx" });
			assert.notEqual((await gateway().get(path, { token: reader })).status, 401, name);
			await gateway().request("HEAD", path);
			return;
		}
		if (method === "POST") {
			if (FILES.includes(name)) await gateway().post(path, "not such a file");
			else for (const body of ["{bad", "[]", " ".repeat(2049)]) await isRefused(route, body);
		} else await gateway().request(method, pathOf(route, "x".repeat(200)));
		if (!LAST.includes(name)) await visit(gateway(), route);
		await restore(route);
	}

	describe("each operation", () => {
		before(async () => {
			await gateway().reset();
			await makeReader();
		});

		for (const route of WALK) {
			it(`${route.name} leaves the gateway sound, with valid and with invalid requests`, async () => {
				const path = pathOf(route);
				await gateway().request(route.method, path, { token: null });
				// The API of the radio is on boards without a radio too.
				const part = partOf(route);
				const isAbsent = part !== "zigbee" && gateway().lacks(part);
				if (!isAbsent) isError(await gateway().request("PUT", path), 405, "method_not_allowed");
				if (isAbsent) {
					// Without its part, the route for settings files does not exist.
					if (route.method === "GET" || route.name === "POST provision/file")
						isError(await gateway().request(route.method, path), 404, "not_found");
					else isError(await gateway().request(route.method, path, { body: "{}" }), 501, "unsupported");
				} else if (route.schema === undefined) await sendPlain(route);
				else {
					await sendInvalid(route);
					await sendValid(route);
				}
				await turnOnAgain(route);
			});
		}
		for (const name of RESTARTING.filter((one) => one !== "POST system/certificate")) {
			it(`${name} restarts the gateway, and everything can be turned on again`, async () => {
				assert.equal((await gateway().post(name.replace("POST ", ""))).status, 200);
				await gateway().rebooted();
				await gateway().reset();
			});
		}
	});
}
