/**
 * Clients of the live values: which addresses are answered, and what each got. Only listed addresses have a row, so
 * strangers push nobody out; of strangers only the last one is known, so that the owner can add it.
 *
 * Limit: CLIENT_LIMIT rows, one for each address and dialect; a new one replaces that which asked longest ago.
 */
import { parseIPv4 } from "../bytes/ipv4.js";
import { CLIENT_LIMIT, CLIENT_SIZE } from "./fields.js";

/** Row: address as a number, index of the dialect, number of requests, their times, and the last answer. */
const ADDRESS = 0;
const DIALECT = 1;
const COUNT = 2;
const ASKED_MS = 3;
/** Mean time between two requests, ms; 0 before the second one. */
const EVERY_MS = 4;
const ANSWERED_MS = 5;
const POWER = 6;
const ROW = 7;

/** Weight of the last time between two requests in the mean. */
const WEIGHT = 0.25;

export interface AskedClient {
	readonly address: number;
	readonly dialect: number;
	readonly requests: number;
	readonly askedMs: number;
	readonly everyMs: number;
	/** Monotonic ms and power of the last answer; -Infinity and NaN before it. */
	readonly answeredMs: number;
	readonly power: number;
}

export class Clients {
	#listed: Uint8Array;
	readonly #rows = new Float64Array(CLIENT_LIMIT * ROW);
	#count = 0;
	/** Last request of an address that is not listed: address, dialect, monotonic ms; address -1 before it. */
	readonly stranger = new Float64Array(3).fill(-1);

	/** `listed` is a packed list (fields.ts). */
	constructor(listed: Uint8Array) {
		this.#listed = listed;
	}

	/** Replaces the list. Rows of addresses that are not listed any more are removed. */
	set listed(listed: Uint8Array) {
		this.#listed = listed;
		for (let i = this.#count - 1; i >= 0; i--) {
			const at = i * ROW;
			if (this.isListed(this.#rows[at + ADDRESS])) continue;
			this.#rows.copyWithin(at, at + ROW, this.#count * ROW);
			this.#count--;
		}
		if (this.isListed(this.stranger[0])) this.stranger.fill(-1);
	}

	/** Notes a request. Returns its row, or -1 if the address is not listed. */
	asked(remoteAddress: string, dialect: number, nowMs: number): number {
		const address = parseIPv4(remoteAddress);
		if (!this.isListed(address)) {
			this.stranger[0] = address;
			this.stranger[1] = dialect;
			this.stranger[2] = nowMs;
			return -1;
		}
		const rows = this.#rows;
		const at = this.rowOf(address, dialect) * ROW;
		if (rows[at + COUNT] > 0) {
			const sinceMs = nowMs - rows[at + ASKED_MS];
			const everyMs = rows[at + EVERY_MS];
			rows[at + EVERY_MS] = everyMs === 0 ? sinceMs : everyMs + WEIGHT * (sinceMs - everyMs);
		}
		rows[at + ASKED_MS] = nowMs;
		rows[at + COUNT]++;
		return at / ROW;
	}

	/** Returns true if the last answer of the row was at least `pauseMs` ago. */
	mayAnswer(row: number, pauseMs: number, nowMs: number): boolean {
		return nowMs - this.#rows[row * ROW + ANSWERED_MS] >= pauseMs;
	}

	answered(row: number, power: number, nowMs: number): void {
		this.#rows[row * ROW + ANSWERED_MS] = nowMs;
		this.#rows[row * ROW + POWER] = power;
	}

	/** Returns a snapshot of the rows. */
	all(): AskedClient[] {
		const clients: AskedClient[] = [];
		for (let at = 0; at < this.#count * ROW; at += ROW) {
			const [address, dialect, requests, askedMs, everyMs, answeredMs, power] = this.#rows.subarray(at, at + ROW);
			clients.push({ address, dialect, requests, askedMs, everyMs, answeredMs, power });
		}
		return clients;
	}

	private isListed(address: number): boolean {
		for (let i = 0; i < (this.#listed[0] ?? 0); i++) {
			if (addressAt(this.#listed, 1 + i * CLIENT_SIZE) === address) return true;
		}
		return false;
	}

	/** Returns the row of this client, which may be new. */
	private rowOf(address: number, dialect: number): number {
		const rows = this.#rows;
		let row = 0;
		let oldest = 0;
		for (; row < this.#count; row++) {
			if (rows[row * ROW + ADDRESS] === address && rows[row * ROW + DIALECT] === dialect) return row;
			if (rows[row * ROW + ASKED_MS] < rows[oldest * ROW + ASKED_MS]) oldest = row;
		}
		if (row === CLIENT_LIMIT) row = oldest;
		else this.#count++;
		const at = row * ROW;
		rows.fill(0, at, at + ROW);
		rows[at + ADDRESS] = address;
		rows[at + DIALECT] = dialect;
		rows[at + ANSWERED_MS] = Number.NEGATIVE_INFINITY;
		rows[at + POWER] = Number.NaN;
		return row;
	}
}

/** Returns the address at `bytes[at..at+4)` as a number. */
export function addressAt(bytes: Uint8Array, at: number): number {
	return ((bytes[at] * 256 + bytes[at + 1]) * 256 + bytes[at + 2]) * 256 + bytes[at + 3];
}

/** Returns an address as dotted decimal text. */
export function addressText(address: number): string {
	const [a, b, c, d] = [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256);
	return `${a}.${b}.${c}.${d}`;
}
