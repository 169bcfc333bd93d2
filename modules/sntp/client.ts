/**
 * SNTP client (RFC 4330; packet format and root distance as in RFC 5905, 7.3 and A.1.1). It checks each reply before it
 * sets the clock. service.ts resolves names and opens ports. The table shows a packet:
 *
 *   offset  bytes  content
 *   0       1      bits 7 6 leap (3: not synchronised), 5 4 3 version, 2 1 0 mode (3 client, 4 server)
 *   1       1      stratum: 1 to 15; 0: a kiss-o'-death, with its code in the reference field
 *   4       4      root delay, 16.16 seconds
 *   8       4      root dispersion, 16.16 seconds
 *   12      4      reference
 *   24      8      originate: copy of the request's transmit field
 *   32      8      receive: arrival time of the request, 32.32 seconds since 1900 or, with bit 63 clear, since 2036
 *   40      8      transmit: departure time of the reply; in a request a random number that an attacker cannot guess
 *
 * The states and events are:
 *
 *              start()   stop()  name found  name not found  reply            deadline or lost()
 *   OFF        FINDING   –       –           –               –                –
 *   FINDING    FINDING   OFF     ASKING      next            –                next
 *   ASKING     FINDING   OFF     –           –               RESTING or next  next
 *   RESTING    FINDING   OFF     –           –               –                FINDING
 *
 * "next" is FINDING with the next server of the round, or RESTING after the last one. If the setting has an address
 * instead of a name, ASKING follows immediately. Results that belong to an old `generation` are ignored.
 *
 * In a round, the servers are queried one after the other until a time is accepted. The conditions depend on the
 * difference between the time and the clock:
 *
 *   clock was never set     a second server agrees within 2 s, or no other server answers
 *   at most 1000 s          none
 *   more than 1000 s        a second server agrees, or a single server repeats the time three times, 10 minutes apart
 *
 * If the clock was never set or differs by more than 1000 s, a time from a single server must not be more than
 * LONE_LIMIT_MS after the build of this firmware.
 *
 * After an accepted time, the next round begins 6 hours (± 10 %) later. After a failed round, it begins after 15 s, 30
 * s, … up to 30 minutes. Limits: SERVER_LIMIT servers; 5 s to resolve a name, 5 s for a reply.
 */

import { uint32BE } from "../bytes/integers.js";
import { parseIPv4 } from "../bytes/ipv4.js";
import type { Crypto } from "../io/crypto.js";
import type { DatagramSource } from "../io/datagrams.js";
import type { Clock, HostInfo } from "../io/host.js";
import type { Timed } from "../io/machine.js";

export interface TimeSyncDeps {
	readonly clock: Pick<Clock, "utcMs" | "setUTC">;
	readonly crypto: Crypto;
	readonly info: Pick<HostInfo, "timeServers" | "builtUtcMs">;
	readonly buffer: Uint8Array;
	trace(message: string): void;
}

export const SYNC_OFF = 0;
export const SYNC_FINDING = 1;
export const SYNC_ASKING = 2;
export const SYNC_RESTING = 3;

export const TIME_WELL = 0;
/** The name does not exist, or no DNS server answered. */
export const TIME_NO_ADDRESS = 1;
export const TIME_NO_REPLY = 2;
/** The server is not synchronised, too far from a reference clock, or inconsistent. */
export const TIME_BAD_REPLY = 3;
/** The server sent a kiss-o'-death. */
export const TIME_NOT_WELCOME = 4;
/** The time is before the build or after LATEST_UTC_MS. */
export const TIME_OUT_OF_RANGE = 5;
/** No time fulfilled the conditions for acceptance. */
export const TIME_DOUBTED = 6;

