/**
 * Slaves on an M-Bus, or a meter that speaks M-Bus over its optical port (EN 13757-2 and -3), independent of
 * modules/mbus.
 */
import { FORMAT_8E1 } from "../../modules/io/host.js";
import type { Machine, Output } from "../../modules/io/machine.js";
import type { HeatReading } from "./heat.js";
import { METER_BLOCK, METER_SIGNED_ON } from "./iec-meter.js";
import { eventOf, lineChange, noOutput, transmission } from "./outputs.js";

export const MBUS_BAUD = 2400;
const ANY_ADDRESS = 254;
const REACTION_MS = 20;
const WAKE_UP_COUNT = 480;
const WAKE_UP_GAP_MS = 30;
/** The meter sleeps again after this time. */
const AWAKE_MS = 5000;

export interface Slave {
	readonly address: number;
	/** Telegrams from CI to the data, in order. */
	readonly telegrams: (nowMs: number) => readonly (readonly number[])[];
}

export interface MBusMeterOptions {
	readonly slaves: readonly Slave[];
	readonly baud?: number;
	readonly sleeps?: boolean;
	/** True if the meter ignores the frame count bit, and sends its present values each time. */
	readonly ignoresCountBit?: boolean;
	readonly silence?: number;
	readonly wrongCheck?: number;
	readonly damage?: (frame: Uint8Array) => Uint8Array;
	readonly reactionMs?: number;
	readonly echoes?: boolean;
}

/** Frames C, A and CI to the data. */
export function longFrame(body: readonly number[], spoil = 0): Uint8Array {
	const sum = body.reduce((before, byte) => before + byte, spoil) & 0xff;
	return Uint8Array.from([0x68, body.length, body.length, 0x68, ...body, sum, 0x16]);
}

