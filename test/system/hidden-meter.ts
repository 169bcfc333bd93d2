/**
 * `npm start` or the firmware on Linux enters the PIN of a meter that hides its values, in real time at a
 * pseudo-terminal. The modelled display receives characters at the port's speed. test/meter/pin.test.ts tests how the
 * display reacts.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Household } from "../../tools/meter/household.js";
import type { LinePort } from "../../tools/meter/line-port.js";
import { LineRunner } from "../../tools/meter/line-runner.js";
import { type DisplayOptions, MeterDisplay } from "../../tools/meter/meter-display.js";
import { openPseudoTerminal } from "../../tools/meter/pseudo-terminal.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { smlSource } from "../../tools/meter/sml-options.js";
import type { JSONObject, TestGateway } from "../api/gateway.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";

/** Shortest flash, and shortest darkness after it, ms. Makers of optical heads found shorter flashes unreliable. */
const LEAST_MS = 300;
/** Darkness before the meter accepts a digit, ms; two flashes of one digit must be closer together. */
const TAKEN_MS = 3000;

/** A meter that sends SML each second at the line's speed, and only whole kWh until the PIN is entered. */
export class HiddenMeter {
	readonly display: MeterDisplay;
	readonly port: LinePort;
	readonly #runner: LineRunner;

	private constructor(port: LinePort, options: DisplayOptions) {
		this.port = port;
		this.display = new MeterDisplay(options);
		const { display } = this;
		const household = new Household({ utcMs: Date.now(), mode: "C", baud: 9600 });
		const sml = smlSource({ display });
		const source = (nowMs: number) => sml(household.reading(nowMs), nowMs);
		const machine = new PushMeter({ source, baud: 9600, pushMs: 1000, display }, performance.now());
		this.#runner = new LineRunner({ port, machine, pace: true });
	}

	static async open(options: DisplayOptions): Promise<HiddenMeter> {
		return new HiddenMeter(await openPseudoTerminal(), options);
	}

	async close(): Promise<void> {
		this.#runner.close();
		await this.port.close();
	}

	/** Checks that a meter can detect all flashes so far. */
	checkFlashes(): void {
		const { flashes } = this.display;
		for (const [i, { fromMs, toMs }] of flashes.entries()) {
			assert.ok(toMs - fromMs >= LEAST_MS && toMs - fromMs < 4000, `a flash of ${toMs - fromMs} ms`);
			const darkMs = i === 0 ? Number.POSITIVE_INFINITY : fromMs - flashes[i - 1].toMs;
			assert.ok(darkMs >= LEAST_MS, `${darkMs} ms of dark`);
		}
	}

	/** Longest darkness within a digit, among `count` flashes after the first `from`, ms. */
	longestDarkMs(from: number, count: number): number {
		const { flashes } = this.display;
		let longestMs = 0;
		for (let i = from + 1; i < from + count; i++)
			longestMs = Math.max(longestMs, flashes[i].fromMs - flashes[i - 1].toMs);
		assert.ok(longestMs < TAKEN_MS, `${longestMs} ms of dark within a digit`);
		return longestMs;
	}
}

/** Whether the meter sends all values, not only whole kWh. */
export async function sendsAll(gateway: TestGateway): Promise<boolean> {
	const { status, readings } = await gateway.read("iec62056/read");
	assert.equal(status, 0);
	return readings.some(({ obis }: JSONObject) => obis === "16.7.0");
}

/** Enters the whole PIN, and repeats `meanwhile` until the end. */
export async function enterPIN(gateway: TestGateway, body: JSONObject, meanwhile = () => sleep(100)): Promise<void> {
	const { duration_ms } = await gateway.write("meter/pin", body);
	const endMs = performance.now() + duration_ms;
	while (performance.now() < endMs) await meanwhile();
}

/** Calls back with a gateway that receives such a meter and has detected that values are hidden. */
export async function withHiddenMeter(
	engine: EngineName,
	options: DisplayOptions,
	go: (gateway: ProcessGateway, meter: HiddenMeter) => Promise<void>,
): Promise<void> {
	const meter = await HiddenMeter.open(options);
	let gateway: ProcessGateway | undefined;
	try {
		gateway = await ProcessGateway.loggedIn(engine, { meterPath: meter.port.path, isAhead: true });
		await gateway.write("meter/protocol", { protocol: "sml" });
		assert.equal(await sendsAll(gateway), false);
		await go(gateway, meter);
	} finally {
		await gateway?.stop();
		await meter.close();
	}
}
