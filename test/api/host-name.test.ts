/** The host of a request without its port (modules/api/api.ts). */
import assert from "node:assert/strict";
import { withoutPort } from "../../modules/api/api.js";

describe("The host of a request", () => {
	it("is used without its port", () => {
		assert.equal(withoutPort("gateway.local:8080"), "gateway.local");
		assert.equal(withoutPort("192.168.4.1:80"), "192.168.4.1");
		assert.equal(withoutPort("[fe80::1]:443"), "[fe80::1]");
	});

	it("is unchanged if it has no port", () => {
		for (const host of ["gateway", "192.168.4.1", "gateway7", "[fe80::1]", "12"]) assert.equal(withoutPort(host), host);
	});
});
