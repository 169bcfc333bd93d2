/** Slots of XS that the hub takes while idle and while it sends, and their release. */
import assert from "node:assert/strict";
import { HUB_COST } from "../../modules/parts/hub/hub.js";
import { ADDRESS, OWN_CERTIFICATE, StateServer, TOKEN } from "../hub/bed.js";
import { LongestReadout, REST_MS } from "./longest-readout.js";

describe("The hub's slots in XS", function () {
	this.timeout(120_000);
	const bed = LongestReadout.use();

	it("are few while it sends the longest capture over TLS, and all but 20 are released afterwards", async function () {
		const { xs } = bed;
		xs.world.names.set("hub.lan", ADDRESS);
		const server = new StateServer(xs.world);
		server.serve(8123, { certificate: OWN_CERTIFICATE.certificate });
		await xs.advance(REST_MS);
		const before = await xs.slots();
		const cert = Buffer.from(OWN_CERTIFICATE.certificate).toString("latin1");
		const body = { enabled: true, url: "https://hub.lan:8123", token: TOKEN, cert };
		assert.equal((await xs.request("hub", { method: "POST", body })).status, 200);
		await xs.until(() => server.requests > 5);
		server.delayMs = 60_000;
		await xs.advance(200);
		const slots = (await xs.slots()) - before;
		this.test!.title += ` (${slots} at work`;
		assert.ok(slots > 40 && slots <= HUB_COST.slots, `${slots} slots`);
		server.delayMs = 5;
		await xs.advance(60_000);
		assert.ok(server.log.length > 20, `${server.log.length} states`);
		await xs.advance(REST_MS);
		const rest = (await xs.slots()) - before;
		this.test!.title += `, ${rest} after it)`;
		assert.ok(rest <= 20, `${rest} slots`);
	});
});
