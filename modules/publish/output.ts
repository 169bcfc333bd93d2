/**
 * What all outputs have in common: the permit and the memory for a connection, how it is opened,
 * the pauses after failures, the owner's test, and how it stands. An output has one of these; its own are only the transport
 * and the format.
 *
 * A test is answered once, when all was sent or something has failed, and after `testLimitMs` at the latest. One at a time,
 * and TEST_PAUSE_MS between two: a test shall be of no use to look through a network. For the same reason an output can let
 * each failure of a connection take `testLeastMs`.
 */
import { NO_MEMORY } from "../config/blob.js";
import type { ConfigStore } from "../config/store.js";
import type { TrustedCertificates } from "../config/trusted-certificates.js";
import {
	CLIENT_OUT_OF_MEMORY,
	CLIENT_TIMEOUT,
	CLIENT_UNREACHABLE,
	CLIENT_UNTRUSTED,
	type ClientPort,
	type TLSClientOptions,
} from "../io/client.js";
import type { Crypto } from "../io/crypto.js";
import type { Driver } from "../io/driver.js";
import type { Clock, HostInfo, Network } from "../io/host.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import type { JSONWriter } from "../json/writer.js";
import type { Readout } from "../readout/readout.js";
import { connectFailure, type OutputFailure } from "./connect-failures.js";
import type { EntitySources } from "./entities.js";
import type { PermitHolder, TLSPermit } from "./tls-permit.js";

/** What all outputs may use. */
export interface OutputWorld extends EntitySources {
	readonly clock: Pick<Clock, "utcMs">;
	readonly config: ConfigStore;
	readonly crypto: Pick<Crypto, "random">;
	readonly driver: Driver;
	readonly info: HostInfo;
	readonly ledger: MemoryLedger;
	/** Told of each change of what the status shows. */
	readonly live?: { changed(): void };
	readonly networkSettings: { readonly hostname: string };
	readonly ports: Pick<Network, "tcpClient" | "tlsClient">;
	/** Undefined: there is no radio, and always a network. `address`: undefined while there is none. */
	readonly radio: (EntitySources["radio"] & { readonly address: unknown }) | undefined;
	readonly reader: { readonly outcomes: { readonly measured: Readout | undefined; readonly failure: unknown } };
	/** Undefined: the device never sleeps. */
	readonly saving: { readonly awakeUntilMs: number } | undefined;
	readonly tlsPermit: TLSPermit;
	readonly writer: JSONWriter;
}

/** What an output has for itself. */
export interface OutputAccess {
	readonly certificates: Pick<TrustedCertificates, "isSet" | "lend">;
	/** The first failure; undefined: it works again. */
	outputChanged(failure: OutputFailure | undefined): void;
}

/** The output that this belongs to. */
export interface OutputOwner {
	/** The permit for TLS has come that was asked for. Inside another's call: go on in a turn of the driver. */
	permitted(): void;
	/** Another wants the permit: give it back when that does no harm, within seconds. Inside the other's call. */
	permitWanted?(): void;
}

export interface OutputOptions {
	/** Memory of a connection and of what is made for it. */
	readonly cost: Cost;
	readonly testLimitMs: number;
	readonly testLeastMs: number;
}

/** A test that was asked for. */
export interface SendTest {
	/** Called once. Undefined: all was taken. `status`: what the server has answered last, where it has numbers; else 0. */
	finished(failure: OutputFailure | undefined, status: number): void;
}

/** After the end of a test, before the next. */
export const TEST_PAUSE_MS = 10_000;
/** After a failure that only the owner can mend. */
export const OWNER_PAUSE_MS = 3_600_000;
/** The longest session of TLS that is kept, bytes: that of a ticket. */
const SESSION_KEPT = 1024;

interface Asked {
	readonly test: SendTest;
	readonly sinceMs: number;
	/** When its end is told. */
	tellMs: number;
	isAnswered: boolean;
	failure: OutputFailure | undefined;
	status: number;
}

export class Output implements PermitHolder {
	/** What is wrong; undefined: nothing, as far as it is known. */
	failure: OutputFailure | undefined;
	/** Failed attempts since the start, and since the last success. */
	failures = 0;
	attempts = 0;
	/** Unix ms at which all was taken for the last time; 0: never, or the clock was not set. */
	sentUtcMs = 0;
	readonly #world: OutputWorld;
	readonly #access: OutputAccess;
	readonly #owner: OutputOwner;
	readonly #options: OutputOptions;
	#isQueued = false;
	#hasMemory = false;
	/** TLS session: shortens the next handshake with the same server. */
	#session: Uint8Array | undefined;
	#asked: Asked | undefined;
	#nextTestMs = Number.NEGATIVE_INFINITY;

	constructor(world: OutputWorld, access: OutputAccess, owner: OutputOwner, options: OutputOptions) {
		this.#world = world;
		this.#access = access;
		this.#owner = owner;
		this.#options = options;
	}

	/** Settings are other ones: nothing is known of these yet. */
	renew(): void {
		this.failure = this.#session = undefined;
		this.attempts = 0;
	}

	/** True: it may have a TLS connection now. False: `permitted` comes, maybe inside this call. */
	askPermit(): boolean {
		this.#isQueued = true;
		const hasPermit = this.#world.tlsPermit.ask(this);
		if (hasPermit) this.#isQueued = false;
		return hasPermit;
	}

