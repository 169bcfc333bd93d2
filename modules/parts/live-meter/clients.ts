/**
 * Clients of the live values, and the part of the power that each gets. Addresses in the owner's list have table rows
 * of their own, so that other clients can't displace them. One more row remembers the last client that is not listed,
 * so that the owner can add it.
 *
 * Limit: CLIENT_LIMIT rows, one for each address and dialect. A new client replaces the least recently used row.
 */
import { uint32BE } from "../../bytes/integers.js";
import { parseIPv4 } from "../../bytes/ipv4.js";
import type { ConfigStore } from "../../config/store.js";
import { type Moment, partOf } from "../../live-meter/share.js";
import { ADDRESS_SIZE, CLIENT_LIMIT, CLIENT_SIZE, LIVE_CLIENTS, WHOLE } from "./fields.js";

/**
 * Columns of a row: address; index of the dialect; number of requests; time of the last request; mean time between
 * requests; time and power of the last reply; for a client with a share, the last part above 0 and its time; the time
 * until which the client has used up its datagrams.
 */
const ADDRESS = 0;
const DIALECT = 1;
const COUNT = 2;
const REQUESTED_MS = 3;
/** Mean interval between requests, ms; 0 before the second request. */
const EVERY_MS = 4;
const ANSWERED_MS = 5;
const POWER = 6;
const PART = 7;
const PART_MS = 8;
const SENT_TO_MS = 9;
const ROW = 10;
const UNLISTED = CLIENT_LIMIT * ROW;
const NO_ADDRESS = -1;

/** Requests for the same values within this time get the same part, because a client may read values one by one. */
const TOGETHER_MS = 100;
const WEIGHT = 0.25;
/**
 * Each datagram to a client uses up this time, and at most DATAGRAMS_MS may be used up in advance: 20 in a second. The
 * sender's address of a datagram can be forged, and a reply is up to 31 times longer than its request.
 */
const DATAGRAM_MS = 50;
const DATAGRAMS_MS = 1000;

export interface RecordedClient {
	readonly address: number;
	readonly dialect: number;
	readonly requests: number;
	readonly requestedMs: number;
	readonly everyMs: number;
	/** Time (monotonic ms) and power of the last reply; -Infinity and NaN before the first one. */
	readonly answeredMs: number;
	readonly power: number;
	/** Share of the power, per cent; 0 if the client gets all of the power. */
	readonly share: number;
}

export class Clients {
	readonly #config: ConfigStore;
	/** Rows of the listed clients, then a row for the last client that is not listed. */
	readonly #rows = new Float64Array((CLIENT_LIMIT + 1) * ROW);
	#count = 0;

	constructor(config: ConfigStore) {
		this.#config = config;
		this.#rows[UNLISTED + ADDRESS] = NO_ADDRESS;
	}

