/** The end of every token is reported to the host's TCP listeners, which prefer clients with a token. */
import assert from "node:assert/strict";
import { PASSWORD } from "./gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

describe("A token that is no longer valid", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
	});
	afterEach(() => gateway.stop());

	const forgotten = () => {
		const { http, https } = gateway.world.network;
		assert.equal(http.forgotten, https!.forgotten);
		return http.forgotten;
	};

	it("is reported to the listeners when it is revoked, and not before", async () => {
		const { id } = await gateway.write("system/tokens", { name: "display", scope: "read" });
		assert.equal((await gateway.request("DELETE", "system/tokens/00000000")).status, 404);
		await gateway.read("system/status");
		assert.equal(forgotten(), 0);
		assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
		assert.equal(forgotten(), 1);
	});

	it("is reported to the listeners when a session ends by its id, by a logout or by a new password", async () => {
		const other = await gateway.loginByChallenge();
		const { sessions } = await gateway.read("system/sessions");
		assert.equal((await gateway.request("DELETE", `system/sessions/${sessions[0].id}`, { token: other })).status, 200);
		assert.equal(forgotten(), 1);
		assert.equal((await gateway.post("system/logout", undefined, { token: other })).status, 200);
		assert.equal(forgotten(), 2);
		const body = { old_password: PASSWORD, new_password: "another-password" };
		assert.equal((await gateway.post("system/password", body)).status, 200);
		assert.equal(forgotten(), 3);
	});
});
