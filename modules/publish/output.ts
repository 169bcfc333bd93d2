/**
 * Common part of all outputs: the TLS permit and the memory for a connection, opening it, pauses after failures, the user's
 * test, and the status. Each output has one instance and adds only its transport and format.
 *
 * A test gets exactly one answer: when all data was sent or something failed, after `testLimitMs` at the latest. Only one
 * test runs at a time, with a pause of TEST_PAUSE_MS between two, so that tests cannot be used to scan a network. For the
 * same reason an output can delay the answer about a failed connection to at least `testLeastMs`.
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
import type { PermitClient, TLSPermit } from "./tls-permit.js";

export interface OutputDeps extends EntitySources {
	readonly clock: Pick<Clock, "utcMs">;
	readonly config: ConfigStore;
	readonly crypto: Pick<Crypto, "random">;
	readonly driver: Driver;
	readonly info: HostInfo;
	readonly ledger: MemoryLedger;
	readonly live?: { changed(): void };
	readonly networkSettings: { readonly hostname: string };
	readonly ports: Pick<Network, "tcpClient" | "tlsClient">;
	/** Undefined on a board without a radio, which always has a network. `address`: undefined without a connection. */
	readonly radio: (EntitySources["radio"] & { readonly address: unknown }) | undefined;
	readonly reader: { readonly outcomes: { readonly measured: Readout | undefined; readonly failure: unknown } };
	/** Undefined if the device never sleeps. */
	readonly saving: { readonly awakeUntilMs: number } | undefined;
	readonly tlsPermit: TLSPermit;
	readonly writer: JSONWriter;
}

export interface OutputAccess {
	readonly certificates: Pick<TrustedCertificates, "isSet" | "lend">;
	/** Reports the first failure, or with undefined the next success. */
	outputChanged(failure: OutputFailure | undefined): void;
}

export interface OutputListener {
	/** The requested TLS permit is granted. Called inside another client's call: continue in a task of the driver. */
	permitted(): void;
	/**
	 * Another output needs the permit. Return it within seconds, as soon as no data would be lost. Called inside the other
	 * output's request.
	 */
	permitWanted?(): void;
}

export interface OutputOptions {
	readonly cost: Cost;
	readonly testLimitMs: number;
	readonly testLeastMs: number;
}

export interface SendTest {
	/** Called once. `failure`: undefined if all data was accepted; `status`: last status code of the server, or 0. */
	finished(failure: OutputFailure | undefined, status: number): void;
}

/** Pause between the end of a test and the next one. */
export const TEST_PAUSE_MS = 10_000;
/** Pause after a failure that only the user can fix. */
export const OWNER_PAUSE_MS = 3_600_000;
/** Largest TLS session that is kept, bytes; sufficient for a session ticket. */
const SESSION_KEPT = 1024;

interface Asked {
	readonly test: SendTest;
	readonly sinceMs: number;
	/** Time to report the result, monotonic ms. */
	tellMs: number;
	isAnswered: boolean;
	failure: OutputFailure | undefined;
	status: number;
}

export class Output implements PermitClient {
	/** Undefined without a known failure. */
	failure: OutputFailure | undefined;
	/** Failed attempts since the start; `attempts`: since the last success. */
	failures = 0;
	attempts = 0;
	/** Unix ms of the last complete transmission; 0 before the first one or if the clock was not set. */
	sentUtcMs = 0;
	readonly #deps: OutputDeps;
	readonly #access: OutputAccess;
	readonly #owner: OutputListener;
	readonly #options: OutputOptions;
	#isQueued = false;
	#hasMemory = false;
	/** TLS session that shortens the next handshake with the same server. */
	#session: Uint8Array | undefined;
	#asked: Asked | undefined;
	#nextTestMs = Number.NEGATIVE_INFINITY;

	constructor(deps: OutputDeps, access: OutputAccess, owner: OutputListener, options: OutputOptions) {
		this.#deps = deps;
		this.#access = access;
		this.#owner = owner;
		this.#options = options;
	}

	/** Clears failure, session and attempts after a change of the settings. */
	renew(): void {
		this.failure = this.#session = undefined;
		this.attempts = 0;
	}

	/**
	 * Requests the TLS permit. Returns true if it is granted at once; otherwise `permitted` follows, possibly inside this
	 * call.
	 */
	askPermit(): boolean {
		this.#isQueued = true;
		const hasPermit = this.#deps.tlsPermit.request(this);
		if (hasPermit) this.#isQueued = false;
		return hasPermit;
	}

	/** Claims the memory for a connection; returns false if there is too little. A second call has no effect. */
	claim(): boolean {
		this.#hasMemory ||= this.#deps.ledger.claim(this.#options.cost);
		return this.#hasMemory;
	}

