/**
 * The order of checks, in pairs: a request with two faults gets the error of the earlier check. Also each route's body
 * at its limits of size and nesting.
 */
import assert from "node:assert/strict";
import { isError, type RequestOptions, type TestGateway } from "./gateway.js";
import { deleteTokens } from "./token-checks.js";
import { JSON_ROUTES, padded } from "./walk.js";

/** A request, to which faults are added. */
interface Draft {
	method: string;
	path: string;
	options: RequestOptions;
	member: string;
	/** The part of the body after its first member. */
	rest: string;
	end: string;
}

interface Fault {
	readonly status: number;
	readonly code: string;
	readonly field?: string;
	/** Adds the fault to the draft; `reader` is a read-only token. */
	readonly put: (draft: Draft, reader: string) => void;
}

const FOREIGN = { Origin: "https://evil.example" };

/** Faults in the order of the checks. Plain HTTP in the user's network comes before all others (docs/behaviour.md). */
const FAULTS: readonly Fault[] = [
	{ status: 403, code: "https_required", put: (draft) => Object.assign(draft.options, { secure: false }) },
	{ status: 404, code: "not_found", put: (draft) => Object.assign(draft, { path: "system/nothing" }) },
	{ status: 405, code: "method_not_allowed", put: (draft) => Object.assign(draft, { method: "PUT" }) },
	{ status: 403, code: "forbidden_origin", put: (draft) => Object.assign(draft.options, { headers: FOREIGN }) },
	{ status: 401, code: "unauthorized", put: (draft) => Object.assign(draft.options, { token: null }) },
	{ status: 403, code: "forbidden_scope", put: (draft, token) => Object.assign(draft.options, { token }) },
	{ status: 413, code: "too_large", put: (draft) => Object.assign(draft, { rest: `,"x":"${"x".repeat(2048)}"` }) },
	{ status: 400, code: "invalid_json", put: (draft) => Object.assign(draft, { end: "" }) },
	{ status: 400, code: "invalid_field", field: "name", put: (draft) => Object.assign(draft, { member: '"name":""' }) },
	{ status: 400, code: "missing_field", field: "name", put: (draft) => Object.assign(draft, { member: '"x":1' }) },
	{ status: 400, code: "token_slots_full", put: () => {} },
];
/** Both errors concern the same member, so no request has both. */
const EXCLUSIVE = ["invalid_field", "missing_field"];

/** Limits of bodies other than 2048 bytes. */
const LIMITS: Readonly<Record<string, number>> = {
	"system/login": 512,
	"system/password": 512,
	hub: 16384,
	hawkbit: 16384,
	provision: 16384,
	mqtt: 16384,
	"zigbee/map": 16384,
	"dlms/obis": 16384,
	prices: 16384,
	"prices/dynamic": 16384,
	"system/backup": 16384,
};
/** This route's body contains other routes' bodies, and members from newer firmware. */
const DEEPER = "system/backup";

