/** The peaks of a whole gateway: API, status, metrics and MQTT. */
import assert from "node:assert/strict";
import { VirtualGateway } from "../api/virtual-gateway.js";

/** A telegram with the counter in Wh and the power in W. */
function telegram(wh: number, watts: number): Buffer {
	const lines = [
		"/TST5METER",
		"",
		`1-0:1.8.0(${(wh / 1000).toFixed(3)}*kWh)`,
		`1-0:1.7.0(${(watts / 1000).toFixed(3)}*kW)`,
	];
	return Buffer.from([...lines, "!", ""].join("\r\n"));
}

describe("The peaks of a gateway", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: Date.UTC(2026, 10, 20, 6, 59, 30) });
		await gateway.write("system/timezone", { timezone: "Europe/Brussels" });
		await gateway.write("iec62056/config", { mode_d_enabled: true });
	});
	afterEach(() => gateway.stop());

	/** Lets the meter send for this many seconds at this power, beginning with the counter `wh`; returns the counter. */
	const run = async (seconds: number, watts: number, wh: number) => {
		let counter = wh;
		for (let passed = 0; passed < seconds; passed += 10) {
			counter += (watts * 10) / 3600;
			await gateway.connectMeter({ telegram: telegram(counter, watts), mode: "D", pushBaud: 2400, pushMs: 2000 });
			await gateway.pass(10_000);
		}
		return counter;
	};

	it("are off at first: no values, no members of the status, no metrics", async () => {
		await run(40, 2000, 1e6);
		assert.deepEqual(await gateway.read("peaks"), { interval_mins: 0, count: 1 });
		const nothing = { peak_w: null, peak_mean_w: null, peak_forecast_w: null, highest: [] };
		assert.deepEqual(await gateway.read("peaks/status"), nothing);
		assert.ok(!("peak_w" in (await gateway.read("system/status"))));
		assert.doesNotMatch((await gateway.get("metrics")).text, /smartmeter_peak/);
		assert.equal(gateway.world.storage.get("peaks_month"), undefined);
	});

	it("are in their route, the status and the metrics, survive a restart, and are erased by a factory reset", async () => {
		await gateway.write("peaks", { interval_mins: 15, count: 1 });
		let wh = await run(30 + 900, 3600, 1e6);
		wh = await run(300, 1800, wh);
		const { peak_w, peak_mean_w, peak_forecast_w, highest } = await gateway.read("peaks/status");
		const near = (value: number, expected: number) =>
			assert.ok(Math.abs(value - expected) < 60, `${value}, not ${expected}`);
		near(peak_w, 3600);
		near(peak_mean_w, 1800);
		near(peak_forecast_w, 1800);
		const [{ start, localtime, mean_w }] = highest;
		assert.deepEqual(
			[start, localtime, mean_w],
			[Date.UTC(2026, 10, 20, 7) / 1000, "2026-11-20T08:00:00+01:00", peak_w],
		);
		const status = await gateway.read("system/status");
		assert.deepEqual(
			[status.peak_w, status.peak_mean_w, status.peak_forecast_w],
			[peak_w, peak_mean_w, peak_forecast_w],
		);
		const { text } = await gateway.get("metrics");
		assert.match(text, new RegExp(`^smartmeter_peak_watts ${peak_w}$`, "m"));
		await gateway.restartAndLogin();
		assert.equal((await gateway.read("peaks/status")).peak_w, peak_w);
		await gateway.post("system/factory_reset");
		assert.equal(gateway.world.storage.get("peaks_month"), undefined);
	});

	it("refuse an interval that no tariff has", async () => {
		const reply = await gateway.post("peaks", { interval_mins: 30 });
		assert.equal(reply.status, 400);
		assert.match(reply.text, /interval_mins/);
	});
});
