/** The checks before a request reaches its route, in their order, and plain HTTP. */

import assert from "node:assert/strict";
import { SCOPE_NONE } from "../../modules/auth/scope.js";
import { METHOD_NAMES } from "../../modules/http/request.js";
import { isError, succeeded, type TestGateway, vectorOf } from "./gateway.js";
import { ROUTES } from "./tables.js";

/** Methods and paths below /api/v1/ that need no token (`open`) or need one (otherwise). */
const namesOf = (open: boolean) =>
	ROUTES.filter(({ scope }) => (scope === SCOPE_NONE) === open).map(
		({ method, path }) => `${METHOD_NAMES[method]} ${path.replace("/api/v1/", "").replace("<id>", "00000000")}`,
	);
const OPEN_ROUTES = namesOf(true);
export const CLOSED_ROUTES = namesOf(false);
/** Methods of each path, as in the Allow header. */
const ALLOWED = new Map<string, string[]>();
for (const route of [...OPEN_ROUTES, ...CLOSED_ROUTES]) {
	const [method, path] = route.split(" ");
	const methods = ALLOWED.get(path) ?? [];
	ALLOWED.set(path, [...methods, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
}
const FOREIGN = { Origin: "https://evil.example" };
const TOO_LONG = `{"x":"${"x".repeat(2048)}"}`;

export function routingChecks(gateway: () => TestGateway): void {
	describe("order of checks", () => {
		it("an unknown path gives 404, whatever else is wrong", async () => {
			const options = { headers: FOREIGN, token: null, body: TOO_LONG };
			for (const path of [
				"unknown",
				"iec62056",
				"iec62056/",
				"iec62056/config/",
				"iec62056/config/x",
				"iec62056/Config",
				"/api/v1",
				"/api/v1/",
				"/api/v2/iec62056/config",
				"/api/",
				"/api/v1//iec62056/config",
				"/api/v1/../v1/iec62056/config",
			]) {
				for (const method of ["POST", "DELETE", "PATCH"]) {
					isError(await gateway().request(method, path, options), 404, "not_found");
				}
			}
		});
		it("a method that the path does not have gives 405 with Allow, before origin and token are checked", async () => {
			for (const [path, allowed] of ALLOWED) {
				for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
					if (allowed.includes(method)) continue;
					const reply = await gateway().request(method, path, { headers: FOREIGN, token: null });
					isError(reply, 405, "method_not_allowed");
					assert.deepEqual(reply.headers.get("allow")?.split(", ").sort(), allowed.toSorted(), path);
				}
			}
		});
		it("a page of another site gets 403 before the token is checked", async () => {
			for (const route of [...OPEN_ROUTES, ...CLOSED_ROUTES]) {
				const [method, path] = route.split(" ");
				if (method === "GET") continue;
				const reply = await gateway().request(method, path, { headers: FOREIGN, token: null, body: TOO_LONG });
				isError(reply, 403, "forbidden_origin");
			}
		});
		it("a request without a token gets 401 before the body is checked", async () => {
			for (const route of CLOSED_ROUTES) {
				const [method, path] = route.split(" ");
				const body = method === "POST" ? { body: TOO_LONG } : {};
				const reply = await gateway().request(method, path, { token: null, ...body });
				isError(reply, 401, "unauthorized");
				assert.equal(reply.headers.get("www-authenticate"), `Bearer realm="${gateway().hostname}"`);
			}
		});
		it("a body that is too long gives 413 before it is parsed, and invalid JSON 400 before its fields are checked", async () => {
			isError(await gateway().post("iec62056/config", "[".repeat(2049)), 413, "too_large");
			isError(await gateway().post("iec62056/config", '{"baudrate_max":1,"battery":7'), 400, "invalid_json");
			isError(await gateway().post("meter/protocol", '{"protocol":1}'), 400, "invalid_field", "protocol");
		});
	});

	describe("token", () => {
		const withValue = (value: string) => ({ headers: { Authorization: value }, token: null });

		it("is accepted after the exact word Bearer, with the header's name in any case", async () => {
			const value = `Bearer ${gateway().token}`;
			for (const name of ["Authorization", "authorization", "AUTHORIZATION"]) {
				assert.equal((await gateway().get("meter/protocol", { headers: { [name]: value }, token: null })).status, 200);
			}
		});
		it("is rejected in any other form", async () => {
			const { token } = gateway();
			for (const value of [
				`bearer ${token}`,
				`BEARER ${token}`,
				`Bearer  ${token}`,
				`Bearer${token}`,
				`Bearer\t${token}`,
				`Basic ${token}`,
				token,
				"Bearer",
				"Bearer ",
				`Bearer ${token.toUpperCase()}`,
				`Bearer ${token.slice(1)}`,
				`Bearer ${token.slice(0, -1)}`,
				`Bearer ${token}0`,
				`Bearer ${token},${token}`,
				`Bearer "${token}"`,
				`Bearer ${"f".repeat(64)}`,
				`Bearer ${"f".repeat(1000)}`,
				"Bearer \u00e4\u00f6\u00fc",
			]) {
				isError(await gateway().get("meter/protocol", withValue(value)), 401, "unauthorized");
			}
		});
		it("is not accepted in the query", async () => {
			const { token } = gateway();
			const path = `meter/protocol?token=${token}&access_token=${token}`;
			isError(await gateway().get(path, { token: null }), 401, "unauthorized");
		});
	});

	describe("origin", () => {
		it("of this server itself is accepted, in upper or lower case", async () => {
			const own = `https://${gateway().authority(true)}`;
			for (const origin of [own, own.toUpperCase()]) {
				assert.equal((await gateway().post("iec62056/control", {}, { headers: { Origin: origin } })).status, 200);
			}
		});
		it("of any other server gives 403", async () => {
			const authority = gateway().authority(true);
			for (const origin of [
				"null",
				"",
				authority,
				`http://${authority}`,
				`https://${authority}/`,
				`https://${authority}.evil.example`,
				`https://x${authority}`,
				`https://${authority.replace(/:\d+$/, "")}:1`,
				`https://user@${authority}`,
				`https://${authority} https://evil.example`,
			]) {
				const reply = await gateway().post("iec62056/control", { log_en: true }, { headers: { Origin: origin } });
				isError(reply, 403, "forbidden_origin");
			}
			assert.equal((await gateway().read("iec62056/control")).log_en, false);
		});
		it("is ignored if the request changes nothing", async () => {
			assert.equal((await gateway().get("iec62056/control", { headers: FOREIGN })).status, 200);
		});
	});

	describe("forms of a request", () => {
		it("HEAD is GET without the body", async () => {
			await gateway().connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			for (const [path, methods] of ALLOWED) {
				if (!methods.includes("HEAD")) continue;
				const [head, get] = [await gateway().request("HEAD", path), await gateway().get(path)];
				// The hub is off, the unit has no manufacturer's key, and the meter has no load profile.
				if (path === "hub/send") isError(get, 400, "hub_disabled");
				else if (path === "mqtt/send") isError(get, 400, "mqtt_disabled");
				else if (path === "meter/profile") isError(get, 404, "no_profile");
				else if (path === "system/diagnostic") isError(get, 501, "unsupported");
				else assert.equal(get.status, 200, path);
				assert.equal(head.status, get.status, path);
				assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
			}
			assert.equal((await gateway().request("HEAD", "iec62056/last", { token: null })).status, 401);
			assert.equal((await gateway().request("HEAD", "nothing")).status, 404);
		});
		it("unknown query parameters are ignored", async () => {
			for (const query of ["?", "?x", "?x=1&x=2", "?lang", "?lang=%ff", "?=&&="]) {
				assert.equal((await gateway().get(`iec62056/last${query}`)).status, 200, query);
			}
		});
		it("any Content-Type is accepted", async () => {
			for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"]) {
				const options = { headers: { "Content-Type": type } };
				assert.equal((await gateway().post("meter/protocol", '{"protocol":"iec62056"}', options)).status, 200);
			}
		});
		it("a GET with a body is handled as a GET", async () => {
			assert.equal((await gateway().get("meter/protocol", { body: "[".repeat(500) })).status, 200);
		});
	});
}