export const SERVER_LIMIT = 4;
const NTP_PORT = 123;
const PACKET_LENGTH = 48;
/** First byte of a request: version 4, mode 3 (client). */
const QUESTION = 0x23;
const MODE_SERVER = 4;
const NOT_SYNCHRONISED = 3;
const LAST_STRATUM = 15;
const REFERENCE = 12;
const ORIGINATE = 24;
const RECEIVE = 32;
const TRANSMIT = 40;
const NONCE_LENGTH = 8;
const KISS_RATE = 0x52415445;
const KISS_DENY = 0x44454e59;
const KISS_RSTR = 0x52535452;
/** Seconds from 1900 to 1970, and length of an NTP era in seconds. */
const TO_UNIX_S = 2_208_988_800;
const ERA_S = 2 ** 32;
/** Largest root distance that is accepted: half the root delay plus the root dispersion. */
const DISTANCE_LIMIT_MS = 1500;
/** Tolerance for the resolution of the clocks, used when processing time and round trip are compared. */
const GRAIN_MS = 10;

/** Range of the API for the clock: 2024-01-01 to 2099-12-31. */
const EARLIEST_UTC_MS = 1_704_067_200_000;
const LATEST_UTC_MS = 4_102_444_799_000;
/**
 * Limit for a time from a single server, counted from the build, because no firmware runs for 20 years without an
 * update.
 */
const LONE_LIMIT_MS = 631_152_000_000;
const AGREE_MS = 2000;
const STEP_LIMIT_MS = 1_000_000;
/** Smallest difference for which the clock is set, ms. */
const WORTH_MS = 100;
const CLAIMS_NEEDED = 3;
const CLAIMS_APART_MS = 600_000;

const ANSWER_LIMIT_MS = 5000;
const RATE_MS = 3_600_000;
const RETRY_FIRST_MS = 15_000;
const RETRY_LONGEST_MS = 1_800_000;
const AGAIN_MS = 21_600_000;

class ServerRound {
	index = -1;
	name = "";
	port = 0;
	address = "";
	nonce: Uint8Array | undefined;
	sentMs = 0;
	/** Times that the servers of this round reported. Each is the Unix ms at which the monotonic clock was 0. */
	readonly claims: number[] = [];
	/** Address and port of the server for each claim. */
	readonly claimants: string[] = [];
}

/** Time that only one server reports, with the number of repetitions and the monotonic time of the last one. */
interface LoneClaim {
	readonly claim: number;
	readonly count: number;
	readonly atMs: number;
}

export class TimeSync implements Timed {
	readonly #deps: TimeSyncDeps;
	#round: ServerRound | undefined;
	#endMs = Infinity;
	#generation = 0;
	#retryMs = RETRY_FIRST_MS;
	/**
	 * For each server, the earliest time of the next request, monotonic ms; undefined before the first kiss-o'-death.
	 */
	#notBeforeMs: number[] | undefined;
	#lone: LoneClaim | undefined;
	#lastSuccessMs: number | undefined;
	#error = TIME_WELL;

	constructor(deps: TimeSyncDeps) {
		this.#deps = deps;
	}

