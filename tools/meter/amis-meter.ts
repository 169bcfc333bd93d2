/**
 * A Siemens AMIS TD-3511 on its infrared port, for the simulator (Netz OÖ, "Spezifikation Kundenschnittstelle AMIS",
 * 2021-11-05). It is independent of modules/amis, because tests compare both.
 *
 *     CALLING   sends SND_NKE every callMs     after E5 in time: SENDING
 *     SENDING   sends SND_UD every pushMs      without E5 in time: CALLING
 */
import { createCipheriv } from "node:crypto";
import { FORMAT_8E1 } from "../../modules/io/host.js";
import type { Machine, Output } from "../../modules/io/machine.js";
import type { HouseholdReading } from "./household.js";
import { METER_PUSH, METER_SIGNED_ON } from "./iec-meter.js";
import { longFrame } from "./mbus-meter.js";
import { eventOf, lineChange, noOutput, transmission } from "./outputs.js";

export const AMIS_BAUD = 9600;
export const AMIS_KEY = Buffer.from("00112233445566778899aabbccddeeff", "hex");
const CALL_MS = 60_000;
const PUSH_MS = 1000;
/** Longest wait for the answer E5, and duration of a frame, ms. */
const ACKNOWLEDGED_MS = 500;
const FRAME_MS = 120;
const ACK = 0xe5;
const ADDRESS = 0xf0;
const CALL = Uint8Array.of(0x10, 0x40, ADDRESS, 0x30, 0x16);
const SND_UD = 0x53;
const COUNT_BIT = 0x20;
/** Header of a telegram: identification 48151623, maker SAM, version, medium. */
const IDENT = [0x23, 0x16, 0x15, 0x48];
const MAKER = [0x2d, 0x4c];
const KIND = [0x01, 0x0e];
const CONFIGURATION = [0x50, 0x05];
const FILLER = [0x2f, 0x2f];
const REACTIVE_EXPORT = 0.2;
const REACTIVE_POWER = 0.12;

/** Values in W, var, Wh and varh. */
export interface AMISValues {
	/** Time of the values; the telegram states it as local time in Austria. */
	readonly utcMs: number;
	readonly energyImport: number;
	readonly energyExport: number;
	readonly reactiveImport: number;
	readonly reactiveExport: number;
	readonly powerImport: number;
	readonly powerExport: number;
	readonly reactivePowerImport: number;
	readonly reactivePowerExport: number;
	readonly balance: number;
}

export function amisValues(reading: HouseholdReading): AMISValues {
	const { utcMs, dayImport, nightImport, reactive, power } = reading;
	const energyImport = (dayImport + nightImport) * 1000;
	const energyExport = reading.export * 1000;
	return {
		utcMs,
		energyImport,
		energyExport,
		reactiveImport: reactive * 1000,
		reactiveExport: reactive * 1000 * REACTIVE_EXPORT,
		powerImport: Math.max(power, 0),
		powerExport: Math.max(-power, 0),
		reactivePowerImport: Math.max(power, 0) * REACTIVE_POWER,
		reactivePowerExport: Math.max(-power, 0) * REACTIVE_POWER,
		balance: energyImport - energyExport,
	};
}

const VIENNA = new Intl.DateTimeFormat("en", { timeZone: "Europe/Vienna", timeZoneName: "longOffset" });

