/**
 * The time from the network: a client of SNTP (RFC 4330; packet and distance of RFC 5905, 7.3 and A.1.1) that distrusts
 * what it hears. It looks up no name and opens no port: service.ts does that, for wifi/services.ts.
 *
 *   offset  bytes  what
 *   0       1      bits 7 6 leap (3: not synchronised), 5 4 3 version, 2 1 0 mode (3 client, 4 server)
 *   1       1      stratum: 1 to 15, 0: a kiss-o'-death, its code where the reference is
 *   4       4      root delay, 16.16 seconds
 *   8       4      root dispersion, 16.16 seconds
 *   12      4      reference
 *   24      8      originate: what the question had as transmit
 *   32      8      receive: when the question came, 32.32 seconds since 1900 or, with bit 63 off, since 2036
 *   40      8      transmit: when the reply left; in our question a random number, which nobody else can know
 *
 *              start     stop   found         not found   a reply             due, lost
 *   OFF        FINDING   –      –             –           –                   –
 *   FINDING    FINDING   OFF    ASKING        the next    –                   the next
 *   ASKING     FINDING   OFF    –             –           RESTING, the next   the next
 *   RESTING    FINDING   OFF    –             –           –                   FINDING
 *
 * The next: FINDING of the next server of the round, RESTING after the last one. A server that is named by its address
 * is ASKING at once. What comes for another turn than this one is late, and nothing.
 *
 * A round asks one server after the other, until one is believed:
 *
 *   the clock was never set    when a second one agrees within 2 s, or no other answers
 *   it differs by up to 1000 s   at once
 *   by more                    when a second one agrees, or alone three times, 10 minutes apart
 *
 * One alone is not believed that it is more than LONE_LIMIT_MS after the build of this firmware.
 * No one believed: again in 15 s, 30 s … 30 minutes. Else in 6 hours, more or less 10 %.
 * Limits: SERVER_LIMIT servers; 5 s to find one, 5 s for its reply. Memory: beside the shared buffer, what is known of a
 * round while there is one.
 */

import { parseIPv4 } from "../bytes/ipv4.js";
import type { Crypto } from "../io/crypto.js";
import type { DatagramSource } from "../io/datagrams.js";
import type { Clock, HostInfo } from "../io/host.js";
import type { Timed } from "../io/machine.js";

export interface TimeSyncWorld {
	/** What is set: the client's work, not what it takes its time from. */
	readonly clock: Pick<Clock, "utcMs" | "setUTC">;
	readonly crypto: Crypto;
	/** It can't be earlier than when this was built. */
	readonly info: Pick<HostInfo, "timeServers" | "builtUtcMs">;
	/** A datagram, when `received` is called. */
	readonly buffer: Uint8Array;
	trace(message: string): void;
}

/** States. */
export const SYNC_OFF = 0;
/** The address of a server is looked for. */
export const SYNC_FINDING = 1;
/** A server is asked. */
export const SYNC_ASKING = 2;
/** Until the next round. */
export const SYNC_RESTING = 3;

/** How it went last. */
export const TIME_WELL = 0;
/** There is no such name, or nobody knows. */
export const TIME_NO_ADDRESS = 1;
export const TIME_NO_REPLY = 2;
/** The server's own clock is not set, it is too far from one, or it makes no sense. */
export const TIME_BAD_REPLY = 3;
/** The server doesn't want to be asked. */
export const TIME_NOT_WELCOME = 4;
/** It is before this firmware was built, or later than any reading can be. */
export const TIME_OUT_OF_RANGE = 5;
/** It was not believed. */
export const TIME_DOUBTED = 6;

export const SERVER_LIMIT = 4;
const NTP_PORT = 123;
const PACKET_LENGTH = 48;
/** Version 4, mode 3. */
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
/** Seconds from 1900 to 1970, and of an era. */
const TO_UNIX_S = 2_208_988_800;
const ERA_S = 2 ** 32;
/** How far the server may be from a clock, with all that lies between. */
const DISTANCE_LIMIT_MS = 1500;
/** What the server says that it took may be longer than all together by the grain of two clocks. */
const GRAIN_MS = 10;

/** Decision 39. */
const EARLIEST_UTC_MS = 1_704_067_200_000;
const LATEST_UTC_MS = 4_102_444_799_000;
/** 20 years: as long as nobody leaves a firmware in use without an update. */
const LONE_LIMIT_MS = 631_152_000_000;
const AGREE_MS = 2000;
const STEP_LIMIT_MS = 1_000_000;
/** Less is no reason to let the clock jump. */
const WORTH_MS = 100;
const CLAIMS_NEEDED = 3;
const CLAIMS_APART_MS = 600_000;

const ANSWER_LIMIT_MS = 5000;
const RATE_MS = 3_600_000;
const RETRY_FIRST_MS = 15_000;
const RETRY_LONGEST_MS = 1_800_000;
const AGAIN_MS = 21_600_000;

