/**
 * A gateway left alone on virtual time, read by its schedule alone, while the meter counts on, falls silent for hours, is
 * exchanged, and the gateway is started anew and has its power cut. What it makes of that is held against the meter.
 */
import assert from "node:assert/strict";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram, type Telegram } from "../../tools/meter/telegram.js";
import type { JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The meter counts evenly, so that it is known at each moment: Wh an hour. */
const WH_PER_HOUR = 720;
/** From the boundary to the end of a readout: the meter has counted on by then. */
const SLACK_WH = 10;

export class LeftAlone {
	readonly gateway: VirtualGateway;
	/** Unix ms of each sign-on that the meter has answered. */
	readonly signedOn: number[] = [];
	#serial = 1;
	/** What the present meter had counted when it came, and when that was. */
	#base = { wh: 5_000_000, sinceMs: 0 };
	#isSilent = false;

	constructor(startMs: number) {
		this.#base.sinceMs = startMs;
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

	/** What the meter has counted, Wh. */
	countedAt(utcMs: number): number {
		return this.#base.wh + Math.floor(((utcMs - this.#base.sinceMs) / HOUR_MS) * WH_PER_HOUR);
	}

	/** Another meter is put in its place. */
	exchange(): void {
		this.#serial++;
		this.#base = { wh: 12_000, sinceMs: this.nowMs };
	}

	silence(isSilent: boolean): void {
		this.#isSilent = isSilent;
		this.connect();
	}

	/** Times of the hours at which it was read, of those between two moments. */
	readAt(fromMs: number, toMs: number): Set<number> {
		const hours = this.signedOn.filter((ms) => ms >= fromMs && ms < toMs).map((ms) => Math.floor(ms / HOUR_MS));
		return new Set(hours);
	}

	async history(period: string): Promise<JSONObject[]> {
		await this.gateway.login();
		return (await this.gateway.read(`meter/history?period=${period}`)).periods;
	}

	/** That what stands there for a period is what the meter counted in it. */
	isTrue({ start, end, import_wh }: JSONObject): void {
		const counted = ((end - start) / 3600) * WH_PER_HOUR;
		const name = `${new Date(start * 1000).toISOString()} to ${new Date(end * 1000).toISOString()}`;
		assert.ok(Math.abs(import_wh - counted) <= SLACK_WH, `${name}: ${import_wh} is not ${counted}`);
	}

	private connect(): void {
		const faults = this.#isSilent ? { silence: 1_000_000 } : {};
		const { meter: line } = this.gateway.world.serial;
		line.plugIn();
		const before = this.signedOn.length;
		line.connect(new IECMeter({ source: () => this.telegram(), mode: "C", faults }));
		// It has looked at what it will send.
		this.signedOn.length = before;
	}

	private telegram(): Telegram {
		this.signedOn.push(this.nowMs);
		const kWh = (this.countedAt(this.nowMs) / 1000).toFixed(3).padStart(10, "0");
		const block = `0.0.0(${this.#serial})\r\n1.8.0(${kWh}*kWh)\r\n!\r\n\x03`;
		const check = Buffer.from(block, "latin1").reduce((sum, byte) => sum ^ byte, 0);
		return splitTelegram(
			new Uint8Array(Buffer.from(`/XYZ5METER\r\n\x02${block}${String.fromCharCode(check)}`, "latin1")),
		);
	}
}
