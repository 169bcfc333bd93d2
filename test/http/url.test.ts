import assert from "node:assert/strict";
import { parseHubURL } from "../../modules/http/url.js";

describe("http/url", () => {
	it("reads scheme, host, port and path", () => {
		for (const [text, secure, host, port, path] of [
			["https://homeassistant.local:8123", true, "homeassistant.local", 8123, ""],
			["http://10.0.0.2", false, "10.0.0.2", 80, ""],
			["HTTPS://Hub", true, "Hub", 443, ""],
			["http://hub:1/", false, "hub", 1, ""],
			["http://hub:65535/a/b//", false, "hub", 65535, "/a/b"],
			["https://[fe80::1]:8123/api", true, "[fe80::1]", 8123, "/api"],
			[`http://${"h".repeat(253)}`, false, "h".repeat(253), 80, ""],
		] as const)
			assert.deepEqual(parseHubURL(text), { secure, host, port, path });
	});
	it("rejects anything else as a hub's address", () => {
		for (const text of [
			"",
			"hub",
			"hub:8123",
			"ftp://hub",
			"https:/hub",
			"https://",
			"https://:80",
			"https://hub:",
			"https://hub:0",
			"https://hub:65536",
			"https://hub:123456",
			"https://hub:8x",
			"https://a@hub",
			"https://a:b@hub",
			"https://hub?x",
			"https://hub/?x",
			"https://hub/#x",
			"https://hub/a b",
			"https://hub\\x",
			"https://h ub",
			" https://hub",
			"https://hub\n",
			"https://[fe80::1",
			"https://[x]",
			`https://${"h".repeat(254)}`,
		])
			assert.equal(parseHubURL(text), undefined, text);
	});
});
