/**
 * Common part of all outputs: TLS permit, memory, connection, pauses after failures, tests by the user, and status. An
 * output adds its transport and format.
 *
 * A test gets exactly one answer: when all data were sent or something failed, at the latest after `testLimitMs`. To
 * make tests useless for scanning a network, one runs at a time, with pauses of TEST_PAUSE_MS, and the answer about a
 * failed connection may be delayed to `testLeastMs`.
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
	/** Newest version and progress of an installation; undefined if the host can't install updates. */
	readonly firmware: { readonly latest: string; readonly progress: number | undefined } | undefined;
	readonly info: HostInfo;
	readonly ledger: MemoryLedger;
	readonly live?: { changed(): void; wantedToMs: number };
	readonly networkSettings: { readonly hostname: string };
	readonly ports: Pick<Network, "tcpClient" | "tlsClient">;
	/**
	 * Undefined without a radio, which means that there is always a network. `address` is undefined without a
	 * connection.
	 */
	readonly radio: (EntitySources["radio"] & { readonly address: unknown }) | undefined;
	readonly metering: { readonly freshSecs: number };
	readonly reader: { readonly outcomes: { readonly measured: Readout | undefined; readonly failure: unknown } };
	/** Undefined if the device never sleeps. */
	readonly saving: { readonly awakeUntilMs: number } | undefined;
	readonly tlsPermit: TLSPermit;
	readonly writer: JSONWriter;
}

export interface OutputAccess {
	readonly certificates: Pick<TrustedCertificates, "isSet" | "lend">;
	/**
	 * Our own chain and key, one PEM text, for a server that asks for it; undefined: none. `drop` of the ledger releases
	 * it.
	 */
	borrowIdentity?(): Uint8Array | typeof NO_MEMORY | undefined;
	/** Called with the first failure after a success, and with undefined for the first success after a failure. */
	outputChanged(failure: OutputFailure | undefined): void;
}

export interface OutputListener {
	/** The permit was granted. Another client's call is still on the stack, so continue in a task of the driver. */
	permitted(): void;
	/** Another client requests the permit. Return it within seconds, without losing data. */
	permitWanted?(): void;
}

export interface OutputOptions {
	readonly cost: Cost;
	readonly testLimitMs: number;
	readonly testLeastMs: number;
}

export interface SendTest {
	/** `failure` is undefined if all data were accepted; `status` is the server's last code, or 0. */
	finished(failure: OutputFailure | undefined, status: number): void;
}

export const TEST_PAUSE_MS = 10_000;
/** Pause after a failure that only the user can fix. */
export const OWNER_PAUSE_MS = 3_600_000;
/** Maximum size of a TLS session to keep, bytes; a session ticket fits. */
const SESSION_KEPT = 1024;

interface PendingTest {
	readonly test: SendTest;
	readonly sinceMs: number;
	reportMs: number;
	isAnswered: boolean;
	failure: OutputFailure | undefined;
	status: number;
}

export class Output implements PermitClient {
	failure: OutputFailure | undefined;
	failures = 0;
	attempts = 0;
	/** Last complete transmission, Unix ms; 0 if there was none or the clock was not set. */
	sentUtcMs = 0;
	readonly #deps: OutputDeps;
	readonly #access: OutputAccess;
	readonly #owner: OutputListener;
	readonly #options: OutputOptions;
	#isQueued = false;
	#hasMemory = false;
	#session: Uint8Array | undefined;
	#test: PendingTest | undefined;
	#nextTestMs = Number.NEGATIVE_INFINITY;

	constructor(deps: OutputDeps, access: OutputAccess, owner: OutputListener, options: OutputOptions) {
		this.#deps = deps;
		this.#access = access;
		this.#owner = owner;
		this.#options = options;
	}

	renew(): void {
		this.failure = this.#session = undefined;
		this.attempts = 0;
	}

	/** Returns true if the permit is free. Otherwise `permitted` is called later, possibly inside this call. */
	askPermit(): boolean {
		this.#isQueued = true;
		const hasPermit = this.#deps.tlsPermit.request(this);
		if (hasPermit) this.#isQueued = false;
		return hasPermit;
	}

	/** Returns false if memory is short. */
	claimConnection(): boolean {
		this.release();
		this.#hasMemory = this.#deps.ledger.claimWithHeap(this.#options.cost);
		return this.#hasMemory;
	}

	/** Returns false if memory is short. A second call has no effect. */
	claim(): boolean {
		this.#hasMemory ||= this.#deps.ledger.claim(this.#options.cost);
		return this.#hasMemory;
	}