	/** False: there is too little memory now. Claiming twice changes nothing. */
	claim(): boolean {
		this.#hasMemory ||= this.#world.ledger.claim(this.#options.cost);
		return this.#hasMemory;
	}

	/** Gives the memory back. */
	release(): void {
		if (this.#hasMemory) this.#world.ledger.release(this.#options.cost);
		this.#hasMemory = false;
	}

	/** Gives back memory and permit; it waits for neither any more. */
	giveBack(): void {
		this.release();
		this.#isQueued = false;
		this.#world.tlsPermit.giveBack(this);
	}

	/** For TLSPermit. */
	permitGiven(): void {
		if (!this.#isQueued) this.#world.tlsPermit.giveBack(this);
		else {
			this.#isQueued = false;
			this.#owner.permitted();
		}
	}

	/** For TLSPermit. */
	permitWanted(): void {
		this.#owner.permitWanted?.();
	}

	/** There are certificates that the server can be known by. */
	get hasCertificates(): boolean {
		return this.#access.certificates.isSet;
	}

	/** Calls `make`, which opens a connection of the port. Gives it, or CLIENT_… where none can be opened. */
	connect<Connection extends object>(
		isSecure: boolean,
		make: (port: ClientPort, tls: TLSClientOptions | undefined) => Connection,
	): Connection | number {
		const { clock, ports } = this.#world;
		const port = isSecure ? ports.tlsClient : ports.tcpClient;
		if (port === undefined) return CLIENT_UNREACHABLE;
		const session = this.#session;
		try {
			if (!isSecure) return make(port, undefined);
			// Without its certificate a password or token might go to anybody.
			const connection = this.#access.certificates.lend((trusted) =>
				make(port, { trusted, utcMs: clock.utcMs(), session }),
			);
			return connection === NO_MEMORY ? CLIENT_OUT_OF_MEMORY : (connection ?? CLIENT_UNTRUSTED);
		} catch {
			// The host can't use the certificate, or the address.
			return isSecure ? CLIENT_UNTRUSTED : CLIENT_UNREACHABLE;
		}
	}

	/** `session` of a connection that ends, for the next one. */
	keep(session: Uint8Array | undefined): void {
		if (session !== undefined && session.length <= SESSION_KEPT) this.#session = session;
	}

	/** All was taken. */
	sent(): void {
		this.sentUtcMs = this.#world.clock.utcMs() ?? 0;
		this.#world.live?.changed();
	}

	/** It works. */
	succeed(status: number, nowMs: number): void {
		this.stands(undefined);
		this.answer(undefined, status, nowMs);
	}

	/** An attempt has failed; `status` as of SendTest. */
	fail(failure: OutputFailure, status: number, nowMs: number): void {
		this.failures++;
		this.attempts++;
		this.#session = undefined;
		this.stands(failure);
		this.answer(failure, status, nowMs);
	}

	/** Until the next attempt, ms: of `pausesS`, seconds, by the failures in a row, and up to a fifth more or less. */
	pauseMs(pausesS: readonly number[]): number {
		const pauseS = pausesS[Math.min(Math.max(this.attempts, 1), pausesS.length) - 1];
		return pauseS * (800 + (400 * this.#world.crypto.random(1)[0]) / 255);
	}

	/** False: a test goes on, or has ended a moment ago. */
	test(test: SendTest, nowMs: number): boolean {
		if (this.#asked !== undefined || nowMs < this.#nextTestMs) return false;
		const tellMs = nowMs + this.#options.testLimitMs;
		this.#asked = { test, sinceMs: nowMs, tellMs, isAnswered: false, failure: undefined, status: 0 };
		return true;
	}

	/** The one who has asked for it does not wait any more. What was begun goes on. */
	cancel(test: SendTest, nowMs: number): void {
		if (this.#asked?.test === test) this.endTest(nowMs);
	}

	/** Monotonic ms at which the test that goes on was asked for; undefined: none goes on. */
	get testedSinceMs(): number | undefined {
		return this.#asked?.sinceMs;
	}

	/** What came of the test, if one goes on. */
	answer(failure: OutputFailure | undefined, status: number, nowMs: number): void {
		const asked = this.#asked;
		if (asked === undefined || asked.isAnswered) return;
		asked.isAnswered = true;
		asked.failure = failure;
		asked.status = status;
		const hasReply = failure === undefined || status > 0;
		asked.tellMs = hasReply ? nowMs : Math.max(nowMs, asked.sinceMs + this.#options.testLeastMs);
	}

	/** For the deadline of its owner. */
	get deadlineMs(): number {
		return this.#asked?.tellMs ?? Number.POSITIVE_INFINITY;
	}

	/** For the drain of its owner: tells of a test when it is time. */
	drain(nowMs: number): void {
		const asked = this.#asked;
		if (asked === undefined || nowMs < asked.tellMs) return;
		this.endTest(nowMs);
		const failure = asked.isAnswered ? asked.failure : (this.failure ?? connectFailure(CLIENT_TIMEOUT));
		asked.test.finished(failure, asked.status);
	}

	private stands(failure: OutputFailure | undefined): void {
		const before = this.failure;
		this.failure = failure;
		if (failure === before) return;
		this.#world.live?.changed();
		if (failure === undefined || before === undefined) this.#access.outputChanged(failure);
	}

	private endTest(nowMs: number): void {
		this.#asked = undefined;
		this.#nextTestMs = nowMs + TEST_PAUSE_MS;
	}
}
