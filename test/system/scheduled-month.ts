/**
 * An unattended gateway on virtual time with scheduled readouts only, while the meter falls silent for hours and is
 * replaced, and the gateway restarts and loses power. Readings are compared with the meter.
 */
import assert from "node:assert/strict";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram, type Telegram } from "../../tools/meter/telegram.js";
import type { JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Average consumption of the house, Wh per hour. */
const MEAN_WH = 720;
/** Swing of the consumption between night and day, Wh per hour. */
const SWING_WH = 400;
/** Energy that the meter may count between the boundary of a period and the end of the readout, Wh. */
const SLACK_WH = 10;

/** One of the meters in order of use. */
interface Meter {
	readonly sinceMs: number;
	readonly wh: number;
}

export class UnattendedGateway {
	readonly gateway: VirtualGateway;
	/** Unix times of the meter's answers to a sign-on, ms. */
	readonly signedOn: number[] = [];
	readonly #meters: Meter[];
	#isSilent = false;

	constructor(startMs: number) {
		this.#meters = [{ sinceMs: startMs, wh: 5_000_000 }];
		this.gateway = new VirtualGateway("client", { utcMs: startMs });
		this.gateway.onWorld = () => this.connect();
	}

	get nowMs(): number {
		return this.gateway.world.time.utcMs() ?? assert.fail("the clock is set");
	}

	async begin(schedule: JSONObject): Promise<void> {
		this.connect();
		await this.gateway.login();
		await this.gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		await this.gateway.write("iec62056/schedule", schedule);
	}

	/** Replaces the meter. */
	exchange(): void {
		this.#meters.push({ sinceMs: this.nowMs, wh: 12_000 });
	}

	silence(isSilent: boolean): void {
		this.#isSilent = isSilent;
		this.connect();
	}

	/** The hours with a readout, between two times. */
	readAt(fromMs: number, toMs: number): Set<number> {
		const hours = this.signedOn.filter((ms) => ms >= fromMs && ms < toMs).map((ms) => Math.floor(ms / HOUR_MS));
		return new Set(hours);
	}

	async history(period: string): Promise<JSONObject[]> {
		await this.gateway.login();
		return (await this.gateway.read(`meter/history?period=${period}`)).periods;
	}

	/** Checks that a period's energy equals the meter's; the boundaries may be off by `offS` seconds. */
	isTrue({ start, end, import_wh }: JSONObject, offS = 0): void {
		const counted = takenUntil(end * 1000) - takenUntil(start * 1000);
		const slackWh = SLACK_WH + 2 * (MEAN_WH + SWING_WH) * (offS / 3600);
		const name = `${new Date(start * 1000).toISOString()} to ${new Date(end * 1000).toISOString()}`;
		assert.ok(Math.abs(import_wh - counted) <= slackWh, `${name}: ${import_wh} is not ${counted}`);
	}

	private connect(): void {
		const faults = this.#isSilent ? { silence: 1_000_000 } : {};
		const { meter: line } = this.gateway.world.serial;
		line.plugIn();
		const before = this.signedOn.length;
		line.connect(new IECMeter({ source: () => this.telegram(), mode: "C", faults }));
		// The source was called only to learn the telegram: no sign-on was answered.
		this.signedOn.length = before;
	}

	private telegram(): Telegram {
		const { nowMs } = this;
		this.signedOn.push(nowMs);
		const { sinceMs, wh } = this.#meters.at(-1)!;
		const counted = wh + Math.floor(takenUntil(nowMs) - takenUntil(sinceMs));
		const kWh = (counted / 1000).toFixed(3).padStart(10, "0");
		const block = `0.0.0(${this.#meters.length})\r\n1.8.0(${kWh}*kWh)\r\n!\r\n\x03`;
		const check = Buffer.from(block, "latin1").reduce((sum, byte) => sum ^ byte, 0);
		return splitTelegram(
			new Uint8Array(Buffer.from(`/XYZ5METER\r\n\x02${block}${String.fromCharCode(check)}`, "latin1")),
		);
	}
}

/** Energy that the house has used from the start until that time, Wh. */
function takenUntil(utcMs: number): number {
	const hours = utcMs / HOUR_MS;
	const turn = (2 * Math.PI) / 24;
	return MEAN_WH * hours - (SWING_WH / turn) * Math.sin(turn * hours);
}
