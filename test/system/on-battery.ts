/** A unit on three cells with a running meter, on virtual time; each sleep ends the program, each wake restarts it. */
import assert from "node:assert/strict";
import type { VirtualWorld } from "../../hosts/node/virtual.js";
import { WAKE_NONE } from "../../modules/io/flash.js";
import type { Power } from "../../modules/io/host.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram, type Telegram } from "../../tools/meter/telegram.js";
import type { JSONObject } from "../api/gateway.js";
import { type GatewayOptions, VirtualGateway } from "../api/virtual-gateway.js";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** The household's constant consumption. */
export const WH_PER_HOUR = 720;
/** Longer than the unit stays awake to read the meter once. */
const AWAKE_LIMIT_MS = 20 * MINUTE_MS;

export class OnBattery {
	readonly gateway: VirtualGateway;
	/** Voltage of the three cells in series. */
	battery = 4.4;
	/** Voltage at the USB socket. */
	usb = 0;
	/** Unix times of the meter's answers to a sign-on, ms. */
	readonly signedOn: number[] = [];
	/** How long the unit was awake before each sleep, ms. */
	readonly awake: number[] = [];
	/** Interval of the meter's unsolicited telegrams, ms; undefined if the meter sends none. */
	pushMs: number | undefined;
	isSilent = false;
	/** Called after each restart with the new world, before the gateway starts in it. */
	onWorld: ((world: VirtualWorld) => void) | undefined;
	readonly #startMs: number;

	constructor(startMs: number, options: GatewayOptions = {}) {
		this.#startMs = startMs;
		const power: Power = {
			cells: 3,
			batteryVoltage: () => this.battery,
			usbVoltage: () => this.usb,
			temperatureC: () => 20,
		};
		this.gateway = new VirtualGateway("client", { utcMs: startMs, power, wakeReason: WAKE_NONE, ...options });
		this.gateway.onWorld = (world) => {
			this.connect();
			this.onWorld?.(world);
		};
		this.connect();
	}

	get nowMs(): number {
		return this.gateway.world.time.utcMs() ?? assert.fail("the clock is set");
	}

	async begin(schedule: JSONObject): Promise<void> {
		await this.gateway.login();
		await this.gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		await this.gateway.write("iec62056/schedule", schedule);
	}

	/** When the unit fell asleep, in the time of its world, ms; Infinity while it is awake. */
	get asleepSinceMs(): number {
		return this.gateway.world.asleep?.sinceMs ?? Number.POSITIVE_INFINITY;
	}

	/** Runs until the unit falls asleep; returns the planned duration of the sleep, ms. */
	untilAsleep(limitMs = AWAKE_LIMIT_MS): number {
		const { time } = this.gateway.world;
		const fromMs = time.nowMs;
		time.runWhile(() => this.gateway.world.asleep === undefined, fromMs + limitMs);
		const { asleep } = this.gateway.world;
		assert.ok(asleep, `the unit is still awake after ${limitMs} ms:\n${this.gateway.diagnosis}`);
		this.awake.push(time.nowMs - fromMs);
		return asleep.ms;
	}

	/** Wakes the unit by its timer, and runs until it falls asleep again. */
	async wakeUntilAsleep(limitMs?: number): Promise<void> {
		await this.gateway.wake();
		this.untilAsleep(limitMs);
	}

	/** Lets the unit sleep, wake by its timer and sleep again until the next sleep would end after `untilMs`. */
	async pass(untilMs: number): Promise<void> {
		while (this.nowMs + this.untilAsleep() < untilMs) await this.gateway.wake();
	}

	/** Energy that the meter has counted at that time, Wh. */
	countedAt(utcMs: number): number {
		return 5_000_000 + Math.floor(((utcMs - this.#startMs) / HOUR_MS) * WH_PER_HOUR);
	}

	connect(): void {
		const faults = this.isSilent ? { silence: 1_000_000 } : {};
		const before = this.signedOn.length;
		const { pushMs } = this;
		const push = pushMs === undefined ? { mode: "C" as const } : { mode: "D" as const, pushMs, pushBaud: 9600 };
		const meter = new IECMeter({ source: () => this.telegram(), faults, ...push });
		this.gateway.world.serial.meter.connect(meter);
		// `connect` called the source only to learn the telegram: no sign-on was answered.
		this.signedOn.length = before;
	}

	private telegram(): Telegram {
		this.signedOn.push(this.nowMs);
		const kWh = (this.countedAt(this.nowMs) / 1000).toFixed(3).padStart(10, "0");
		const block = `0.0.0(1)\r\n1.8.0(${kWh}*kWh)\r\n!\r\n\x03`;
		const check = Buffer.from(block, "latin1").reduce((sum, byte) => sum ^ byte, 0);
		return splitTelegram(
			new Uint8Array(Buffer.from(`/XYZ5METER\r\n\x02${block}${String.fromCharCode(check)}`, "latin1")),
		);
	}
}
