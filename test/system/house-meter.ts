/** A meter in a house whose consumption at each time is known, for gateways that are left alone on virtual time. */
import assert from "node:assert/strict";
import type { VirtualWorld } from "../../hosts/node/virtual.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram, type Telegram } from "../../tools/meter/telegram.js";
import type { JSONObject } from "../api/gateway.js";

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

/** An answer to a sign-on: Unix time in ms, and the counter. */
export interface Shown {
	readonly ms: number;
	readonly wh: number;
}

export class HouseMeter {
	/** Answers to a sign-on, in order. */
	readonly shown: Shown[] = [];
	isSilent = false;
	readonly #meters: Meter[];
	readonly #extra: readonly string[];
	#world: VirtualWorld | undefined;

	/** `extra`: further lines of the telegram, such as `32.7.0(230.1*V)`. */
	constructor(startMs: number, extra: readonly string[] = []) {
		this.#meters = [{ sinceMs: startMs, wh: 5_000_000 }];
		this.#extra = extra;
	}

	/** Puts the meter on the line of this world, or of the present one. */
	connect(world = this.#world!): void {
		this.#world = world;
		const faults = this.isSilent ? { silence: 1_000_000 } : {};
		const { meter: line } = world.serial;
		line.plugIn();
		const before = this.shown.length;
		line.connect(new IECMeter({ source: () => this.telegram(), mode: "C", faults }));
		// The source was called only to learn the telegram: no sign-on was answered.
		this.shown.length = before;
	}

	/** Replaces the meter. */
	exchange(): void {
		this.#meters.push({ sinceMs: this.#nowMs, wh: 12_000 });
	}

	silence(isSilent: boolean): void {
		this.isSilent = isSilent;
		this.connect();
	}

	/** Checks that a period's energy equals the meter's; the boundaries may be off by `offS` seconds. */
	isTrue({ start, end, import_wh }: JSONObject, offS = 0): void {
		const counted = takenUntil(end * 1000) - takenUntil(start * 1000);
		const slackWh = SLACK_WH + 2 * (MEAN_WH + SWING_WH) * (offS / 3600);
		const name = `${new Date(start * 1000).toISOString()} to ${new Date(end * 1000).toISOString()}`;
		assert.ok(Math.abs(import_wh - counted) <= slackWh, `${name}: ${import_wh} is not ${counted}`);
	}

	get #nowMs(): number {
		return this.#world?.time.utcMs() ?? assert.fail("the clock is set");
	}

	private telegram(): Telegram {
		const ms = this.#nowMs;
		const { sinceMs, wh: sinceWh } = this.#meters.at(-1)!;
		const wh = sinceWh + Math.floor(takenUntil(ms) - takenUntil(sinceMs));
		this.shown.push({ ms, wh });
		const kWh = (wh / 1000).toFixed(3).padStart(10, "0");
		const lines = [`0.0.0(${this.#meters.length})`, `1.8.0(${kWh}*kWh)`, ...this.#extra];
		const block = `${lines.join("\r\n")}\r\n!\r\n\x03`;
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
