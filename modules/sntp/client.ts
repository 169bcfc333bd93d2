/**
 * The time from the network: a client of SNTP (RFC 4330; packet and distance of RFC 5905, 7.3 and A.1.1) that distrusts
 * what it hears. For app/gateway.ts, which starts it when the network is up.
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
 * A round asks one server after the other, until one is believed:
 *
 *   the clock was never set    when a second one agrees within 2 s, or no other answers
 *   it differs by up to 1000 s   at once
 *   by more                    when a second one agrees, or alone three times, 10 minutes apart
 *
 * No one believed: again in 15 s, 30 s … 30 minutes. Else in 6 hours, more or less 10 %.
 * Limits: SERVER_LIMIT servers; 5 s to find one, 5 s for its reply. Memory: beside the shared buffer, what is known of a
 * round while there is one.
 */

import { parseIPv4 } from "../bytes/ipv4.js";
import type { DatagramWorld } from "../io/datagrams.js";
import type { Clock, Crypto, HostInfo, Network, UDP } from "../io/host.js";

export interface TimeSyncWorld extends DatagramWorld {
	readonly clock: Clock;
	readonly crypto: Crypto;
	readonly resolve: Network["resolve"];
	/** It can't be earlier than when this was built. */
	readonly info: Pick<HostInfo, "timeServers" | "builtUtcMs">;
	/** A server was believed; the clock is set. */
	onSynchronised(): void;
}

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
const PART = "time";
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
const DATAGRAMS_AT_ONCE = 16;

/** One server after the other is asked, until one is believed. */
class Round {
	/** The server that is asked. */
	index = -1;
	port = 0;
	/** "": it is looked for. */
	address = "";
	socket: UDP | undefined;
	nonce: Uint8Array | undefined;
	sentMs = 0;
	/** What servers have said: Unix time in milliseconds when the monotonic clock was 0. */
	readonly claims: number[] = [];
	/** Who has said so: address and port. */
	readonly heard: string[] = [];
}

export class TimeSync {
	readonly #world: TimeSyncWorld;
	/** Undefined between two. */
	#round: Round | undefined;
	/** For the end of a question, or the next round. */
	#timer: number | undefined;
	#retryMs = RETRY_FIRST_MS;
	/** When each server may be asked again, monotonic; only of those that said so. */
	#notBeforeMs: number[] | undefined;
	/** What one alone has said, how often, and when last. */
	#lone = 0;
	#loneCount = 0;
	#loneMs = 0;
	#lastSuccessMs: number | undefined;
	#error = TIME_WELL;

	constructor(world: TimeSyncWorld) {
		this.#world = world;
	}

	/** Monotonic. */
	get lastSuccessMs(): number | undefined {
		return this.#lastSuccessMs;
	}

	/** TIME_… */
	get lastError(): number {
		return this.#error;
	}