	/** One of SYNC_OFF … SYNC_RESTING. */
	get state(): number {
		if (this.#round !== undefined) return this.#round.address === "" ? SYNC_FINDING : SYNC_ASKING;
		return this.#endMs === Infinity ? SYNC_OFF : SYNC_RESTING;
	}

	/** Number that changes each time a state is entered. */
	get generation(): number {
		return this.#generation;
	}

	get deadlineMs(): number {
		return this.#endMs;
	}

	get name(): string {
		return this.#round?.address === "" ? this.#round.name : "";
	}

	/** Address of the server that is queried; "" (and `port` 0) except in ASKING. */
	get address(): string {
		return this.#round?.address ?? "";
	}

	get port(): number {
		return this.address === "" ? 0 : (this.#round?.port ?? 0);
	}

	get lastSuccessMs(): number | undefined {
		return this.#lastSuccessMs;
	}

	get lastError(): number {
		return this.#error;
	}

	start(nowMs: number): void {
		this.stop();
		if (this.#deps.info.timeServers === "") return;
		this.#notBeforeMs = undefined;
		this.#retryMs = RETRY_FIRST_MS;
		this.#lone = undefined;
		this.queryNext(new ServerRound(), nowMs);
	}

	stop(): void {
		this.enter(undefined, Infinity);
	}

	advance(nowMs: number): void {
		if (nowMs < this.#endMs) return;
		const { state } = this;
		if (state === SYNC_RESTING) this.queryNext(new ServerRound(), nowMs);
		else this.failed(state === SYNC_FINDING ? TIME_NO_ADDRESS : TIME_NO_REPLY, nowMs);
	}

	/** Result of a name lookup. `address` is undefined if the name was not resolved. */
	found(generation: number, address: string | undefined, nowMs: number): void {
		if (generation === this.#generation && this.state === SYNC_FINDING) this.take(address, nowMs);
	}

	putQuestion(): number {
		const { buffer } = this.#deps;
		buffer.fill(0, 0, PACKET_LENGTH);
		buffer[0] = QUESTION;
		const nonce = this.#round?.nonce;
		if (nonce !== undefined) buffer.set(nonce, TRANSMIT);
		return PACKET_LENGTH;
	}

	lost(nowMs: number): void {
		if (this.state === SYNC_ASKING) this.failed(TIME_NO_REPLY, nowMs);
	}

	/** Processes a datagram. Only a reply to the present request changes the state. */
	received(length: number, source: DatagramSource, nowMs: number): void {
		const round = this.#round;
		if (round === undefined || !this.isReply(round, length, source)) return;
		const error = this.errorOf(round, nowMs);
		if (error === TIME_WELL) this.weigh(round, this.claim(round, nowMs), nowMs);
		else this.failed(error, nowMs);
	}

	private enter(round: ServerRound | undefined, endMs: number): void {
		this.#round = round;
		this.#endMs = endMs;
		this.#generation++;
	}

	private queryNext(round: ServerRound, nowMs: number): void {
		const servers = this.#deps.info.timeServers.split(",", SERVER_LIMIT);
		do round.index++;
		while (nowMs < (this.#notBeforeMs?.[round.index] ?? 0));
		if (round.index >= servers.length) {
			this.endRound(round, nowMs);
			return;
		}
		const [name, port] = servers[round.index].trim().split(":");
		round.name = name;
		round.port = port === undefined ? NTP_PORT : Number(port);
		round.address = "";
		this.enter(round, nowMs + ANSWER_LIMIT_MS);
		if (parseIPv4(name) >= 0) this.take(name, nowMs);
	}

	private take(address: string | undefined, nowMs: number): void {
		const round = this.#round;
		if (round === undefined) return;
		if (address === undefined) {
			this.failed(TIME_NO_ADDRESS, nowMs);
			return;
		}
		// A server with two names must not confirm its own time.
		if (round.claimants.includes(`${address}:${round.port}`)) {
			this.queryNext(round, nowMs);
			return;
		}
		round.address = address;
		round.nonce = this.#deps.crypto.random(NONCE_LENGTH);
		round.sentMs = nowMs;
		this.enter(round, nowMs + ANSWER_LIMIT_MS);
	}

	private failed(error: number, nowMs: number): void {
		this.#error = error;
		if (this.#round !== undefined) this.queryNext(this.#round, nowMs);
	}

	private isReply({ nonce, address, port }: ServerRound, length: number, source: DatagramSource): boolean {
		if (address === "" || nonce === undefined || length < PACKET_LENGTH) return false;
		if (source.remoteAddress !== address || source.remotePort !== port) return false;
		return nonce.every((byte, i) => byte === this.#deps.buffer[ORIGINATE + i]);
	}

	private errorOf(round: ServerRound, now: number): number {
		const { buffer, info } = this.#deps;
		const version = (buffer[0] >> 3) & 7;
		const stratum = buffer[1];
		if ((buffer[0] & 7) !== MODE_SERVER || version < 3 || version > 4) return TIME_BAD_REPLY;
		if (stratum === 0) return this.handleKiss(round, now);
		if (buffer[0] >> 6 === NOT_SYNCHRONISED || stratum > LAST_STRATUM) return TIME_BAD_REPLY;
		if (this.u32(TRANSMIT) === 0 && this.u32(TRANSMIT + 4) === 0) return TIME_BAD_REPLY;
		const distanceMs = (this.u32(4) / 2 + this.u32(8)) / 65.536;
		const servedMs = this.timeAt(TRANSMIT) - this.timeAt(RECEIVE);
		if (distanceMs > DISTANCE_LIMIT_MS) return TIME_BAD_REPLY;
		if (servedMs < 0 || servedMs > now - round.sentMs + GRAIN_MS) return TIME_BAD_REPLY;
		const utcMs = this.timeAt(TRANSMIT);
		const isPossible = utcMs >= Math.max(EARLIEST_UTC_MS, info.builtUtcMs) && utcMs <= LATEST_UTC_MS;
		return isPossible ? TIME_WELL : TIME_OUT_OF_RANGE;
	}

	/** Processes a kiss-o'-death (RFC 5905, 7.4). */
	private handleKiss({ index }: ServerRound, now: number): number {
		const code = this.u32(REFERENCE);
		this.#notBeforeMs ??= [];
		if (code === KISS_RATE) this.#notBeforeMs[index] = now + RATE_MS;
		if (code === KISS_DENY || code === KISS_RSTR) this.#notBeforeMs[index] = Infinity;
		return TIME_NOT_WELCOME;
	}

	/** Returns the time that a reply reports, assuming that request and reply took equally long (RFC 4330, 5). */
	private claim({ sentMs }: ServerRound, now: number): number {
		const leftMs = this.timeAt(TRANSMIT);
		const waysMs = now - sentMs - (leftMs - this.timeAt(RECEIVE));
		return leftMs + waysMs / 2 - now;
	}

	private weigh(round: ServerRound, claim: number, nowMs: number): void {
		const utcMs = this.#deps.clock.utcMs();
		const isNear = utcMs !== undefined && Math.abs(claim + nowMs - utcMs) <= STEP_LIMIT_MS;
		// The server's time is accepted: it is near the present clock, or another server confirms it.
		if (isNear || round.claims.some((other) => Math.abs(other - claim) <= AGREE_MS)) {
			this.accept(claim, nowMs);
			return;
		}
		round.claims.push(claim);
		round.claimants.push(`${round.address}:${round.port}`);
		this.queryNext(round, nowMs);
	}

	private endRound({ claims }: ServerRound, nowMs: number): void {
		if (claims.length === 1 && this.isBelievedAlone(claims[0], nowMs)) {
			this.accept(claims[0], nowMs);
			return;
		}
		if (claims.length > 1) this.#lone = undefined;
		this.enter(undefined, nowMs + this.#retryMs);
		this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
		if (claims.length === 0) return;
		this.#error = TIME_DOUBTED;
		this.#deps.trace(`time: ${claims.length} servers gave a time that is not believed`);
	}

	private isBelievedAlone(claim: number, nowMs: number): boolean {
		const { clock, info } = this.#deps;
		if (claim + nowMs > info.builtUtcMs + LONE_LIMIT_MS) return false;
		if (clock.utcMs() === undefined) return true;
		const before = this.#lone;
		const isSame = before !== undefined && Math.abs(claim - before.claim) <= AGREE_MS;
		if (isSame && nowMs - before.atMs < CLAIMS_APART_MS) return false;
		const count = isSame ? before.count + 1 : 1;
		this.#lone = { claim, count, atMs: nowMs };
		return count >= CLAIMS_NEEDED;
	}

	private accept(claim: number, nowMs: number): void {
		const { clock, crypto } = this.#deps;
		this.enter(undefined, nowMs + AGAIN_MS * (0.9 + (0.2 * crypto.random(1)[0]) / 255));
		this.#lastSuccessMs = nowMs;
		this.#error = TIME_WELL;
		this.#lone = undefined;
		this.#retryMs = RETRY_FIRST_MS;
		const utcMs = clock.utcMs();
		if (utcMs === undefined || Math.abs(claim + nowMs - utcMs) >= WORTH_MS) clock.setUTC(Math.round(claim + nowMs));
	}

	private u32(at: number): number {
		return uint32BE(this.#deps.buffer, at);
	}

	/** Returns a timestamp of the packet as Unix ms, from 1968 to 2104 (RFC 4330, 3). */
	private timeAt(at: number): number {
		const seconds = this.u32(at);
		const unix = (seconds < ERA_S / 2 ? seconds + ERA_S : seconds) - TO_UNIX_S;
		return (unix + this.u32(at + 4) / ERA_S) * 1000;
	}
}