function viennaMinutes(utcMs: number): number {
	const offset = VIENNA.formatToParts(utcMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
	return Number(offset.slice(4, 6)) * 60;
}

/** Encodes a time as type I (EN 13757-3, annex A), which has seconds. */
function timeI(utcMs: number): number[] {
	const offset = viennaMinutes(utcMs);
	const at = new Date(utcMs + offset * 60_000);
	const year = at.getUTCFullYear();
	const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
	const week = Math.ceil((at.getTime() - Date.UTC(year, 0, 1) + 1) / (7 * 86_400_000));
	return [
		at.getUTCSeconds() | (offset > 60 ? 0x40 : 0) | (isLeap ? 0x80 : 0),
		at.getUTCMinutes(),
		at.getUTCHours() | ((at.getUTCDay() || 7) << 5),
		at.getUTCDate() | ((year & 7) << 5),
		(at.getUTCMonth() + 1) | (((year % 100) & 0x78) << 1),
		week,
	];
}

function number(value: number): number[] {
	const bytes = Buffer.alloc(4);
	bytes.writeInt32LE(Math.round(value));
	return [...bytes];
}

export function amisTelegram(values: AMISValues, key: Uint8Array, access: number, countBit: number): number[] {
	const records = Buffer.from([
		...FILLER,
		...[0x06, 0x6d, ...timeI(values.utcMs)],
		...[0x04, 0x03, ...number(values.energyImport)],
		...[0x04, 0x83, 0x3c, ...number(values.energyExport)],
		...[0x84, 0x10, 0xfb, 0x82, 0x73, ...number(values.reactiveImport)],
		...[0x84, 0x10, 0xfb, 0x82, 0xf3, 0x3c, ...number(values.reactiveExport)],
		...[0x04, 0x2b, ...number(values.powerImport)],
		...[0x04, 0xab, 0x3c, ...number(values.powerExport)],
		...[0x04, 0xfb, 0x14, ...number(values.reactivePowerImport)],
		...[0x04, 0xfb, 0x94, 0x3c, ...number(values.reactivePowerExport)],
		...[0x04, 0x83, 0xff, 0x04, ...number(values.balance)],
		...FILLER,
	]);
	const iv = Buffer.from([...MAKER, ...IDENT, ...KIND, ...Array(8).fill(access)]);
	const cipher = createCipheriv("aes-128-cbc", key, iv).setAutoPadding(false);
	const data = Buffer.concat([cipher.update(records), cipher.final()]);
	return [SND_UD | countBit, ADDRESS, 0x5b, ...IDENT, ...MAKER, ...KIND, access, 0, ...CONFIGURATION, ...data];
}

export interface AMISMeterOptions {
	readonly source: (nowMs: number) => AMISValues;
	readonly key?: Uint8Array;
	/** Frame that is sent instead of a frame with values. */
	readonly frame?: Uint8Array;
	/** Interval of calls. Default: a minute. */
	readonly callMs?: number;
	/** Interval of telegrams. Default: a second. */
	readonly pushMs?: number;
	/** Time of the first call. Default: `callMs`. */
	readonly firstMs?: number;
	/** Number of telegrams that are repeated once, as if their E5 had been lost. */
	readonly deaf?: number;
	readonly damage?: (frame: Uint8Array) => Uint8Array;
}

export class AMISMeter implements Machine {
	deadlineMs: number;
	calls = 0;
	sent = 0;
	readonly #options: AMISMeterOptions;
	readonly #outputs: Output[] = [lineChange(AMIS_BAUD, FORMAT_8E1)];
	#access = 0x0d;
	#countBit = COUNT_BIT;
	#answerEndsMs = 0;
	#nextMs: number;
	#isSending = false;
	#frame: Uint8Array = new Uint8Array(0);
	#deaf: number;

	constructor(options: AMISMeterOptions) {
		const { callMs = CALL_MS, firstMs = callMs, deaf = 0 } = options;
		this.#options = options;
		this.#deaf = deaf;
		this.deadlineMs = this.#nextMs = firstMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#answerEndsMs === 0 || nowMs > this.#answerEndsMs) return;
		if (!bytes.subarray(start, end).includes(ACK)) return;
		if (this.#isSending && this.#deaf > 0) {
			this.#deaf--;
			this.#answerEndsMs = 0;
			this.#send(this.#frame, nowMs);
			return;
		}
		this.#answerEndsMs = 0;
		if (this.#isSending) this.#countBit ^= COUNT_BIT;
		else {
			this.#isSending = true;
			this.#nextMs = nowMs + (this.#options.pushMs ?? PUSH_MS);
		}
		this.deadlineMs = this.#nextMs;
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const { callMs = CALL_MS, pushMs = PUSH_MS } = this.#options;
		if (this.#answerEndsMs > 0) {
			this.#answerEndsMs = 0;
			if (this.#isSending) this.#nextMs = nowMs + callMs;
			this.#isSending = false;
			this.#countBit = COUNT_BIT;
			this.deadlineMs = this.#nextMs;
			return;
		}
		this.#nextMs = nowMs + (this.#isSending ? pushMs : callMs);
		if (this.#isSending) {
			this.sent++;
			this.#frame = this.#newFrame(nowMs);
			this.#outputs.push(eventOf(METER_PUSH));
		} else {
			this.calls++;
			this.#outputs.push(eventOf(METER_SIGNED_ON));
		}
		this.#send(this.#isSending ? this.#frame : CALL, nowMs);
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}

	#newFrame(nowMs: number): Uint8Array {
		const { source, key = AMIS_KEY, frame } = this.#options;
		this.#access = (this.#access + 1) & 0xff;
		return frame ?? longFrame(amisTelegram(source(nowMs), key, this.#access, this.#countBit));
	}

	#send(frame: Uint8Array, nowMs: number): void {
		this.#outputs.push(transmission(this.#options.damage?.(frame) ?? frame));
		this.deadlineMs = this.#answerEndsMs = nowMs + FRAME_MS + ACKNOWLEDGED_MS;
	}
}
