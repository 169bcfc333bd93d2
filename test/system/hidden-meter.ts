/**
 * The PIN of a meter that hides its values, in real time, as `npm start` or the firmware on Linux enters it at a
 * pseudo-terminal: the display at its other end sees characters at the speed to which the port is set.
 * test/meter/pin.test.ts tests the display's reaction.
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

/**
 * A short flash must last longer and be followed by longer darkness: makers of such heads found shorter ones too short.
 */
const LEAST_MS = 300;
/** From the end of one flash of a digit to the next: after it the meter takes the digit. */
const TAKEN_MS = 3000;

/** Sends SML each second, paced as the line. */
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

	/** Flashes that a meter takes for what they are. */
	checkFlashes(): void {
		const { flashes } = this.display;
		for (const [i, { fromMs, toMs }] of flashes.entries()) {
			assert.ok(toMs - fromMs >= LEAST_MS && toMs - fromMs < 4000, `a flash of ${toMs - fromMs} ms`);
			const darkMs = i === 0 ? Number.POSITIVE_INFINITY : fromMs - flashes[i - 1].toMs;
			assert.ok(darkMs >= LEAST_MS, `${darkMs} ms of dark`);
		}
	}

	/** The longest darkness between flashes that belong together, those after `from` up to the next one of a new digit. */
	longestDarkMs(from: number, count: number): number {
		const { flashes } = this.display;
		let longestMs = 0;
		for (let i = from + 1; i < from + count; i++)
			longestMs = Math.max(longestMs, flashes[i].fromMs - flashes[i - 1].toMs);
		assert.ok(longestMs < TAKEN_MS, `${longestMs} ms of dark within a digit`);
		return longestMs;
	}
}

/** Whether all comes, and not only whole kWh. */
export async function sendsAll(gateway: TestGateway): Promise<boolean> {
	const { status, readings } = await gateway.read("iec62056/read");
	assert.equal(status, 0);
	return readings.some(({ obis }: JSONObject) => obis === "16.7.0");
}

/** Enters it all, and does `meanwhile` again and again until it is over. */
export async function enterPIN(gateway: TestGateway, body: JSONObject, meanwhile = () => sleep(100)): Promise<void> {
	const { duration_ms } = await gateway.write("meter/pin", body);
	const endMs = performance.now() + duration_ms;
	while (performance.now() < endMs) await meanwhile();
}

/** With a gateway that listens to such a meter, and finds that it hides its values. */
export async function hearHidden(
	engine: EngineName,
	options: DisplayOptions,
	go: (gateway: ProcessGateway, meter: HiddenMeter) => Promise<void>,
): Promise<void> {
	const meter = await HiddenMeter.open(options);
	let gateway: ProcessGateway | undefined;
	try {
		gateway = await ProcessGateway.start(engine, { meterPath: meter.port.path, isAhead: true });
		await gateway.login();
		await gateway.write("meter/protocol", { protocol: "sml" });
		assert.equal(await sendsAll(gateway), false);
		await go(gateway, meter);
	} finally {
		await gateway?.stop();
		await meter.close();
	}
}