export class MBusMeter implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #options: MBusMeterOptions;
	readonly #outputs: Output[];
	/** Last frame count bit and present telegram. */
	readonly #states = new Map<Slave, { countBit: number; index: number; telegrams: readonly (readonly number[])[] }>();
	#request: number[] = [];
	#answer: Uint8Array | undefined;
	#silence: number;
	#wrongCheck: number;
	#heard = 0;
	#heardMs = 0;
	#awakeUntilMs = 0;
	sent = 0;

	constructor(options: MBusMeterOptions) {
		this.#options = options;
		this.#outputs = [lineChange(options.baud ?? MBUS_BAUD, FORMAT_8E1)];
		this.#silence = options.silence ?? 0;
		this.#wrongCheck = options.wrongCheck ?? 0;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#options.echoes) this.#outputs.push(transmission(bytes.slice(start, end)));
		this.#heard = nowMs - this.#heardMs > WAKE_UP_GAP_MS ? end - start : this.#heard + end - start;
		this.#heardMs = nowMs;
		if (this.#heard >= WAKE_UP_COUNT) this.#awakeUntilMs = nowMs + AWAKE_MS;
		if (this.#options.sleeps && nowMs > this.#awakeUntilMs) return;
		for (const byte of bytes.subarray(start, end)) {
			this.#request = [...this.#request, byte].slice(-5);
			const [first, control, address, sum, last] = this.#request;
			if (first === 0x10 && last === 0x16 && sum === ((control + address) & 0xff)) this.#take(control, address, nowMs);
		}
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (this.#answer !== undefined) this.#outputs.push(transmission(this.#answer));
		this.#answer = undefined;
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}

	#take(control: number, address: number, nowMs: number): void {
		const { slaves, reactionMs = REACTION_MS, damage } = this.#options;
		const all = slaves.filter((slave) => slave.address === address || address === ANY_ADDRESS);
		this.#request = [];
		if (all.length === 0) return;
		if (this.#silence > 0) {
			this.#silence--;
			return;
		}
		this.#awakeUntilMs = nowMs + AWAKE_MS;
		this.deadlineMs = nowMs + reactionMs;
		if (control === 0x40) {
			for (const slave of all) this.#states.delete(slave);
			this.#outputs.push(eventOf(METER_SIGNED_ON));
			this.#answer = Uint8Array.of(0xe5);
			return;
		}
		const frames = all.map((slave) => this.#telegram(slave, control, nowMs));
		this.sent++;
		this.#outputs.push(eventOf(METER_BLOCK));
		// Slaves that answer at once disturb each other.
		const frame = frames.reduce((one, other) => one.map((byte, i) => byte & (other[i] ?? 0xff)));
		this.#answer = damage?.(frame) ?? frame;
	}

	#telegram(slave: Slave, control: number, nowMs: number): Uint8Array {
		const { ignoresCountBit = false } = this.#options;
		const countBit = control & 0x20;
		const before = this.#states.get(slave);
		const isNext = before === undefined || before.countBit !== countBit;
		const index = before === undefined ? 0 : isNext ? (before.index + 1) % before.telegrams.length : before.index;
		const isRenewed = ignoresCountBit || before === undefined || (isNext && index === 0);
		const telegrams = isRenewed ? slave.telegrams(nowMs) : before.telegrams;
		this.#states.set(slave, { countBit, index, telegrams });
		return longFrame([0x08, slave.address, ...telegrams[index]], this.#wrongCheck-- > 0 ? 1 : 0);
	}
}

/** Header of a telegram with CI 72: identification in BCD, maker's letters, medium. */
export function longHeader(ident: number, maker: string, medium: number, status = 0): number[] {
	const letters = [...maker].reduce((before, letter) => before * 32 + letter.charCodeAt(0) - 0x40, 0);
	return [0x72, ...bcd(ident, 4), letters & 0xff, letters >> 8, 0x17, medium, 0x2a, status, 0, 0];
}

/** Telegrams of a heat meter (medium 4), or of a water meter (medium 7); `isLong`: in two frames. */
export function slaveTelegrams(reading: HeatReading, ident: number, medium: number, isLong: boolean): number[][] {
	const { energyWh, lastYearWh, volumeL, flowLPH, powerW, flowCC, returnCC, hours } = reading;
	const header = longHeader(ident, "LUG", medium);
	const volume = [0x0c, 0x14, ...bcd(Math.floor(volumeL / 10), 4)];
	const flow = [0x0b, 0x3b, ...bcd(flowLPH, 3)];
	const clock = [0x04, 0x6d, ...timeF(reading.utcMs)];
	if (medium === 7) return [[...header, ...volume, ...flow, ...clock]];
	const year = new Date(reading.utcMs).getUTCFullYear();
	const first = [
		...[0x0c, 0x78, ...bcd(ident, 4)],
		...[0x04, 0x06, ...little(Math.floor(energyWh / 1000), 4)],
		...volume,
		...[0x02, 0x2d, ...little(Math.round(powerW / 100), 2)],
		...flow,
		...[0x02, 0x59, ...little(flowCC, 2)],
		...[0x02, 0x5d, ...little(returnCC, 2)],
		...[0x02, 0x61, ...little(flowCC - returnCC, 2)],
	];
	const second = [
		...clock,
		...[0x03, 0x26, ...little(hours, 3)],
		...[0x44, 0x06, ...little(Math.floor(lastYearWh / 1000), 4)],
		...[0x42, 0x6c, ...dateG(Date.UTC(year - 1, 11, 31))],
		...[0x12, 0x2d, ...little(93, 2)],
		...[0x02, 0xfd, 0x17, 0, 0],
	];
	if (!isLong) return [[...header, ...first, ...second]];
	return [
		[...header, ...first, 0x1f],
		[...header, ...second, 0x0f, 1, 2, 3],
	];
}

function little(value: number, count: number): number[] {
	return Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

function bcd(value: number, count: number): number[] {
	return little(Number.parseInt(String(value), 16), count);
}

function dateG(utcMs: number): number[] {
	const at = new Date(utcMs);
	const year = at.getUTCFullYear() % 100;
	return [at.getUTCDate() | ((year & 7) << 5), (at.getUTCMonth() + 1) | ((year & 0x78) << 1)];
}

function timeF(utcMs: number): number[] {
	const at = new Date(utcMs);
	return [at.getUTCMinutes(), at.getUTCHours(), ...dateG(utcMs)];
}
