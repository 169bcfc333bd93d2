/**
 * Simulated slaves on an M-Bus, or a meter that uses M-Bus over its optical port (EN 13757-2 and -3). They are
 * independent of modules/mbus.
 */
import { FORMAT_8E1 } from "../../modules/io/host.js";
import type { Machine, Output } from "../../modules/io/machine.js";
import type { HeatReading } from "./heat.js";
import { METER_BLOCK, METER_SIGNED_ON } from "./iec-meter.js";
import { eventOf, lineChange, noOutput, transmission } from "./outputs.js";

export const MBUS_BAUD = 2400;
const ANY_ADDRESS = 254;
/** Address to which the selected slaves answer. */
const SELECTED = 253;
/** Beginning of the frame that selects slaves, until the secondary address; and length of this frame. */
const SELECTION = [0x68, 0x0b, 0x0b, 0x68, 0x53, SELECTED, 0x52];
const SELECTION_LENGTH = 17;
const CONTROL_AT = 4;
const COUNT_BIT = 0x20;
const REACTION_MS = 20;
const WAKE_UP_COUNT = 480;
const WAKE_UP_GAP_MS = 30;
/** Time after which the meter sleeps again. */
const AWAKE_MS = 5000;

export interface Slave {
	readonly address: number;
	/** Returns the telegrams in order. Each has the bytes from CI to the end of the data. */
	readonly telegrams: (nowMs: number) => readonly (readonly number[])[];
}

export interface MBusMeterOptions {
	readonly slaves: readonly Slave[];
	readonly baud?: number;
	readonly sleeps?: boolean;
	/** True if the meter ignores the frame count bit and always sends its present values. */
	readonly ignoresCountBit?: boolean;
	readonly silence?: number;
	readonly wrongCheck?: number;
	readonly damage?: (frame: Uint8Array) => Uint8Array;
	readonly reactionMs?: number;
	readonly echoes?: boolean;
}

/** Makes a long frame. `body` has the bytes from C to the end of the data. */
export function longFrame(body: readonly number[], spoil = 0): Uint8Array {
	const sum = body.reduce((before, byte) => before + byte, spoil) & 0xff;
	return Uint8Array.from([0x68, body.length, body.length, 0x68, ...body, sum, 0x16]);
}

export class MBusMeter implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #options: MBusMeterOptions;
	readonly #outputs: Output[];
	/** State of each slave: the last frame count bit, and the present telegram. */
	readonly #states = new Map<Slave, { countBit: number; index: number; telegrams: readonly (readonly number[])[] }>();
	readonly #selected = new Set<Slave>();
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
			this.#request = [...this.#request, byte].slice(-SELECTION_LENGTH);
			const [first, control, address, sum, last] = this.#request.slice(-5);
			if (isSelection(this.#request)) this.#select(this.#request.slice(SELECTION.length, -2), nowMs);
			else if (first === 0x10 && last === 0x16 && sum === ((control + address) & 0xff))
				this.#take(control, address, nowMs);
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

	#select(wanted: readonly number[], nowMs: number): void {
		this.#request = [];
		this.#selected.clear();
		for (const slave of this.#options.slaves)
			if (isWanted(slave.telegrams(nowMs)[0], wanted)) this.#selected.add(slave);
		this.#reset([...this.#selected], nowMs);
	}

	/** Acknowledges a reset or a selection. */
	#reset(slaves: readonly Slave[], nowMs: number): void {
		if (this.#isSilent(slaves, nowMs)) return;
		for (const slave of slaves) this.#states.delete(slave);
		this.#outputs.push(eventOf(METER_SIGNED_ON));
		this.#answer = Uint8Array.of(0xe5);
	}

	/** Returns true if none of these slaves answers. */
	#isSilent(slaves: readonly Slave[], nowMs: number): boolean {
		if (slaves.length === 0 || this.#silence-- > 0) return true;
		this.#awakeUntilMs = nowMs + AWAKE_MS;
		this.deadlineMs = nowMs + (this.#options.reactionMs ?? REACTION_MS);
		return false;
	}

	#take(control: number, address: number, nowMs: number): void {
		const { slaves, damage } = this.#options;
		const all = slaves.filter((slave) =>
			address === SELECTED ? this.#selected.has(slave) : slave.address === address || address === ANY_ADDRESS,
		);
		this.#request = [];
		if (control === 0x40) {
			if (address === SELECTED) this.#selected.clear();
			this.#reset(all, nowMs);
			return;
		}
		if (this.#isSilent(all, nowMs)) return;
		const frames = all.map((slave) => this.#telegram(slave, control, nowMs));
		this.sent++;
		this.#outputs.push(eventOf(METER_BLOCK));
		// Slaves that answer at the same time disturb each other. Here each answers a character later than the previous
		// one.
		const frame = frames.reduce((one, other, late) => one.map((byte, i) => byte & (other[i - late] ?? 0xff)));
		this.#answer = damage?.(frame) ?? frame;
	}

	#telegram(slave: Slave, control: number, nowMs: number): Uint8Array {
		const { ignoresCountBit = false } = this.#options;
		const countBit = control & COUNT_BIT;
		const before = this.#states.get(slave);
		const isNext = before === undefined || before.countBit !== countBit;
		const index = before === undefined ? 0 : isNext ? (before.index + 1) % before.telegrams.length : before.index;
		const isRenewed = ignoresCountBit || before === undefined || (isNext && index === 0);
		const telegrams = isRenewed ? slave.telegrams(nowMs) : before.telegrams;
		this.#states.set(slave, { countBit, index, telegrams });
		return longFrame([0x08, slave.address, ...telegrams[index]], this.#wrongCheck-- > 0 ? 1 : 0);
	}
}

function isSelection(bytes: readonly number[]): boolean {
	const sum = bytes.slice(4, -2).reduce((before, byte) => before + byte, 0) & 0xff;
	return (
		bytes.length === SELECTION_LENGTH &&
		SELECTION.every((byte, i) => (bytes[i] & (i === CONTROL_AT ? ~COUNT_BIT : 0xff)) === byte) &&
		bytes[SELECTION_LENGTH - 2] === sum &&
		bytes[SELECTION_LENGTH - 1] === 0x16
	);
}

/** Returns true if a slave with this header matches the secondary address `wanted` (EN 13757-3, 11.3). */
function isWanted([ci, ...header]: readonly number[], wanted: readonly number[]): boolean {
	const hexOf = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
	const digits = hexOf(header.slice(0, 4));
	const isIdent = [...hexOf(wanted.slice(0, 4))].every((digit, i) => digit === "f" || digit === digits[i]);
	const isRest = wanted.slice(4).every((byte, i) => byte === 0xff || byte === header[4 + i]);
	return ci === 0x72 && isIdent && isRest;
}

/** Makes the header that follows CI 72: identification in BCD, maker's letters, medium. */
export function longHeader(ident: number, maker: string, medium: number, status = 0): number[] {
	const letters = [...maker].reduce((before, letter) => before * 32 + letter.charCodeAt(0) - 0x40, 0);
	return [0x72, ...bcd(ident, 4), letters & 0xff, letters >> 8, 0x17, medium, 0x2a, status, 0, 0];
}

/**
 * Makes the telegrams of a heat meter (medium 4) or of a water meter (medium 7). With `isLong` they take two frames.
 */
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
