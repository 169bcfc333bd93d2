/** The ESP32's lines to a coprocessor, and its light, with natives that record their calls. */
import assert from "node:assert/strict";
import type { RadioPins } from "../../../hosts/esp32/boards.js";
import { FORMAT_8N1 } from "../../../modules/io/host.js";

const LINES = { uart: 2, transmit: 17, receive: 18, ring: 512 };
const PINS: RadioPins = { ...LINES, rts: 14, cts: 15, reset: 21, boot: 16, select: 4 };

describe("The ESP32's outputs", () => {
	const nativeCalls: unknown[][] = [];
	const take = () => nativeCalls.splice(0);
	const world = globalThis as Record<string, unknown>;

	before(() => {
		world["Native"] = () => class {};
		world["native"] =
			(name: string) =>
			(...args: unknown[]) => {
				nativeCalls.push([name, ...args]);
				return name === "xs_uart_configure";
			};
	});
	after(() => {
		delete world["Native"];
		delete world["native"];
	});
	beforeEach(take);

	const timers = { set: () => assert.fail("a timer was set"), clear: () => {} };
	const trace = (message: string) => assert.fail(message);

	it("run a coprocessor, hold it in reset, and start its boot loader", async () => {
		const { createCoprocessorPort } = await import("../../../hosts/esp32/coprocessor.js");
		const port = createCoprocessorPort({ pins: PINS, timers, trace });
		const setLines = (isReset: boolean, bootLoader: boolean) => port.setLines!(isReset, bootLoader);
		const set = (pin: number, level: boolean) => ["xs_power_output", pin, level];
		assert.deepEqual(take(), [set(4, true), set(16, true), set(21, true)]);
		setLines(true, false);
		assert.deepEqual(take(), [set(16, true), set(21, false)]);
		setLines(true, true);
		setLines(false, true);
		assert.deepEqual(take(), [set(16, false), set(21, false), set(16, false), set(21, true)]);
	});

	it("leave a coprocessor's unwired lines alone", async () => {
		const { createCoprocessorPort } = await import("../../../hosts/esp32/coprocessor.js");
		assert.equal(createCoprocessorPort({ pins: LINES, timers, trace }).setLines, undefined);
		assert.deepEqual(take(), []);
		createCoprocessorPort({ pins: { ...LINES, reset: 21 }, timers, trace }).setLines!(true, true);
		assert.deepEqual(take().length, 2);
	});

	it("open the coprocessor's UART, with RTS and CTS if wired", async () => {
		const { createCoprocessorPort } = await import("../../../hosts/esp32/coprocessor.js");
		for (const [pins, rts, cts] of [
			[PINS, 14, 15],
			[LINES, -1, -1],
		] as const) {
			const port = createCoprocessorPort({ pins, timers, trace });
			take();
			const serial = new port.io({ baud: 115_200, format: FORMAT_8N1 }, port.pins);
			assert.deepEqual(take(), [
				["xs_uart", serial, 2, 17, 18, rts, cts, 0, 512],
				["xs_uart_configure", 115_200, FORMAT_8N1],
			]);
		}
	});

	it("open the meter's UART with the chosen GPIOs and levels, and ignore GPIOs that the board does not leave free", async () => {
		const { UARTPort } = await import("../../../hosts/esp32/serial.js");
		const pins = { uart: 1, transmit: 25, receive: 26, ring: 2048, others: [4, 25, 26], invertReceive: true };
		const port = new UARTPort({ pins, timers, trace });
		for (const [receive, transmit, rx, tx] of [
			[4, -1, 4, 25],
			[-1, -1, 26, 25],
			[25, 26, 25, 26],
			[5, 4, 26, 4],
			[25, -1, 26, 25],
		] as const) {
			port.choose(receive, transmit);
			assert.deepEqual(take(), [["xs_uart_choose", 1, tx, rx]]);
			const serial = new port.io({ baud: 300, format: FORMAT_8N1 }, port.pins);
			assert.deepEqual(take()[0], ["xs_uart", serial, 1, tx, rx, -1, -1, 2, 2048]);
		}
		port.invert(true, true);
		assert.deepEqual(take(), [["xs_uart_invert", 1, 1]]);
	});

	it("drive a light, which is off at first and after it was closed", async () => {
		const { createLEDPort } = await import("../../../hosts/esp32/led.js");
		for (const activeLow of [false, true]) {
			const { io: LED, pins } = createLEDPort({ pin: 7, activeLow });
			const led = new LED(pins);
			led.blink(100, 200);
			led.close();
			const times = [0, 0, 100, 200, 0, 0];
			const calls = [0, 2, 4].map((i) => ["xs_led_blink", 7, activeLow, times[i], times[i + 1]]);
			assert.deepEqual(take(), calls);
		}
	});
});
