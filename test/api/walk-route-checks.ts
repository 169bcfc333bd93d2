/** The tables "Endpoints" of the API text: each route replies as its row says, to each kind of token and request. */
import assert from "node:assert/strict";
import { AUTHORITY, make } from "../hosts/openssl.js";
import { DEFAULT_CONFIG, isError, type JSONObject, type Reply, succeeded, type TestGateway } from "./gateway.js";
import { deleteTokens } from "./token-checks.js";
import { pathOf, RESTARTING, type Visit, visit, WALK, type WalkRoute } from "./walk.js";

/** Errors of a unit without a radio, for a row that describes success. */
const WITHOUT_RADIO: Readonly<Record<string, readonly [number, string]>> = {
	"POST zigbee/reset": [501, "unsupported"],
};
/** Errors of a new unit, for rows that describe success. */
const REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
	// The built-in simulator has no profile.
	"GET meter/profile": [404, "no_profile"],
	"GET system/diagnostic": [501, "unsupported"],
	"GET hub/send": [400, "hub_disabled"],
	"GET mqtt/send": [400, "mqtt_disabled"],
	// The unit has no key for signed files.
	"POST system/ota": [501, "unsupported"],
	"POST provision/file": [501, "unsupported"],
	"POST system/upgrade/install": [501, "unsupported"],
};

/** The bodies of these routes are not JSON. */
const FILES = ["POST system/certificate", "POST system/ota", "POST provision/file"];

const METHODS = ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH"];

/** The routes, ordered so that none changes a later reply. */
const IN_ORDER = WALK.filter(({ name }) => !RESTARTING.includes(name)).sort(
	(a, b) => Number(b.method === "GET") - Number(a.method === "GET"),
);

const ALLOWED = new Map<string, string[]>();
for (const route of WALK) {
	const methods = ALLOWED.get(pathOf(route)) ?? [];
	ALLOWED.set(pathOf(route), [...methods, ...(route.method === "GET" ? ["GET", "HEAD"] : [route.method])]);
}

/** Checks that the reply is that of the row: JSON (gateway.ts checks its schema), or an empty body. */
function isAsDocumented(gateway: TestGateway, route: WalkRoute, reply: Reply): void {
	const { name, type } = route;
	const refusal = REFUSALS[name] ?? (gateway.hasRadio ? undefined : WITHOUT_RADIO[name]);
	if (refusal !== undefined) {
		isError(reply, ...refusal);
		return;
	}
	assert.equal(reply.status, 200, `${name}: ${reply.text}`);
	assert.equal(reply.headers.get("content-type") ?? "", type, name);
	if (type === "") assert.deepEqual([reply.text, reply.headers.get("content-length")], ["", "0"], name);
}

