/** The ESP32 host's TypeScript, run on a chip with JavaScript in place of its C. */
import assert from "node:assert/strict";
import { BOARDS } from "../../../hosts/esp32/boards.js";
import { encodeFactoryData } from "../../../hosts/esp32/factory.js";
import { FakeChip } from "./fake-chip.js";

const UNIT = encodeFactoryData({
	serial: "0123456789AB",
	variant: 3,
	labelPassword: "7hKq2mWxRt4c",
	accessPointKey: "NnPp23456789",
});

const text = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString("latin1");

describe("The firmware for the ESP32", () => {
	it("starts: it opens the ports of HTTP and HTTPS, the unit's own access point, and the button", async () => {
		const chip = new FakeChip();
		chip.factory = UNIT;
		await chip.start();
		assert.deepEqual(chip.console, [
			"Gateway 0.1.2 for esp32c3-devkitm. Started: power.",
			"Unit 0123456789AB serves as smgw-6789ab.",
		]);
		const ports = chip.argsOf("xs_stream_server").map(([, port, , certificate]) => [port, certificate !== undefined]);
		assert.deepEqual(ports, [
			[80, false],
			[443, true],
		]);
		assert.deepEqual(chip.argsOf("xs_wifi_start_access_point"), [["smgw-6789ab", "NnPp23456789"]]);
		assert.deepEqual(
			chip.argsOf("xs_power_button").map(([, pin]) => pin),
			[9],
		);
		assert.equal(chip.argsOf("xs_system_watch_aborts").length, 1);
		assert.equal(chip.argsOf("xs_system_restart").length, 0);
	});

	it("logs free heap and stacks once", async () => {
		const chip = new FakeChip();
		chip.factory = UNIT;
		await chip.start();
		const logTimers = [...chip.timers.values()].filter(({ delayMs }) => delayMs === 10_000);
		assert.equal(logTimers.length, 1);
		logTimers[0].callback();
		const memory = "Free heap: 70000 bytes, 65000 at least. Free stacks: main 7860, wifi 3528.";
		assert.equal(chip.console.at(-1), memory);
	});

	it("creates data for a unit without factory data once", async () => {
		const first = new FakeChip();
		await first.start();
		const secrets = /^No factory data\. Wi-Fi smgw-0102ef, key (\w{12}); user admin, password (\w{12})$/;
		const match = secrets.exec(first.console[1]);
		assert.ok(match, first.console.join("\n"));
		assert.deepEqual(first.argsOf("xs_wifi_start_access_point"), [["smgw-0102ef", match[1]]]);
		assert.ok(text(first.flash.get("factory")).includes(match[2]));
		const second = new FakeChip();
		for (const [key, value] of first.flash) second.flash.set(key, value);
		await second.start();
		assert.deepEqual(second.console, first.console);
	});

	for (const board of BOARDS) {
		it(`starts on ${board.name}`, async () => {
			const chip = new FakeChip();
			chip.board = board.name;
			await chip.start();
			assert.equal(chip.console.at(-1), "Unit 34B7DA0102EF serves as smgw-0102ef.");
			assert.equal(chip.argsOf("xs_power_button").length, board.button === undefined ? 0 : 1);
			const { zigbee, led } = board;
			// The radio's UART is open, the radio runs its firmware, not its boot loader; the light is off, then
			// blinks.
			const lines = [zigbee?.select, zigbee?.boot, zigbee?.reset].filter((pin) => pin !== undefined);
			const outputs = chip.argsOf("xs_power_output");
			assert.deepEqual(
				outputs.slice(0, lines.length),
				lines.map((pin) => [pin, true]),
			);
			// The bridge then resets the radio, as it does with every coprocessor.
			const later = outputs.slice(lines.length);
			assert.equal(later.length > 0, zigbee?.reset !== undefined);
			for (const [pin, level] of later) assert.ok((pin === zigbee?.boot && level) || (pin === zigbee?.reset && !level));
			const blinks = [
				[0, 0],
				[1000, 1000],
			].map((times) => [led?.pin, led?.activeLow, ...times]);
			// With an Ethernet port the light blinks while the gateway waits for a link before it opens the access
			// point.
			const shown = board.ethernet === undefined ? blinks : blinks.slice(0, 1);
			assert.deepEqual(chip.argsOf("xs_led_blink"), led === undefined ? [] : shown);
		});
	}

	it("opens no ports and no radio when woken for a reading on battery, but both when woken by the button or with USB power", async () => {
		for (const [wakeReason, usbMillivolts, ports] of [
			[1, 0, 0],
			[2, 0, 2],
			[1, 2500, 2],
		] as const) {
			const chip = new FakeChip();
			chip.board = "esp32s3-battery";
			chip.wakeReason = wakeReason;
			chip.millivolts.set(1, 2100);
			chip.millivolts.set(2, usbMillivolts);
			await chip.start();
			assert.deepEqual(chip.argsOf("xs_power_wake_reason"), [[2]]);
			assert.equal(chip.argsOf("xs_stream_server").length, ports);
			assert.equal(chip.argsOf("xs_wifi_start_access_point").length, ports === 0 ? 0 : 1);
		}
	});

	it("counts power-ups only on a board without a button for the reset", async () => {
		for (const board of ["wt32-eth01", "slzb-06"]) {
			const chip = new FakeChip();
			chip.board = board;
			chip.flash.set("power_cycles", Uint8Array.of(6));
			await chip.start();
			const last =
				"Reset by power cuts: 6 of 7 done. Cut the power again in 5 s; the start after that resets to factory settings.";
			assert.equal(chip.console.includes(last), board === "wt32-eth01", board);
		}
	});

	it("resets to factory settings after the pattern of power cuts", async () => {
		const chip = new FakeChip();
		chip.board = "wt32-eth01";
		chip.flash.set("power_cycles", Uint8Array.of(7));
		await chip.start();
		assert.ok(
			chip.console.includes("Power was cut in the pattern of a reset: resetting to factory settings."),
			chip.console.join("\n"),
		);
		assert.equal(chip.flash.get("power_cycles"), undefined);
	});

	it("logs why it can't start, and restarts after a while", async () => {
		const chip = new FakeChip();
		chip.failing.set("xs_stream_server", "no sockets");
		await chip.start();
		assert.equal(chip.console.at(-1), "no sockets");
		assert.equal(chip.argsOf("xs_system_restart").length, 0);
		const restart = [...chip.timers.values()].find(({ delayMs }) => delayMs === 10_000);
		restart?.callback();
		assert.deepEqual(chip.argsOf("xs_system_fail"), [["no sockets"]]);
	});

	it("starts in safe mode, without a readout, after three starts that failed at once or ended in a panic", async () => {
		const before = new FakeChip();
		before.factory = UNIT;
		await before.start();
		let { retained } = before;
		for (const cause of ["no sockets", "panic", "the watchdog of tasks"]) {
			const chip = new FakeChip();
			chip.factory = UNIT;
			chip.retained = retained;
			chip.ending = [cause, true, false];
			await chip.start();
			retained = chip.retained;
			const isSafe = chip.console.some((line) => /^safe mode: the watchdog of tasks; panic; no sockets$/.test(line));
			assert.equal(isSafe, cause === "the watchdog of tasks", chip.console.join("\n"));
			assert.equal(chip.console.at(-1), "Unit 0123456789AB serves as smgw-6789ab.");
		}
	});
});
