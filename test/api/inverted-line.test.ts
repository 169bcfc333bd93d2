/** A P1 port that is connected without an inverter: how its owner finds it out and reads it. Virtual time. */
import assert from "node:assert/strict";
import type { GPIOs } from "../../modules/io/host.js";
import { Household } from "../../tools/meter/household.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { isError } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const INVERTED = Object.freeze({ protocol: "iec62056", rx_inverted: true });

describe("a P1 port without an inverter", () => {
	let gateway: VirtualGateway;

	before(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, canInvert: true });
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
			...{ ...INVERTED, tx_inverted: false, rx_pin: -1, tx_pin: -1 },
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

describe("the GPIOs of the meter port", () => {
	const GPIOS = Object.freeze({ receive: 26, transmit: 25, others: Object.freeze([4, 25, 26]) });
	let gateway: VirtualGateway;

	afterEach(() => gateway.stop());
	async function start(gpios: GPIOs): Promise<void> {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, gpios });
	}
	const choose = (pins: object) => gateway.post("meter/protocol", { protocol: "sml", ...pins });

	it("are chosen from those that the board leaves free, at once", async () => {
		await start(GPIOS);
		const line = gateway.world.serial.meter;
		for (const [pins, chosen] of [
			[{ rx_pin: 4 }, [4, -1]],
			[{ tx_pin: 26 }, [4, 26]],
			[{ rx_pin: 25 }, [25, 26]],
			[{ rx_pin: -1, tx_pin: -1 }, [-1, -1]],
		] as const) {
			assert.equal((await choose(pins)).status, 200);
			assert.deepEqual(line.chosen, chosen);
		}
	});

	it("are refused if the board does not leave them free, or if both are the same", async () => {
		await start(GPIOS);
		isError(await choose({ rx_pin: 5 }), 400, "invalid_field", "rx_pin");
		isError(await choose({ tx_pin: 49 }), 400, "invalid_field", "tx_pin");
		isError(await choose({ rx_pin: 25 }), 400, "invalid_field", "tx_pin");
		isError(await choose({ rx_pin: 4, tx_pin: 4 }), 400, "invalid_field", "tx_pin");
		assert.match(await choose({ tx_pin: 6 }).then(({ text }) => text), /tx_pin must be -1 or one of 4, 25, 26\./);
		assert.deepEqual(gateway.world.serial.meter.chosen, [-1, -1]);
	});

	it("can't be chosen on a board without free ones, which keeps those of a backup without effect", async () => {
		await start({ receive: 39, transmit: 13 });
		isError(await choose({ rx_pin: 4 }), 400, "invalid_field", "rx_pin");
		await gateway.write("system/backup", { backup: 1, settings: { "meter/protocol": { protocol: "sml", rx_pin: 4 } } });
		assert.equal((await gateway.read("meter/protocol")).rx_pin, 4);
		assert.equal((await choose({ rx_pin: -1 })).status, 200);
	});
});
