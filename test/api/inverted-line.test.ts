/** A P1 port that is connected without an inverter: how its owner finds it out and reads it. Virtual time. */
import assert from "node:assert/strict";
import { Household } from "../../tools/meter/household.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const INVERTED = Object.freeze({ protocol: "iec62056", rx_inverted: true });

describe("a P1 port without an inverter", () => {
	let gateway: VirtualGateway;

	before(async () => {
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, canInvert: true });
		await gateway.login();
		const { serial, time } = gateway.world;
		const household = new Household({ utcMs: START_UTC_MS, mode: "C", baud: 9600 });
		serial.meter.receivesInverted = true;
		const source = (nowMs: number) => p1Telegram(household.reading(nowMs));
		serial.meter.connect(new PushMeter({ source, baud: 115_200, pushMs: 1000 }, time.nowMs));
	});
	after(() => gateway.stop());

	it("is found by the probe, and read with its settings, also after a restart", async () => {
		const probe = JSON.parse((await gateway.post("meter/probe")).text);
		assert.equal(probe.error, "unasked/ascii");
		assert.deepEqual(probe.settings, {
			...INVERTED,
			...{ mode_d_enabled: true, mode_d_baudrate: 115_200 },
		});
		const { protocol, rx_inverted, ...config } = probe.settings;
		await gateway.write("iec62056/config", config);
		assert.deepEqual(await gateway.write("meter/protocol", { protocol, rx_inverted }), {
			...{ ...INVERTED, tx_inverted: false },
		});
		assert.ok((await gateway.read("iec62056/read")).readings.length > 10);
		await gateway.restart();
		gateway.world.serial.meter.receivesInverted = true;
		await gateway.login();
		assert.deepEqual(gateway.world.serial.meter.inverts, [true, false]);
		const { settings } = await gateway.read("system/backup");
		assert.equal(settings["meter/protocol"].rx_inverted, true);
	});
});