	/** The network is up. */
	start(): void {
		this.stop();
		if (this.#world.info.timeServers === "") return;
		this.#notBeforeMs = undefined;
		this.#retryMs = RETRY_FIRST_MS;
		this.#loneCount = 0;
		this.askNext(new Round());
	}

	stop(): void {
		this.endQuestion();
		this.#round = undefined;
	}

	private nowMs(): number {
		return this.#world.clock.monotonicMs();
	}

	private guarded(run: () => void): void {
		this.#world.guard(PART, run);
	}

	private setTimer(delayMs: number): void {
		this.clearTimer();
		this.#timer = this.#world.timers.set(() => this.guarded(() => this.wake()), delayMs);
	}

	private clearTimer(): void {
		if (this.#timer !== undefined) this.#world.timers.clear(this.#timer);
		this.#timer = undefined;
	}

	private wake(): void {
		this.#timer = undefined;
		if (this.#round === undefined) this.askNext(new Round());
		else this.failed(this.#round, this.#round.address === "" ? TIME_NO_ADDRESS : TIME_NO_REPLY);
	}

	private endQuestion(): void {
		this.clearTimer();
		this.#round?.socket?.close();
	}

	private askNext(round: Round): void {
		this.endQuestion();
		this.#round = round;
		round.socket = undefined;
		round.address = "";
		const servers = this.#world.info.timeServers.split(",", SERVER_LIMIT);
		const now = this.nowMs();
		do round.index++;
		while (now < (this.#notBeforeMs?.[round.index] ?? 0));
		if (round.index < servers.length) this.lookUp(round, servers[round.index]);
		else this.endRound(round);
	}

	private lookUp(round: Round, server: string): void {
		const [name, port] = server.trim().split(":");
		const { index } = round;
		round.port = port === undefined ? NTP_PORT : Number(port);
		this.setTimer(ANSWER_LIMIT_MS);
		if (parseIPv4(name) >= 0) this.found(round, name);
		else {
			this.#world.resolve?.(name, (address) => {
				// What comes for another question is late.
				if (round === this.#round && index === round.index) this.guarded(() => this.found(round, address));
			});
		}
	}

	private found(round: Round, address: string | undefined): void {
		if (address === undefined) this.failed(round, TIME_NO_ADDRESS);
		// One server under two names is no second opinion.
		else if (round.heard.includes(`${address}:${round.port}`)) this.askNext(round);
		else this.ask(round, address);
	}

	private ask(round: Round, address: string): void {
		const { udp, crypto, buffer } = this.#world;
		this.setTimer(ANSWER_LIMIT_MS);
		round.address = address;
		const socket = new udp.io({
			...udp.pins,
			port: 0,
			onReadable: () => this.guarded(() => this.read(round)),
			onError: () => this.guarded(() => this.failed(round, TIME_NO_REPLY)),
		});
		const nonce = crypto.random(NONCE_LENGTH);
		round.socket = socket;
		round.nonce = nonce;
		buffer.fill(0, 0, PACKET_LENGTH);
		buffer[0] = QUESTION;
		buffer.set(nonce, TRANSMIT);
		round.sentMs = this.nowMs();
		socket.write(buffer.subarray(0, PACKET_LENGTH), address, round.port);
	}

	private failed(round: Round, error: number): void {
		this.#error = error;
		this.askNext(round);
	}

	private read(round: Round): void {
		const now = this.nowMs();
		const { buffer } = this.#world;
		for (let i = 0; i < DATAGRAMS_AT_ONCE; i++) {
			const length = round.socket?.read(buffer);
			if (length === undefined) return;
			if (!this.isReply(round, length)) continue;
			const error = this.errorOf(round, now);
			if (error === TIME_WELL) this.weigh(round, this.claim(round, now));
			else this.failed(round, error);
			return;
		}
	}

	/** It is from whom we have asked, who has read what we have sent. */
	private isReply({ socket, nonce, address, port }: Round, length: number): boolean {
		if (socket === undefined || nonce === undefined || length < PACKET_LENGTH) return false;
		if (socket.remoteAddress !== address || socket.remotePort !== port) return false;
		return nonce.every((byte, i) => byte === this.#world.buffer[ORIGINATE + i]);
	}

	/** TIME_… */
	private errorOf(round: Round, now: number): number {
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
	private kissed({ index }: Round, now: number): number {
		const code = this.u32(REFERENCE);
		this.#notBeforeMs ??= [];
		if (code === KISS_RATE) this.#notBeforeMs[index] = now + RATE_MS;
		if (code === KISS_DENY || code === KISS_RSTR) this.#notBeforeMs[index] = Infinity;
		return TIME_NOT_WELCOME;
	}

	/** Both ways are taken for equally long (RFC 4330, 5). */
	private claim({ sentMs }: Round, now: number): number {
		const leftMs = this.timeAt(TRANSMIT);
		const waysMs = now - sentMs - (leftMs - this.timeAt(RECEIVE));
		return leftMs + waysMs / 2 - now;
	}

	private weigh(round: Round, claim: number): void {
		const utcMs = this.#world.clock.utcMs();
		const isNear = utcMs !== undefined && Math.abs(claim + this.nowMs() - utcMs) <= STEP_LIMIT_MS;
		// Or another has said the same in this round.
		if (isNear || round.claims.some((other) => Math.abs(other - claim) <= AGREE_MS)) {
			this.believe(claim);
			return;
		}
		round.claims.push(claim);
		round.heard.push(`${round.address}:${round.port}`);
		this.askNext(round);
	}

	/** Nobody was believed at once. */
	private endRound({ claims }: Round): void {
		if (claims.length === 1 && this.isBelievedAlone(claims[0])) {
			this.believe(claims[0]);
			return;
		}
		if (claims.length > 1) this.#loneCount = 0;
		if (claims.length > 0) {
			this.#error = TIME_DOUBTED;
			this.#world.trace(`${PART}: ${claims.length} servers gave a time that is not believed`);
		}
		this.#round = undefined;
		this.setTimer(this.#retryMs);
		this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
	}

	private isBelievedAlone(claim: number): boolean {
		if (this.#world.clock.utcMs() === undefined) return true;
		const now = this.nowMs();
		const isSame = this.#loneCount > 0 && Math.abs(claim - this.#lone) <= AGREE_MS;
		if (isSame && now - this.#loneMs < CLAIMS_APART_MS) return false;
		this.#loneCount = isSame ? this.#loneCount + 1 : 1;
		this.#lone = claim;
		this.#loneMs = now;
		return this.#loneCount >= CLAIMS_NEEDED;
	}

	private believe(claim: number): void {
		const { clock, crypto } = this.#world;
		this.stop();
		const now = this.nowMs();
		const utcMs = clock.utcMs();
		if (utcMs === undefined || Math.abs(claim + now - utcMs) >= WORTH_MS) clock.setUTC(Math.round(claim + now));
		this.#lastSuccessMs = now;
		this.#error = TIME_WELL;
		this.#loneCount = 0;
		this.#retryMs = RETRY_FIRST_MS;
		this.setTimer(AGAIN_MS * (0.9 + (0.2 * crypto.random(1)[0]) / 255));
		this.#world.onSynchronised();
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