export function walkOrderChecks(gateway: () => TestGateway): void {
	describe("a request with two faults", () => {
		let reader = "";

		before(async () => {
			await gateway().login();
			for (const name of ["one", "two"]) await gateway().write("system/tokens", { name });
			reader = (await gateway().write("system/tokens", { name: "three", scope: "read" })).token;
		});
		after(() => deleteTokens(gateway()));

		FAULTS.forEach((first, at) => {
			it(`gets ${first.status} ${first.code} before the error of any later check`, async () => {
				for (const second of FAULTS.slice(at)) {
					if (first !== second && EXCLUSIVE.includes(first.code) && EXCLUSIVE.includes(second.code)) continue;
					const draft = {
						method: "POST",
						path: "system/tokens",
						options: {},
						member: '"name":"x"',
						rest: "",
						end: "}",
					};
					second.put(draft, reader);
					first.put(draft, reader);
					const body = `{${draft.member}${draft.rest}${draft.end}`;
					const reply = await gateway().request(draft.method, draft.path, { ...draft.options, body });
					isError(reply, first.status, first.code, first.field);
				}
			});
		});
		it("gets the error of an invalid field before that of a missing one", async () => {
			const path = "iec62056/schedule";
			isError(await gateway().post(path, { period_unit: "weeks" }), 400, "invalid_field", "period_unit");
			isError(await gateway().post(path, { period_unit: "hours" }), 400, "missing_field", "enabled");
			isError(await gateway().post("meter/protocol", { protocol: 1 }), 400, "invalid_field", "protocol");
		});
	});

	describe("the body of each route", () => {
		it("may have as many bytes as documented and not one more, with or without Content-Length", async () => {
			for (const { path, example, limit } of JSON_ROUTES) {
				assert.equal(limit, LIMITS[path] ?? 2048, path);
				for (const chunked of [false, true]) {
					// The type is wrong, so a body of the allowed size changes nothing.
					const wrong = { ...example, [Object.keys(example)[0]]: {} };
					const reply = await gateway().post(path, padded(wrong, limit), { chunked });
					isError(reply, 400, "invalid_field", Object.keys(example)[0]);
					isError(await gateway().post(path, padded(wrong, limit + 1), { chunked }), 413, "too_large");
				}
			}
		});
		it("may be nested four deep and not five, in known and in unknown members", async () => {
			for (const { path, example } of JSON_ROUTES.filter((one) => one.path !== DEEPER)) {
				const [field] = Object.keys(example);
				for (const [four, five] of [
					["[[[]]]", "[[[[]]]]"],
					['{"a":{"b":{}}}', '{"a":{"b":{"c":{}}}}'],
				]) {
					const body = (value: string) => `{"unknown":${value},"${field}":{}}`;
					isError(await gateway().post(path, body(four)), 400, "invalid_field", field);
					isError(await gateway().post(path, body(five)), 400, "invalid_json");
					isError(await gateway().post(path, `{"${field}":${five}}`), 400, "invalid_json");
				}
			}
		});
	});
}

/** Checks in access point mode, where plain HTTP is checked between token and size. */
export function walkPlainChecks(gateway: () => TestGateway): void {
	describe("over plain HTTP on the access point", () => {
		const plain = { secure: false };
		const post = (body: string, options: RequestOptions = {}) =>
			gateway().post("system/certificate", body, { ...plain, ...options });

		it("403 | POST certificate: after origin and token, before the size of the body", async () => {
			isError(await post("x", { headers: FOREIGN, token: null }), 403, "forbidden_origin");
			isError(await post("x".repeat(16385), { token: null }), 401, "unauthorized");
			isError(await post("x".repeat(16385)), 403, "https_required");
			isError(await post("x"), 403, "https_required");
			isError(await gateway().request("PUT", "system/certificate", plain), 405, "method_not_allowed");
			isError(await gateway().post("system/certificates", "x", plain), 404, "not_found");
			assert.equal((await gateway().read("system/certificate", plain)).upload_allowed, false);
			assert.equal((await gateway().read("system/certificate")).upload_allowed, true);
		});
		it("403 | the legacy forms of login and password: recognised by their fields, so after all other errors of the body", async () => {
			const form = { username: "admin", password: "x" };
			const login = (body: unknown) => gateway().post("system/login", body, { ...plain, token: null });
			isError(await login(padded(form, 513)), 413, "too_large");
			isError(await login('{"username":"admin","password":"x"'), 400, "invalid_json");
			isError(await login({ ...form, username: 7 }), 400, "invalid_field", "username");
			isError(await login({ password: "x" }), 400, "missing_field", "username");
			isError(await login(form), 403, "https_required");
			const change = { old_password: "x", new_password: "y" };
			const password = (body: unknown) => gateway().post("system/password", body, { ...plain, token: null });
			isError(await password({ ...change, new_password: 7 }), 400, "invalid_field", "new_password");
			isError(await password(change), 403, "https_required");
		});
		it("routes that show state and settings are served", async () => {
			for (const path of ["system/version", "system/status", "network/status", "iec62056/last", "hub"])
				assert.equal((await gateway().get(path, plain)).status, 200);
		});
	});
}
