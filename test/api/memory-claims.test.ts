/** Requests without enough memory, and the release of claimed memory (io/memory.ts). */
import assert from "node:assert/strict";
import { LONG_BODY_COST, SHORT_BODY_COST } from "../../modules/api/api.js";
import { type Memory, RESERVE } from "../../modules/io/memory.js";
import { OWN_CERTIFICATE } from "../hub/bed.js";
import { isError } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

class FewSlots implements Memory {
	slots = 10_000;
	chunkBytes = 100_000;

	suffices(slots: number, chunkBytes: number): boolean {
		return slots <= this.slots && chunkBytes <= this.chunkBytes;
	}
}

describe("The API's memory claims", () => {
	let memory: FewSlots;
	let gateway: VirtualGateway;

	beforeEach(async () => {
		memory = new FewSlots();
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, memory });
	});
	afterEach(() => gateway.stop());

	it("are made only for requests with a body, which get 503 if memory is short", async () => {
		memory.slots = 0;
		isError(await gateway.post("iec62056/control", {}), 503, "busy");
		isError(await gateway.post("system/certificate", "x"), 503, "busy");
		isError(await gateway.post("system/logout", "{}"), 503, "busy");
		assert.equal((await gateway.get("system/status")).status, 200);
		assert.equal((await gateway.post("system/logout")).status, 200);
	});

	it("are released, however the request ends", async () => {
		// Enough memory for one request at a time.
		memory.slots = RESERVE.slots + SHORT_BODY_COST.slots;
		for (let i = 0; i < 3; i++) {
			assert.equal((await gateway.post("system/certificate", "x")).status, 400);
			assert.equal((await gateway.post("system/certificate", "x".repeat(100_000))).status, 400);
			assert.equal((await gateway.post("system/certificate", "x".repeat(20_000), { chunked: true })).status, 400);
			assert.equal((await gateway.post("iec62056/control", "{bad")).status, 400);
			assert.equal((await gateway.post("iec62056/control", `{"x":"${"x".repeat(3000)}"}`)).status, 413);
			assert.equal((await gateway.post("iec62056/control", {})).status, 200);
			gateway.begin("POST", "iec62056/control", { body: "{" }).abandon();
			await gateway.pass(100);
		}
	});

	it("leave room to read a new certificate back; without that room, the reply is 503 and nothing changes", async () => {
		const cert = Buffer.from(OWN_CERTIFICATE.certificate).toString().padStart(10_000, "#");
		const body = { enabled: true, url: "https://192.0.2.7", token: "t", cert };
		memory.chunkBytes = RESERVE.chunkBytes + LONG_BODY_COST.chunkBytes + 1000;
		isError(await gateway.post("hub", body), 503, "busy");
		assert.equal((await gateway.read("hub")).cert_set, false);
		memory.chunkBytes += 10_239;
		assert.equal((await gateway.post("hub", body)).status, 200);
		assert.equal((await gateway.read("hub")).cert_set, true);
	});
});
