/**
 * A simulated Kamstrup meter that uses KMP. It is independent of modules/kmp. It answers only three commands, and only
 * if the CRC is right.
 */
import { FORMAT_8N2 } from "../../modules/io/host.js";
import type { Machine, Output } from "../../modules/io/machine.js";
import type { HeatReading } from "./heat.js";
import { METER_BLOCK, METER_REFUSED } from "./iec-meter.js";
import { eventOf, lineChange, noOutput, transmission } from "./outputs.js";

export const KMP_BAUD = 1200;
const STUFFED = [0x06, 0x0d, 0x1b, 0x40, 0x80];
const REACTION_MS = 60;
const HEAT_METER = 0x3f;

type Register = readonly [unit: number, exponent: number, value: number];

export interface KMPMeterOptions {
	readonly source: (nowMs: number) => HeatReading;
	readonly serial?: number;
	readonly silence?: number;
	readonly wrongCheck?: number;
	readonly damage?: (answer: Uint8Array) => Uint8Array;
	readonly reactionMs?: number;
	/** True if the meter does not report its type. */
	readonly hasNoType?: boolean;
	/** True if it is a water meter, which has no energy, power and temperatures. */
	readonly isWater?: boolean;
}

export function kmpCRC(bytes: readonly number[]): number {
	let crc = 0;
	for (const byte of bytes) {
		for (let bit = 7; bit >= 0; bit--) {
			const isSet = ((crc >> 15) ^ (byte >> bit)) & 1;
			crc = ((crc << 1) & 0xffff) ^ (isSet ? 0x1021 : 0);
		}
	}
	return crc;
}

/** Makes a frame. `body` has address, command and data. `start` is 80 for a request and 40 for an answer. */
export function kmpFrame(start: number, body: readonly number[], spoil = 0): Uint8Array {
	const crc = kmpCRC(body) ^ spoil;
	const all = [...body, crc >> 8, crc & 0xff];
	return Uint8Array.from([
		start,
		...all.flatMap((byte) => (STUFFED.includes(byte) ? [0x1b, byte ^ 0xff] : [byte])),
		0x0d,
	]);
}

function registersOf(reading: HeatReading): ReadonlyMap<number, Register> {
	const at = new Date(reading.utcMs);
	const date = (at.getUTCFullYear() % 100) * 10_000 + (at.getUTCMonth() + 1) * 100 + at.getUTCDate();
	const time = at.getUTCHours() * 10_000 + at.getUTCMinutes() * 100 + at.getUTCSeconds();
	return new Map<number, Register>([
		// Energy in GJ with three decimal places.
		[60, [8, 0x43, Math.floor(reading.energyWh * 3.6e-3)]],
		[68, [40, 0x42, Math.floor(reading.volumeL / 10)]],
		[74, [41, 0x00, reading.flowLPH]],
		[80, [22, 0x41, Math.round(reading.powerW / 100)]],
		[86, [37, 0x42, reading.flowCC]],
		[87, [37, 0x42, reading.returnCC]],
		[89, [38, 0x42, reading.flowCC - reading.returnCC]],
		[99, [51, 0x00, 0]],
		[1002, [47, 0x00, time]],
		[1003, [48, 0x00, date]],
		[1004, [46, 0x00, reading.hours]],
	]);
}

export class KMPMeter implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #options: KMPMeterOptions;
	readonly #outputs: Output[] = [lineChange(KMP_BAUD, FORMAT_8N2)];
	#request: number[] | undefined;
	#answer: Uint8Array | undefined;
	#silence: number;
	#wrongCheck: number;
	answered = 0;

	constructor(options: KMPMeterOptions) {
		this.#options = options;
		this.#silence = options.silence ?? 0;
		this.#wrongCheck = options.wrongCheck ?? 0;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		for (const byte of bytes.subarray(start, end)) {
			if (byte === 0x80) this.#request = [];
			else if (byte === 0x0d) this.#take(nowMs);
			else this.#request?.push(byte);
		}
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (this.#answer === undefined) return;
		this.answered++;
		this.#outputs.push(eventOf(METER_BLOCK), transmission(this.#options.damage?.(this.#answer) ?? this.#answer));
		this.#answer = undefined;
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}

	#take(nowMs: number): void {
		const stuffed = this.#request ?? [];
		this.#request = undefined;
		const plain: number[] = [];
		for (let i = 0; i < stuffed.length; i++) plain.push(stuffed[i] === 0x1b ? stuffed[++i] ^ 0xff : stuffed[i]);
		const body =
			plain.length > 3 && kmpCRC(plain) === 0 && plain[0] === HEAT_METER ? this.#reply(plain.slice(1, -2), nowMs) : [];
		if (body.length === 0 || this.#silence > 0) {
			if (body.length > 0) this.#silence--;
			this.#outputs.push(eventOf(METER_REFUSED));
			return;
		}
		const spoil = this.#wrongCheck-- > 0 ? 0x0100 : 0;
		this.#answer = kmpFrame(0x40, [HEAT_METER, ...body], spoil);
		this.deadlineMs = nowMs + (this.#options.reactionMs ?? REACTION_MS);
	}

	#reply([command, ...data]: number[], nowMs: number): number[] {
		const { serial = 6_855_817, source, hasNoType = false } = this.#options;
		if (command === 2 && data.length === 0) return [2, ...bytesOf(serial, 4)];
		if (command === 1 && data.length === 0 && !hasNoType) return [1, 0x00, 0x04, 0x06, 0x01];
		if (command !== 0x10 || data[0] > 8 || data.length !== 1 + 2 * data[0]) return [];
		const registers = new Map(registersOf(source(nowMs)));
		if (this.#options.isWater) for (const heat of [60, 80, 86, 87, 89]) registers.delete(heat);
		const answer = [0x10];
		for (let i = 1; i < data.length; i += 2) {
			const id = data[i] * 256 + data[i + 1];
			const register = registers.get(id);
			if (register === undefined) continue;
			const [unit, exponent, value] = register;
			answer.push(...bytesOf(id, 2), unit, 4, exponent, ...bytesOf(value, 4));
		}
		return answer;
	}
}

function bytesOf(value: number, count: number): number[] {
	return Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) % 256);
}