	release(): void {
		if (this.#hasMemory) this.#deps.ledger.release(this.#options.cost);
		this.#hasMemory = false;
	}

	/** Returns memory and permit, or withdraws the request. */
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

	/** Returns CLIENT_… if `make` cannot open a connection. */
	connect<Connection extends object>(
		isSecure: boolean,
		make: (port: ClientPort, tls: TLSClientOptions | undefined) => Connection,
	): Connection | number {
		const { clock, ledger, ports } = this.#deps;
		const port = isSecure ? ports.tlsClient : ports.tcpClient;
		if (port === undefined) return CLIENT_UNREACHABLE;
		const { certificates } = this.#access;
		const session = this.#session;
		let own: Uint8Array | typeof NO_MEMORY | undefined;
		try {
			if (!isSecure) return make(port, undefined);
			own = this.#access.borrowIdentity?.();
			if (own === NO_MEMORY) return CLIENT_OUT_OF_MEMORY;
			const identity = own && { certificate: own, key: own };
			// Without the server's certificate an impostor might get the password or token.
			const connection = certificates.lend((trusted) =>
				make(port, { trusted, utcMs: clock.utcMs(), session, ...(identity && { identity }) }),
			);
			return connection === NO_MEMORY ? CLIENT_OUT_OF_MEMORY : (connection ?? CLIENT_UNTRUSTED);
		} catch {
			// The host has rejected certificate or address.
			return isSecure ? CLIENT_UNTRUSTED : CLIENT_UNREACHABLE;
		} finally {
			if (own) ledger.drop(own);
		}
	}

	keep(session: Uint8Array | undefined): void {
		if (session !== undefined && session.length <= SESSION_KEPT) this.#session = session;
	}

	sent(): void {
		this.sentUtcMs = this.#deps.clock.utcMs() ?? 0;
		this.#deps.live?.changed();
	}

	succeed(status: number, nowMs: number): void {
		this.setFailure(undefined);
		this.answer(undefined, status, nowMs);
	}

	/** Also answers a test; `status` as in SendTest. */
	fail(failure: OutputFailure, status: number, nowMs: number): void {
		this.failures++;
		this.attempts++;
		this.#session = undefined;
		this.setFailure(failure);
		this.answer(failure, status, nowMs);
	}

	/**
	 * Returns the pause after a failure, ms. `pausesS`: pauses by the number of failures in a row, s. The pause varies by
	 * ± 50 %, because a server that restarts loses all its gateways at once.
	 */
	pauseMs(pausesS: readonly number[]): number {
		const pauseS = pausesS[Math.min(Math.max(this.attempts, 1), pausesS.length) - 1];
		return pauseS * (500 + (1000 * this.#deps.crypto.random(1)[0]) / 255);
	}

	/** Returns false if a test is running or has ended within TEST_PAUSE_MS. */
	test(test: SendTest, nowMs: number): boolean {
		if (this.#test !== undefined || nowMs < this.#nextTestMs) return false;
		const reportMs = nowMs + this.#options.testLimitMs;
		this.#test = { test, sinceMs: nowMs, reportMs, isAnswered: false, failure: undefined, status: 0 };
		return true;
	}

	/** Ends the test without an answer; a transmission in progress continues. */
	cancel(test: SendTest, nowMs: number): void {
		if (this.#test?.test === test) this.endTest(nowMs);
	}

	get testedSinceMs(): number | undefined {
		return this.#test?.sinceMs;
	}

	answer(failure: OutputFailure | undefined, status: number, nowMs: number): void {
		const pending = this.#test;
		if (pending === undefined || pending.isAnswered) return;
		pending.isAnswered = true;
		pending.failure = failure;
		pending.status = status;
		const hasReply = failure === undefined || status > 0;
		pending.reportMs = hasReply ? nowMs : Math.max(nowMs, pending.sinceMs + this.#options.testLeastMs);
	}

	/** Time limit of the running test, monotonic ms; Infinity without one. Include it in the client's own deadline. */
	get deadlineMs(): number {
		return this.#test?.reportMs ?? Number.POSITIVE_INFINITY;
	}

	/** Call it in the client's `drain`. */
	drain(nowMs: number): void {
		const pending = this.#test;
		if (pending === undefined || nowMs < pending.reportMs) return;
		this.endTest(nowMs);
		const failure = pending.isAnswered ? pending.failure : (this.failure ?? connectFailure(CLIENT_TIMEOUT));
		pending.test.finished(failure, pending.status);
	}

	private setFailure(failure: OutputFailure | undefined): void {
		const before = this.failure;
		this.failure = failure;
		if (failure === before) return;
		this.#deps.live?.changed();
		if (failure === undefined || before === undefined) this.#access.outputChanged(failure);
	}

	private endTest(nowMs: number): void {
		this.#test = undefined;
		this.#nextTestMs = nowMs + TEST_PAUSE_MS;
	}
}
