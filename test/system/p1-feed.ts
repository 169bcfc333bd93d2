/**
 * A P1 meter with a gas meter (DSMR 5.0.2, e-MUCS P1) whose telegrams a test can change. The house takes a constant
 * power, so the right energy and gas of each time are known. Times are in ms since the start of the feed.
 */
import { stepCRC16ARC } from "../../modules/bytes/crc16-arc.js";

const HOUR_MS = 3_600_000;
const HOUSE_WATTS = 2000;
const HOUSE_LITRES_PER_HOUR = 60;
const GAS_EVERY_MS = 300_000;
/** Rise of a counter by a wrong digit, Wh. */
const SPIKE_WH = 900_000_000;
/** Time of a reading on M-Bus before the first one. */
const UNREAD = "632525252525S";
const SERIALS = ["4530303331303033", "4530303331303034"];

/**
 * Power in W, import in tariff 1 in Wh, gas on M-Bus channel 1 in litres, time in Unix seconds; undefined: unknown, or
 * not sent.
 */
export interface Values {
	readonly power?: number | undefined;
	readonly energy?: number | undefined;
	readonly gas?: number | undefined;
	readonly time?: number | undefined;
}

export class P1Feed {
	isOn = true;
	/** Number of next telegrams in which the counter of energy is wrong. */
	spikes = 0;
	/** Values that the telegrams lack. */
	lacks: "" | "power" | "counters" = "";
	/** A gas meter that was replaced stays on channel 1 with its last time; the new one is on channel 2. */
	gasMeter: "alive" | "unread" | "replaced" = "alive";
	count = 0;
	/** Values that are true now, and those that the last telegram has. */
	right: Values = {};
	sent: Values = {};
	readonly #startUTCMs: number;
	#offsetWh = 5_000_000;
	#meters = 1;
	#replaced = { litres: 0, gasMs: 0 };

	constructor(startUTCMs: number) {
		this.#startUTCMs = startUTCMs;
	}

	exchangeMeter(nowMs: number): void {
		this.#meters++;
		this.#offsetWh = 100 - usedWh(nowMs);
	}

	replaceGasMeter(nowMs: number): void {
		this.gasMeter = "replaced";
		const gasMs = nowMs - (nowMs % GAS_EVERY_MS);
		this.#replaced = { litres: litresAt(gasMs), gasMs };
	}

	/** The next telegram; no bytes while the meter is silent. */
	telegram(nowMs: number): Uint8Array {
		if (!this.isOn) return new Uint8Array(0);
		const power = HOUSE_WATTS + (++this.count % 97);
		const energy = this.#offsetWh + usedWh(nowMs);
		const gasMs = nowMs - (nowMs % GAS_EVERY_MS);
		const gas = this.gasMeter === "replaced" ? this.#replaced.litres : litresAt(gasMs);
		const isUnread = this.gasMeter === "unread";
		const isSpike = this.spikes > 0 && this.spikes-- > 0;
		const hasPower = this.lacks !== "power";
		const hasCounters = this.lacks !== "counters";
		this.right = {
			time: Math.floor((this.#startUTCMs + nowMs) / 1000),
			...(hasPower ? { power } : {}),
			...(hasCounters ? { energy, gas: this.gasMeter === "alive" ? gas : undefined } : {}),
		};
		this.sent = {
			...(hasPower ? { power } : {}),
			...(hasCounters ? { energy: energy + (isSpike ? SPIKE_WH : 0), gas: isUnread ? 0 : gas } : {}),
		};
		const sent = this.sent;
		const channel = (n: number, time: string, litres: number) => [
			`0-${n}:24.1.0(003)`,
			`0-${n}:24.2.1(${time})(${thousandths(litres, 5)}*m3)`,
		];
		const readMs = this.gasMeter === "replaced" ? this.#replaced.gasMs : gasMs;
		return withCRC([
			"/GWS5\\2HOUSE-3P",
			"",
			"1-3:0.2.8(50)",
			`0-0:1.0.0(${this.time(nowMs)})`,
			`0-0:96.1.1(${SERIALS[this.#meters - 1]})`,
			...(sent.energy === undefined ? [] : [`1-0:1.8.1(${thousandths(sent.energy, 6)}*kWh)`]),
			"1-0:1.8.2(003000.000*kWh)",
			"1-0:2.8.1(000000.000*kWh)",
			"1-0:2.8.2(000000.000*kWh)",
			...(sent.power === undefined ? [] : [`1-0:1.7.0(${thousandths(sent.power, 2)}*kW)`]),
			"1-0:2.7.0(00.000*kW)",
			...(sent.gas === undefined ? [] : channel(1, isUnread ? UNREAD : this.time(readMs), sent.gas)),
			...(this.gasMeter === "replaced" ? channel(2, this.time(gasMs), litresAt(gasMs) - this.#replaced.litres) : []),
		]);
	}

	private time(ms: number): string {
		return `${new Date(this.#startUTCMs + ms).toISOString().replace(/\D/g, "").slice(2, 14)}W`;
	}
}

/** Energy and gas that the house has used until that time. */
export function usedWh(ms: number): number {
	return Math.floor((ms * HOUSE_WATTS) / HOUR_MS);
}

export function usedLitres(ms: number): number {
	return Math.floor((ms * HOUSE_LITRES_PER_HOUR) / HOUR_MS);
}

function litresAt(ms: number): number {
	return 800_000 + usedLitres(ms);
}

function thousandths(value: number, whole: number): string {
	return (value / 1000).toFixed(3).padStart(whole + 4, "0");
}

function withCRC(lines: readonly string[]): Uint8Array {
	const text = Buffer.from(`${lines.join("\r\n")}\r\n!`);
	const crc = stepCRC16ARC(0, text, 0, text.length).toString(16).toUpperCase().padStart(4, "0");
	return Buffer.concat([text, Buffer.from(`${crc}\r\n`)]);
}
