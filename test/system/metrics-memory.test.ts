/** Slots of XS that the metrics take while a client does not read, and their release. */
import assert from "node:assert/strict";
import { METRICS_REPLY_COST } from "../../modules/parts/system/metrics.js";
import { readMetrics } from "../api/metrics-text.js";
import { LongestReadout, REST_MS } from "./longest-readout.js";

describe("The metrics' slots in XS", function () {
	this.timeout(60_000);
	const bed = LongestReadout.use();

	it("are few, beyond those of the longest capture, while a client does not read, and are released afterwards", async function () {
		const { xs } = bed;
		const { status, text } = await xs.request("metrics");
		assert.equal(status, 200);
		assert.ok(readMetrics(text).length > 20, text);
		const { slots, connection } = await bed.unread("metrics", async (client) => {
			await xs.advance(REST_MS);
			assert.ok(client.text.includes("gateway_info"), client.text);
		});
		this.test!.title += ` (${slots}, and ${connection} for the connection)`;
		assert.ok(slots > 20 && slots <= METRICS_REPLY_COST.slots, `${slots} slots`);
	});
});
