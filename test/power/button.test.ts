import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Driver } from "../../modules/io/driver.js";
import type { ButtonOptions } from "../../modules/io/host.js";
import { Button, PRESS_SHORT } from "../../modules/power/button.js";

describe("power/button", () => {
	let time: VirtualTime;
	let change: (pressed: boolean) => void;
	let happened: string[];
	let button: Button;

	beforeEach(() => {
		time = new VirtualTime();
		happened = [];
		const io = class {
			constructor(options: ButtonOptions) {
				change = (pressed) => options.onChanged(pressed);
			}
			close(): void {
				happened.push("closed");
			}
		};
		const driver = new Driver({ clock: time, timers: time, guard: (_part, run) => run() });
		button = new Button(
			driver,
			{ io, pins: {} },
			{
				pressed: (press) => happened.push(press === PRESS_SHORT ? "pressed" : "held"),
			},
		);
	});

	function hold(ms: number): void {
		change(true);
		time.advance(ms);
		change(false);
	}

	for (const [ms, expected] of [
		[1, ["pressed"]],
		[2999, ["pressed"]],
		[3000, []],
		[9999, []],
		[10_000, ["held"]],
		[60_000, ["held"]],
	] as const) {
		it(`reports ${expected[0] ?? "nothing"} for a press of ${ms} ms`, () => {
			hold(ms);
			time.advance(60_000);
			assert.deepEqual(happened, expected);
		});
	}
	it("acts while the button is still held", () => {
		change(true);
		time.advance(10_000);
		assert.deepEqual(happened, ["held"]);
	});
	it("measures each press separately, and ignores a second release or a release without a press", () => {
		change(false);
		hold(9000);
		hold(9000);
		hold(100);
		change(false);
		time.advance(20_000);
		assert.deepEqual(happened, ["pressed"]);
	});
	it("treats a press while the button is down as a new press, and ignores a release while it is up", () => {
		change(true);
		time.advance(9000);
		change(true);
		time.advance(2000);
		change(false);
		change(false);
		time.advance(20_000);
		assert.deepEqual(happened, ["pressed"]);
		// A long press is reported before the release.
		hold(12_000);
		change(false);
		assert.deepEqual(happened, ["pressed", "held"]);
	});
	it("does nothing after it is stopped", () => {
		change(true);
		button.stop();
		time.advance(20_000);
		assert.deepEqual(happened, ["closed"]);
	});
});