export function walkRouteChecks(gateway: () => TestGateway): void {
	describe("each route", () => {
		/** Makes a token, which survives restarts and changes of the password. */
		async function makeToken(): Promise<string> {
			await deleteTokens(gateway());
			const { token } = await gateway().write("system/tokens", { name: "the walk" });
			return token;
		}

		/** Sets up a working meter, and neither hub nor broker. */
		async function prepare(): Promise<void> {
			await gateway().write("iec62056/control", { simulator_en: true });
			await gateway().write("hub", { enabled: false });
			await gateway().write("mqtt", { enabled: false });
		}

		/** Requests all routes but those that restart. */
		async function walk(how: Visit, token?: string): Promise<void> {
			await prepare();
			for (const route of IN_ORDER) {
				if (token !== undefined) gateway().token = token;
				isAsDocumented(gateway(), route, await visit(gateway(), route, how));
				if (route.name === "POST system/tokens" && token === undefined) await deleteTokens(gateway());
				if (/logout|password$/.test(route.name) && token === undefined) await gateway().login();
			}
			await gateway().login();
			await deleteTokens(gateway());
		}

		it("replies as its row says, with the token of a session", () => walk({}));
		it("replies as its row says with a long-lived token, unknown query parameters and an unnecessary body", async () =>
			walk({ query: "?unknown=1&lang=xx&x", idleBody: '{"unknown":[1]}' }, await makeToken()));
		it("rejects an unnecessary body that is not a JSON object, without any effect", async () => {
			const names: string[] = [];
			for (const route of WALK.filter(({ method, schema }) => method === "POST" && schema === undefined)) {
				// The bodies of these routes are files or ignored.
				if (FILES.includes(route.name)) continue;
				for (const body of ["{bad", "not JSON", " ", "{} {}", "[]", "null", "\0", `{"x":${"[".repeat(4)}]]]]}`])
					isError(await visit(gateway(), route, { idleBody: body }), 400, "invalid_json");
				isError(await visit(gateway(), route, { idleBody: " ".repeat(2049) }), 413, "too_large");
				names.push(route.path);
			}
			assert.deepEqual(names.sort(), [
				...["mbus/search", "system/certificate/reset", "system/factory_reset", "system/logout", "system/reboot"],
				...["system/upgrade/install", "zigbee/reset"],
			]);
			// The unit was neither reset nor restarted, and all clients are still logged in.
			await gateway().pass(3000);
			assert.equal((await gateway().get("system/status")).status, 200);
		});
		it("replies 405 to any other method, with its own methods in Allow", async () => {
			for (const [path, allowed] of ALLOWED) {
				const others = METHODS.filter((method) => !allowed.includes(method));
				// No path has PUT or PATCH, so one is enough.
				for (const method of others.filter((one) => one !== "PATCH")) {
					const reply = await gateway().request(method, path);
					assert.equal(reply.status, 405, `${method} ${path}`);
					assert.deepEqual(reply.headers.get("allow")?.split(", ").sort(), allowed.toSorted(), `${method} ${path}`);
					if (method !== "HEAD") isError(reply, 405, "method_not_allowed");
				}
			}
		});
		it("accepts HEAD wherever it accepts GET, with the same status and content type and no body", async () => {
			await prepare();
			for (const route of WALK.filter(({ method }) => method === "GET")) {
				const head = await visit(gateway(), route, { method: "HEAD" });
				const refusal = REFUSALS[route.name];
				assert.equal(head.status, refusal?.[0] ?? 200, route.name);
				assert.equal(head.headers.get("content-type"), refusal ? "application/json" : route.type, route.name);
				assert.equal(head.text, "");
			}
		});
		describe("with a restart", () => {
			const shown = (): Promise<JSONObject> => gateway().read("system/certificate");

			it("POST system/reboot: 200, then the connection drops", async () => {
				gateway().token = await makeToken();
				const { name } = (await gateway().read("system/tokens")).tokens[0];
				const reply = await gateway().post("system/reboot?x", "{}");
				assert.deepEqual([reply.status, reply.text], [200, ""]);
				await gateway().rebooted();
				assert.equal((await gateway().read("system/tokens")).tokens[0].name, name);
			});
			it("POST system/certificate, POST system/certificate/reset: reply with a Certificate whose reboot is true", async () => {
				gateway().token = await makeToken();
				const { max_size } = await shown();
				const root = make({ subject: "/CN=Root", extensions: AUTHORITY });
				const extensions = ["basicConstraints=CA:FALSE", `subjectAltName=DNS:${gateway().hostname}`];
				const { certificate, key } = make({ subject: "/CN=walk", issuer: root, extensions });
				// Text before the first certificate pads the file to its limit.
				const file = certificate + root.certificate + key;
				const whole = `${"#".repeat(max_size - file.length - 1)}\n${file}`;
				const taken = succeeded(await gateway().post("system/certificate?x=1", whole));
				assert.deepEqual([taken.custom, taken.reboot, taken.chain_length], [true, true, 2]);
				await gateway().rebooted(root.certificate);
				assert.deepEqual(await shown(), { ...taken, reboot: false });
				const reset = succeeded(await gateway().post("system/certificate/reset"));
				assert.deepEqual([reset.custom, reset.reboot], [false, true]);
				await gateway().rebooted();
				assert.equal((await shown()).custom, false);
			});
			it("POST system/factory_reset: 200 empty body; starts into the initial state", async () => {
				gateway().token = await makeToken();
				const reply = await gateway().post("system/factory_reset?x", '{"unknown":[1]}');
				assert.deepEqual([reply.status, reply.text], [200, ""]);
				await gateway().rebooted();
				isError(await gateway().get("system/status"), 401, "unauthorized");
				await gateway().login();
				assert.equal((await gateway().read("system/status")).password_default, true);
				assert.deepEqual((await gateway().read("system/tokens")).tokens, []);
				assert.deepEqual(await gateway().read("iec62056/config"), DEFAULT_CONFIG);
				const { enabled, token_set } = await gateway().read("hub");
				assert.deepEqual([enabled, token_set], [false, false]);
			});
		});
	});
}