/** One server after the other is asked, until one is believed. */
class ServerRound {
	/** The server that is asked. */
	index = -1;
	/** Name or address, as it is configured. */
	name = "";
	port = 0;
	/** "": it is looked for. */
	address = "";
	nonce: Uint8Array | undefined;
	sentMs = 0;
	/** What servers have said: Unix time in milliseconds when the monotonic clock was 0. */
	readonly claims: number[] = [];
	/** Address and port of the server that has said so. */
	readonly heard: string[] = [];
}

/** What one alone has said, how often, and when last. */
interface LoneClaim {
	readonly claim: number;
	readonly count: number;
	readonly atMs: number;
}

export class TimeSync implements Timed {
	readonly #world: TimeSyncWorld;
	/** While FINDING or ASKING. */
	#round: ServerRound | undefined;
	/** The end of the state; Infinity when OFF. */
	#endMs = Infinity;
	#turn = 0;
	#retryMs = RETRY_FIRST_MS;
	/** When each server may be asked again, monotonic; only of those that said so. */
	#notBeforeMs: number[] | undefined;
	#lone: LoneClaim | undefined;
	#lastSuccessMs: number | undefined;
	#error = TIME_WELL;

	constructor(world: TimeSyncWorld) {
		this.#world = world;
	}

	/** SYNC_OFF … SYNC_RESTING; it follows from what is known, so that both always agree. */
	get state(): number {
		if (this.#round !== undefined) return this.#round.address === "" ? SYNC_FINDING : SYNC_ASKING;
		return this.#endMs === Infinity ? SYNC_OFF : SYNC_RESTING;
	}

	/** Another number each time that a state is entered. */
	get turn(): number {
		return this.#turn;
	}

	get deadlineMs(): number {
		return this.#endMs;
	}

	/** While FINDING: whose address is looked for; else "". */
	get name(): string {
		return this.#round?.address === "" ? this.#round.name : "";
	}

	/** While ASKING: who is asked; else "" and 0. */
	get address(): string {
		return this.#round?.address ?? "";
	}

	get port(): number {
		return this.address === "" ? 0 : (this.#round?.port ?? 0);
	}

	/** Monotonic. */
	get lastSuccessMs(): number | undefined {
		return this.#lastSuccessMs;
	}

	/** TIME_WELL … TIME_DOUBTED. */
	get lastError(): number {
		return this.#error;
	}

	/** The network is up. */
	start(nowMs: number): void {
		this.stop();
		if (this.#world.info.timeServers === "") return;
		this.#notBeforeMs = undefined;
		this.#retryMs = RETRY_FIRST_MS;
		this.#lone = undefined;
		this.askNext(new ServerRound(), nowMs);
	}

	stop(): void {
		this.enter(undefined, Infinity);
	}

	advance(nowMs: number): void {
		if (nowMs < this.#endMs) return;
		const { state } = this;
		if (state === SYNC_RESTING) this.askNext(new ServerRound(), nowMs);
		else this.failed(state === SYNC_FINDING ? TIME_NO_ADDRESS : TIME_NO_REPLY, nowMs);
	}

	/** What the look-up of this turn has given; undefined: there is no such name, or nobody knows. */
	found(turn: number, address: string | undefined, nowMs: number): void {
		if (turn === this.#turn && this.state === SYNC_FINDING) this.take(address, nowMs);
	}

	/** While ASKING: writes the question into the buffer; its length. */
	putQuestion(): number {
		const { buffer } = this.#world;
		buffer.fill(0, 0, PACKET_LENGTH);
		buffer[0] = QUESTION;
		const nonce = this.#round?.nonce;
		if (nonce !== undefined) buffer.set(nonce, TRANSMIT);
		return PACKET_LENGTH;
	}

	/** The port that it asks from has gone. */
	lost(nowMs: number): void {
		if (this.state === SYNC_ASKING) this.failed(TIME_NO_REPLY, nowMs);
	}

	/** A datagram, in `buffer[0..length)`. Another turn begins unless it is somebody else's. */
	received(length: number, source: DatagramSource, nowMs: number): void {
		const round = this.#round;
		if (round === undefined || !this.isReply(round, length, source)) return;
		const error = this.errorOf(round, nowMs);
		if (error === TIME_WELL) this.weigh(round, this.claim(round, nowMs), nowMs);
		else this.failed(error, nowMs);
	}

	/** The only way from one state to another. */
	private enter(round: ServerRound | undefined, endMs: number): void {
		this.#round = round;
		this.#endMs = endMs;
		this.#turn++;
	}

	private askNext(round: ServerRound, nowMs: number): void {
		const servers = this.#world.info.timeServers.split(",", SERVER_LIMIT);
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
		// One server under two names is no second opinion.
		if (round.heard.includes(`${address}:${round.port}`)) {
			this.askNext(round, nowMs);
			return;
		}
		round.address = address;
		round.nonce = this.#world.crypto.random(NONCE_LENGTH);
		round.sentMs = nowMs;
		this.enter(round, nowMs + ANSWER_LIMIT_MS);
	}

	private failed(error: number, nowMs: number): void {
		this.#error = error;
		if (this.#round !== undefined) this.askNext(this.#round, nowMs);
	}

	/** It is from whom we have asked, who has read what we have sent. */
	private isReply({ nonce, address, port }: ServerRound, length: number, source: DatagramSource): boolean {
		if (address === "" || nonce === undefined || length < PACKET_LENGTH) return false;
		if (source.remoteAddress !== address || source.remotePort !== port) return false;
		return nonce.every((byte, i) => byte === this.#world.buffer[ORIGINATE + i]);
	}

	/** TIME_… */
	private errorOf(round: ServerRound, now: number): number {
		const { buffer, info } = this.#world;
		const version = (buffer[0] >> 3) & 7;
		const stratum = buffer[1];
		if ((buffer[0] & 7) !== MODE_SERVER || version < 3 || version > 4) return TIME_BAD_REPLY;
		if (stratum === 0) return this.kissed(round, now);
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

	/** A server that wants to be left alone is (RFC 5905, 7.4). */
	private kissed({ index }: ServerRound, now: number): number {
		const code = this.u32(REFERENCE);
		this.#notBeforeMs ??= [];
		if (code === KISS_RATE) this.#notBeforeMs[index] = now + RATE_MS;
		if (code === KISS_DENY || code === KISS_RSTR) this.#notBeforeMs[index] = Infinity;
		return TIME_NOT_WELCOME;
	}

	/** Both ways are taken for equally long (RFC 4330, 5). */
	private claim({ sentMs }: ServerRound, now: number): number {
		const leftMs = this.timeAt(TRANSMIT);
		const waysMs = now - sentMs - (leftMs - this.timeAt(RECEIVE));
		return leftMs + waysMs / 2 - now;
	}

	private weigh(round: ServerRound, claim: number, nowMs: number): void {
		const utcMs = this.#world.clock.utcMs();
		const isNear = utcMs !== undefined && Math.abs(claim + nowMs - utcMs) <= STEP_LIMIT_MS;
		// Or another has said the same in this round.
		if (isNear || round.claims.some((other) => Math.abs(other - claim) <= AGREE_MS)) {
			this.believe(claim, nowMs);
			return;
		}
		round.claims.push(claim);
		round.heard.push(`${round.address}:${round.port}`);
		this.askNext(round, nowMs);
	}

	/** Nobody was believed at once. */
	private endRound({ claims }: ServerRound, nowMs: number): void {
		if (claims.length === 1 && this.isBelievedAlone(claims[0], nowMs)) {
			this.believe(claims[0], nowMs);
			return;
		}
		if (claims.length > 1) this.#lone = undefined;
		this.enter(undefined, nowMs + this.#retryMs);
		this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
		if (claims.length === 0) return;
		this.#error = TIME_DOUBTED;
		this.#world.trace(`time: ${claims.length} servers gave a time that is not believed`);
	}

	private isBelievedAlone(claim: number, nowMs: number): boolean {
		const { clock, info } = this.#world;
		if (claim + nowMs > info.builtUtcMs + LONE_LIMIT_MS) return false;
		if (clock.utcMs() === undefined) return true;
		const before = this.#lone;
		const isSame = before !== undefined && Math.abs(claim - before.claim) <= AGREE_MS;
		if (isSame && nowMs - before.atMs < CLAIMS_APART_MS) return false;
		const count = isSame ? before.count + 1 : 1;
		this.#lone = { claim, count, atMs: nowMs };
		return count >= CLAIMS_NEEDED;
	}

	private believe(claim: number, nowMs: number): void {
		const { clock, crypto } = this.#world;
		this.enter(undefined, nowMs + AGAIN_MS * (0.9 + (0.2 * crypto.random(1)[0]) / 255));
		this.#lastSuccessMs = nowMs;
		this.#error = TIME_WELL;
		this.#lone = undefined;
		this.#retryMs = RETRY_FIRST_MS;
		const utcMs = clock.utcMs();
		if (utcMs === undefined || Math.abs(claim + nowMs - utcMs) >= WORTH_MS) clock.setUTC(Math.round(claim + nowMs));
	}

	private u32(at: number): number {
		const { buffer } = this.#world;
		return buffer[at] * 0x1000000 + ((buffer[at + 1] << 16) | (buffer[at + 2] << 8) | buffer[at + 3]);
	}

	/** Unix time in milliseconds, 1968 to 2104 (RFC 4330, 3). */
	private timeAt(at: number): number {
		const seconds = this.u32(at);
		const unix = (seconds < ERA_S / 2 ? seconds + ERA_S : seconds) - TO_UNIX_S;
		return (unix + this.u32(at + 4) / ERA_S) * 1000;
	}
}
