/** Slots of XS that MQTT takes: off, connected and idle, sending, and off again. */
import assert from "node:assert/strict";
import { OWN_CERTIFICATE } from "../hub/bed.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { LongestReadout, REST_MS } from "./longest-readout.js";

/** Limit of slots while connected, beyond those with MQTT off. */
const CONNECTED_LIMIT = 190;
const WORK_LIMIT = 340;

describe("MQTT's slots in XS", function () {
	this.timeout(120_000);
	const bed = LongestReadout.use();

	it("are few while it is connected and sends, and all but 30 are released when it is turned off", async function () {
		const { xs } = bed;
		const broker = new ScriptedBroker(xs.world, 8883, { certificate: OWN_CERTIFICATE.certificate });
		await xs.advance(REST_MS);
		const before = await xs.slots();
		const report = async (what: string, limit: number) => {
			const slots = (await xs.slots()) - before;
			this.test!.title += ` (${slots} ${what})`;
			assert.ok(slots <= limit, `${slots} slots ${what}`);
		};
		const cert = Buffer.from(OWN_CERTIFICATE.certificate).toString("latin1");
		const body = { enabled: true, url: `mqtts://${BROKER_ADDRESS}`, topics: "both", cert };
		assert.equal((await xs.request("mqtt", { method: "POST", body })).status, 200);
		await xs.until(() => broker.published.length > 0);
		await xs.advance(REST_MS);
		await report("connected", CONNECTED_LIMIT);
		// After some acknowledgements the broker sends no more, so that slots are counted while a readout is being sent.
		broker.acknowledges = 3;
		assert.equal((await xs.request("iec62056/read")).status, 200);
		await xs.until(() => broker.acknowledges < 0);
		await report("at work", WORK_LIMIT);
		broker.acknowledges = Number.POSITIVE_INFINITY;
		await xs.advance(120_000);
		assert.ok(broker.published.length > 20, `${broker.published.length} messages`);
		await report("after it", CONNECTED_LIMIT);
		const off = { enabled: false, url: "", cert: "" };
		assert.equal((await xs.request("mqtt", { method: "POST", body: off })).status, 200);
		await xs.advance(REST_MS);
		await report("off again", 30);
	});
});
