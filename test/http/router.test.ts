/** Routes: exact paths, a parameter at the end, 404, 405 with the allowed methods, HEAD. */
import assert from "node:assert/strict";
import {
	METHOD_DELETE,
	METHOD_GET,
	METHOD_HEAD,
	METHOD_OTHER,
	METHOD_POST,
	METHOD_PUT,
} from "../../modules/http/request.js";
import {
	MATCH_FOUND,
	MATCH_METHOD,
	MATCH_NOT_FOUND,
	type Route,
	Router,
	type Routes,
} from "../../modules/http/router.js";

interface Named extends Route {
	readonly value: string;
}
const groups: readonly Routes<Named>[] = [
	{
		routes: [
			{ method: METHOD_GET, path: "/", value: "root" },
			{ method: METHOD_GET, path: "/api/tokens", value: "list" },
			{ method: METHOD_POST, path: "/api/tokens", value: "create" },
		],
	},
	{
		routes: [
			{ method: METHOD_DELETE, path: "/api/tokens/<id>", value: "revoke" },
			{ method: METHOD_GET, path: "/api/tokens/all", value: "all" },
			{ method: METHOD_PUT, path: "/api/files/<name>", value: "put" },
		],
	},
];
const router = new Router<Named>(groups);
const find = (method: number, path: string) => {
	const match = router.find(method, path);
	return match.kind === MATCH_FOUND ? [match.route?.value, match.parameter] : [match.kind, match.allow];
};

describe("HTTP router", () => {
	it("finds exact paths and those with a parameter", () => {
		assert.deepEqual(find(METHOD_GET, "/"), ["root", ""]);
		assert.deepEqual(find(METHOD_GET, "/api/tokens"), ["list", ""]);
		assert.deepEqual(find(METHOD_POST, "/api/tokens"), ["create", ""]);
		assert.deepEqual(find(METHOD_DELETE, "/api/tokens/0a1b"), ["revoke", "0a1b"]);
		assert.deepEqual(find(METHOD_DELETE, "/api/tokens/<id>"), ["revoke", "<id>"]);
	});

	it("accepts HEAD wherever GET is accepted", () => {
		assert.deepEqual(find(METHOD_HEAD, "/api/tokens"), ["list", ""]);
		assert.deepEqual(find(METHOD_HEAD, "/api/files/x"), [MATCH_METHOD, "PUT"]);
	});

	it("finds nothing for other paths", () => {
		for (const path of [
			"",
			"*",
			"/api",
			"/api/tokens/",
			"/api/tokens/a/b",
			"/api/tokensx",
			"/API/tokens",
			"//",
			"/api/files/",
		]) {
			assert.deepEqual(find(METHOD_GET, path), [MATCH_NOT_FOUND, ""], path);
		}
	});

	it("reports the methods of a path", () => {
		assert.deepEqual(find(METHOD_PUT, "/api/tokens"), [MATCH_METHOD, "GET, HEAD, POST"]);
		assert.deepEqual(find(METHOD_OTHER, "/api/tokens/x"), [MATCH_METHOD, "DELETE"]);
		assert.deepEqual(find(METHOD_DELETE, "/api/tokens/all"), [MATCH_METHOD, "GET, HEAD"]);
	});
});
