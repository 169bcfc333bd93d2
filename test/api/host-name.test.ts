/** The host of a request without its port (modules/api/api.ts). */
import assert from "node:assert/strict";
import { withoutPort } from "../../modules/api/api.js";

describe("Host of a request", () => {
	it("loses its port", () => {
		assert.equal(withoutPort("gateway.local:8080"), "gateway.local");
		assert.equal(withoutPort("192.168.4.1:80"), "192.168.4.1");
		assert.equal(withoutPort("[fe80::1]:443"), "[fe80::1]");
	});

	it("stays as it is without one", () => {
		for (const host of ["gateway", "192.168.4.1", "gateway7", "[fe80::1]", "12"]) assert.equal(withoutPort(host), host);
	});
});