export function plainHTTPChecks(gateway: () => TestGateway): void {
	describe("plain HTTP in the user's network", () => {
		const plain = { secure: false };

		it("gives no access to the API, with or without a token", async () => {
			for (const route of [...OPEN_ROUTES, ...CLOSED_ROUTES]) {
				const [method, path] = route.split(" ");
				isError(await gateway().request(method, path, plain), 403, "https_required");
			}
			isError(await gateway().get("system/challenge", { ...plain, token: null }), 403, "https_required");
		});
		const port = () => (gateway().httpsPort === 443 ? "" : `:${gateway().httpsPort}`);
		/** Target of the redirect for `path`. */
		async function redirectOf(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<string> {
			const reply = await gateway().request(method, path, { ...plain, token: null, headers });
			assert.equal(reply.status, 301);
			return reply.headers.get("location") ?? "";
		}

		it("redirects pages to HTTPS, with the same path and query", async () => {
			const host = gateway().authority(false).replace(/:\d+$/, "");
			for (const path of ["/", "/de", "/settings", "/x?y=z", "/apis", "/a%20b%2f?c=%41", "//evil.example/x"]) {
				for (const method of ["GET", "HEAD"])
					assert.equal(await redirectOf(path, {}, method), `https://${host}${port()}${path}`);
			}
			for (const Host of ["localhost:81", "127.0.0.1", "[::1]:8080", `${gateway().hostname}.local`])
				assert.equal(await redirectOf("/de", { Host }), `https://${Host.replace(/:\d+$/, "")}${port()}/de`);
		});
		it("redirects only to its own host", async () => {
			const { ip, hostname, connected } = await gateway().read("network/status");
			const own = connected ? ip : `${hostname}.local`;
			for (const Host of [
				"evil.example",
				"203.0.113.5",
				`${hostname}.evil.example`,
				`${hostname}.local.`,
				"[2001:db8::1]",
			])
				assert.equal(await redirectOf("/de?x=1", { Host }), `https://${own}${port()}/de?x=1`, Host);
		});
		it("does not redirect a POST", async () => {
			isError(await gateway().post("/", "x", { ...plain, token: null }), 403, "https_required");
		});
	});
}

export function accessPointChecks(gateway: () => TestGateway): void {
	const plain = { secure: false };

	it("serves the API over plain HTTP after a login by challenge", async () => {
		const token = await gateway().loginByChallenge(plain);
		const options = { ...plain, token };
		assert.equal((await gateway().read("meter/protocol", options)).protocol, "iec62056");
		succeeded(await gateway().post("iec62056/control", { log_en: true }, options));
		assert.equal((await gateway().read("iec62056/control", options)).log_en, true);
		assert.equal((await gateway().post("system/logout", undefined, options)).status, 200);
		isError(await gateway().get("meter/protocol", options), 401, "unauthorized");
	});
	it("rejects a plaintext password over plain HTTP, right or wrong", async () => {
		for (let i = 0; i < 7; i++) {
			const body = { username: "admin", password: i % 2 === 0 ? "label-password" : "wrong" };
			isError(await gateway().post("system/login", body, { ...plain, token: null }), 403, "https_required");
		}
		// None of these counted as a failed attempt.
		await gateway().loginByChallenge(plain);
	});
	it("accepts only the origin of its own pages over plain HTTP", async () => {
		const own = `http://${gateway().authority(false)}`;
		const post = (origin: string) => gateway().post("iec62056/control", {}, { ...plain, headers: { Origin: origin } });
		assert.equal((await post(own)).status, 200);
		isError(await post(own.replace("http:", "https:")), 403, "forbidden_origin");
		isError(await post("http://evil.example"), 403, "forbidden_origin");
	});
	it("serves HTTPS as well", async () => {
		await gateway().login();
		assert.equal((await gateway().get("meter/protocol")).status, 200);
	});
	it("redirects requests for other hosts to its page", async () => {
		const port = /:\d+$/.exec(gateway().authority(false))?.[0] ?? "";
		for (const [path, Host] of [
			["/generate_204", "connectivitycheck.gstatic.com"],
			["/hotspot-detect.html", "captive.apple.com"],
			["/connecttest.txt", "www.msftconnecttest.com"],
			["/canonical.html", "detectportal.firefox.com:80"],
			["/", "evil.example"],
			["/en", "evil.example"],
		]) {
			for (const method of ["GET", "HEAD"]) {
				const reply = await gateway().request(method, path, { ...plain, headers: { Host } });
				assert.deepEqual([reply.status, reply.headers.get("location")], [302, `http://192.168.4.1${port}/`]);
				assert.equal(reply.headers.get("cache-control"), "no-store");
			}
		}
	});
	it("does not redirect a POST", async () => {
		const reply = await gateway().post("/x", undefined, { ...plain, headers: { Host: "evil.example" } });
		isError(reply, 404, "not_found");
	});
	it("serves the API only under its own names and addresses, whatever the origin is", async () => {
		const { hostname } = gateway();
		const token = await gateway().loginByChallenge(plain);
		const port = /:\d+$/.exec(gateway().authority(false))?.[0] ?? "";
		for (const name of ["192.168.4.1", hostname, `${hostname}.local`, `${hostname.toUpperCase()}.LOCAL`, "localhost"]) {
			for (const Host of new Set([name, `${name}${port}`, `${name}:80`])) {
				const headers = { Host, Origin: `http://${Host}` };
				assert.equal((await gateway().get("system/challenge", { ...plain, token: null, headers })).status, 200, Host);
				const reply = await gateway().post("iec62056/control", {}, { ...plain, token, headers });
				assert.equal(reply.status, 200, Host);
			}
		}
		// DNS rebinding: the name of a foreign page resolves to this gateway, so the browser sends that name as Host.
		for (const Host of [
			"evil.example",
			"203.0.113.5",
			`${hostname}.evil.example`,
			`${hostname}.locale`,
			"192.168.4.1.a",
		]) {
			const headers = { Host, Origin: `http://${Host}` };
			for (const options of [{ headers }, { headers: { Host } }]) {
				const how = { ...plain, token, ...options };
				isError(await gateway().get("system/challenge", how), 403, "forbidden_origin");
				isError(await gateway().get("meter/protocol", how), 403, "forbidden_origin");
				isError(await gateway().post("iec62056/control", { log_en: true }, how), 403, "forbidden_origin");
				isError(await gateway().get("nothing", how), 404, "not_found");
			}
		}
		assert.equal((await gateway().read("iec62056/control", { ...plain, token })).log_en, false);
	});
}
