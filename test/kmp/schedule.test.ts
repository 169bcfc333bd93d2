/** The schedule spares the battery of meters with KMP. Virtual time. */
import assert from "node:assert/strict";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";

describe("the schedule with KMP", () => {
	it("reads once an hour at most, and others as set", async () => {
		const gateway = new VirtualGateway();
		try {
			await gateway.login();
			const next = async () => {
				const { schedule_next } = await gateway.read("system/status");
				return schedule_next - START_UTC_MS / 1000;
			};
			assert.ok((await next()) <= 900);
			await gateway.write("meter/protocol", { protocol: "kmp" });
			const hourly = await next();
			assert.equal((hourly + START_UTC_MS / 1000) % 3600, 0);
			await gateway.write("iec62056/schedule", {
				enabled: true,
				period_unit: "hours",
				period_value: 4,
				trigger_minute: 0,
			});
			assert.ok((await next()) > 0);
			await gateway.write("iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 1 });
			assert.equal(await next(), hourly);
			await gateway.write("meter/protocol", { protocol: "mbus" });
			assert.ok((await next()) <= 120);
		} finally {
			await gateway.stop();
		}
	});
});