	release(): void {
		if (this.#hasMemory) this.#deps.ledger.release(this.#options.cost);
		this.#hasMemory = false;
	}

	/** Releases the memory and the permit, and withdraws a pending request. */
	giveBack(): void {
		this.release();
		this.#isQueued = false;
		this.#deps.tlsPermit.release(this);
	}

	permitGranted(): void {
		if (!this.#isQueued) this.#deps.tlsPermit.release(this);
		else {
			this.#isQueued = false;
			this.#owner.permitted();
		}
	}

	permitRequested(): void {
		this.#owner.permitWanted?.();
	}

	get hasCertificates(): boolean {
		return this.#access.certificates.isSet;
	}

	/** Opens a connection by calling `make` with its port. Returns the connection, or CLIENT_… if it cannot be opened. */
	connect<Connection extends object>(
		isSecure: boolean,
		make: (port: ClientPort, tls: TLSClientOptions | undefined) => Connection,
	): Connection | number {
		const { clock, ports } = this.#deps;
		const port = isSecure ? ports.tlsClient : ports.tcpClient;
		if (port === undefined) return CLIENT_UNREACHABLE;
		const session = this.#session;
		try {
			if (!isSecure) return make(port, undefined);
			// Without a certificate, a password or token might be sent to an impostor.
			const connection = this.#access.certificates.lend((trusted) =>
				make(port, { trusted, utcMs: clock.utcMs(), session }),
			);
			return connection === NO_MEMORY ? CLIENT_OUT_OF_MEMORY : (connection ?? CLIENT_UNTRUSTED);
		} catch {
			// The host rejects the certificate or the address.
			return isSecure ? CLIENT_UNTRUSTED : CLIENT_UNREACHABLE;
		}
	}

	/** Keeps the TLS session of a closing connection for the next one. */
	keep(session: Uint8Array | undefined): void {
		if (session !== undefined && session.length <= SESSION_KEPT) this.#session = session;
	}

	/** Records that all data was accepted. */
	sent(): void {
		this.sentUtcMs = this.#deps.clock.utcMs() ?? 0;
		this.#deps.live?.changed();
	}

	/** Records a success and answers a test. */
	succeed(status: number, nowMs: number): void {
		this.stands(undefined);
		this.answer(undefined, status, nowMs);
	}

	/** Records a failed attempt and answers a test; `status`: see SendTest. */
	fail(failure: OutputFailure, status: number, nowMs: number): void {
		this.failures++;
		this.attempts++;
		this.#session = undefined;
		this.stands(failure);
		this.answer(failure, status, nowMs);
	}

	/**
	 * Returns the pause before the next attempt in ms: the entry of `pausesS` (seconds) for the number of failures in a
	 * row, ± 20 %.
	 */
	pauseMs(pausesS: readonly number[]): number {
		const pauseS = pausesS[Math.min(Math.max(this.attempts, 1), pausesS.length) - 1];
		return pauseS * (800 + (400 * this.#deps.crypto.random(1)[0]) / 255);
	}

	/** Starts a test; returns false if one is running or has ended within TEST_PAUSE_MS. */
	test(test: SendTest, nowMs: number): boolean {
		if (this.#asked !== undefined || nowMs < this.#nextTestMs) return false;
		const tellMs = nowMs + this.#options.testLimitMs;
		this.#asked = { test, sinceMs: nowMs, tellMs, isAnswered: false, failure: undefined, status: 0 };
		return true;
	}

	/** Withdraws the test because its client has left. A transmission that has begun continues. */
	cancel(test: SendTest, nowMs: number): void {
		if (this.#asked?.test === test) this.endTest(nowMs);
	}

	/** Monotonic ms at which the running test was requested; undefined without one. */
	get testedSinceMs(): number | undefined {
		return this.#asked?.sinceMs;
	}

	/** Records the result of the running test, if there is one. */
	answer(failure: OutputFailure | undefined, status: number, nowMs: number): void {
		const asked = this.#asked;
		if (asked === undefined || asked.isAnswered) return;
		asked.isAnswered = true;
		asked.failure = failure;
		asked.status = status;
		const hasReply = failure === undefined || status > 0;
		asked.tellMs = hasReply ? nowMs : Math.max(nowMs, asked.sinceMs + this.#options.testLeastMs);
	}

	/** Time to report the result of the test, to be included in the client's deadline; Infinity without a test. */
	get deadlineMs(): number {
		return this.#asked?.tellMs ?? Number.POSITIVE_INFINITY;
	}

	/** Reports the result of a test when it is due. The client calls it in its `drain`. */
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
		this.#deps.live?.changed();
		if (failure === undefined || before === undefined) this.#access.outputChanged(failure);
	}

	private endTest(nowMs: number): void {
		this.#asked = undefined;
		this.#nextTestMs = nowMs + TEST_PAUSE_MS;
	}
}
