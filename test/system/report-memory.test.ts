/** Slots of XS that a diagnostic report takes while a client does not read, and their release. */
import assert from "node:assert/strict";
import { takeReply } from "../../hosts/node/virtual-request.js";
import { REPORT_COST } from "../../modules/parts/system/diagnostic.js";
import { openWhole, REPORT_KEY, sectionsOf } from "../api/report-key.js";
import { LongestReadout } from "./longest-readout.js";

describe("The diagnostic report's slots in XS", function () {
	this.timeout(60_000);
	const bed = LongestReadout.use({ reportKey: REPORT_KEY });

	it("are few, beyond those of the longest capture, while a client does not read, and are released afterwards", async function () {
		const { xs } = bed;
		assert.equal((await xs.request("iec62056/control", { body: { log_en: true } })).status, 200);
		assert.equal((await xs.request("iec62056/read")).status, 200);
		await openWhole((await xs.request("system/diagnostic")).body);
		const { slots, connection } = await bed.unread("system/diagnostic", async (client) => {
			await xs.until(() => client.received.length > 15_000);
			await xs.advance(1000);
			const { text } = await openWhole(takeReply(client)!.body);
			assert.ok(sectionsOf(text).get("conversation")!.length > 10);
		});
		this.test!.title += ` (${slots}, and ${connection} for the connection)`;
		assert.ok(slots > 20 && slots <= REPORT_COST.slots, `${slots} slots`);
	});
});