	listChanged(): void {
		const rows = this.#rows;
		for (let i = this.#count - 1; i >= 0; i--) {
			const at = i * ROW;
			if (this.shareOf(rows[at + ADDRESS]) >= 0) continue;
			rows.copyWithin(at, at + ROW, this.#count * ROW);
			this.#count--;
		}
		if (this.shareOf(rows[UNLISTED + ADDRESS]) >= 0) rows[UNLISTED + ADDRESS] = NO_ADDRESS;
	}

	/** Returns true if the address is listed. Otherwise remembers it and returns false. */
	admits(remoteAddress: string, dialect: number, nowMs: number): boolean {
		const rows = this.#rows;
		const address = parseIPv4(remoteAddress);
		if (this.shareOf(address) >= 0) return true;
		rows[UNLISTED + ADDRESS] = address;
		rows[UNLISTED + DIALECT] = dialect;
		rows[UNLISTED + REQUESTED_MS] = nowMs;
		return false;
	}

	/** Records a request. Returns the client's row, or -1 if the address is not listed. */
	recordRequest(remoteAddress: string, dialect: number, nowMs: number): number {
		if (!this.admits(remoteAddress, dialect, nowMs)) return -1;
		const rows = this.#rows;
		const address = parseIPv4(remoteAddress);
		const at = this.rowOf(address, dialect) * ROW;
		if (rows[at + COUNT] > 0) {
			const sinceMs = nowMs - rows[at + REQUESTED_MS];
			const everyMs = rows[at + EVERY_MS];
			rows[at + EVERY_MS] = everyMs === 0 ? sinceMs : everyMs + WEIGHT * (sinceMs - everyMs);
		}
		rows[at + REQUESTED_MS] = nowMs;
		rows[at + COUNT]++;
		return at / ROW;
	}

	/** Returns the row of a client that receives values without requests, or -1 if the address is not listed. */
	rowOfListed(remoteAddress: string, dialect: number): number {
		const address = parseIPv4(remoteAddress);
		return this.shareOf(address) < 0 ? -1 : this.rowOf(address, dialect);
	}

	/** Records a datagram to a client. Returns false if it has got too many. True for an address that is not listed. */
	mayReceive(remoteAddress: string, dialect: number, nowMs: number): boolean {
		const row = this.rowOfListed(remoteAddress, dialect);
		if (row < 0) return true;
		const at = row * ROW + SENT_TO_MS;
		const toMs = Math.max(this.#rows[at], nowMs) + DATAGRAM_MS;
		if (toMs > nowMs + DATAGRAMS_MS) return false;
		this.#rows[at] = toMs;
		return true;
	}

	mayAnswer(row: number, pauseMs: number, nowMs: number): boolean {
		return nowMs - this.#rows[row * ROW + ANSWERED_MS] >= pauseMs;
	}

	/**
	 * Returns the part of the power that the client in this row gets now: 0 to 1; always 1 for a client without a share.
	 */
	takePart(row: number, power: number, { ageMs, everyMs }: Pick<Moment, "ageMs" | "everyMs">, nowMs: number): number {
		const rows = this.#rows;
		const at = row * ROW;
		const share = this.shareOf(rows[at + ADDRESS]) / WHOLE;
		const sinceMs = nowMs - rows[at + PART_MS];
		if (share <= 0) return 1;
		if (sinceMs < TOGETHER_MS && sinceMs <= ageMs) return rows[at + PART];
		const part = partOf(share, power, { ageMs, everyMs, sinceMs });
		if (part > 0) {
			rows[at + PART] = part;
			rows[at + PART_MS] = nowMs;
		}
		return part;
	}

	answered(row: number, power: number, nowMs: number): void {
		this.#rows[row * ROW + ANSWERED_MS] = nowMs;
		this.#rows[row * ROW + POWER] = power;
	}

	all(): RecordedClient[] {
		const clients: RecordedClient[] = [];
		for (let at = 0; at < this.#count * ROW; at += ROW) clients.push(this.clientAt(at));
		return clients;
	}

	get lastUnlisted(): RecordedClient | undefined {
		return this.#rows[UNLISTED + ADDRESS] === NO_ADDRESS ? undefined : this.clientAt(UNLISTED);
	}

	private clientAt(at: number): RecordedClient {
		const [address, dialect, requests, requestedMs, everyMs, answeredMs, power] = this.#rows.subarray(at, at + ROW);
		const share = this.shareOf(address);
		return { address, dialect, requests, requestedMs, everyMs, answeredMs, power, share };
	}

	/** Returns the share of an address, per cent: 0 if it gets all of the power, -1 if it is not listed. */
	private shareOf(address: number): number {
		const listed = this.#config.get(LIVE_CLIENTS);
		for (let at = 1; at + CLIENT_SIZE <= listed.length; at += CLIENT_SIZE) {
			if (uint32BE(listed, at) === address) return shareAt(listed, at);
		}
		return -1;
	}

	private rowOf(address: number, dialect: number): number {
		const rows = this.#rows;
		let row = 0;
		let oldest = 0;
		for (; row < this.#count; row++) {
			if (rows[row * ROW + ADDRESS] === address && rows[row * ROW + DIALECT] === dialect) return row;
			if (rows[row * ROW + REQUESTED_MS] < rows[oldest * ROW + REQUESTED_MS]) oldest = row;
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

/**
 * Returns the share of the client whose address is at `at`, 0 to WHOLE. In a damaged record the number may be larger.
 */
export function shareAt(bytes: Uint8Array, at: number): number {
	return Math.min(bytes[at + ADDRESS_SIZE], WHOLE);
}

export function addressText(address: number): string {
	const [a, b, c, d] = [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256);
	return `${a}.${b}.${c}.${d}`;
}
