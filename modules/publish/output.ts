/**
 * Code that all outputs share: TLS permit, memory, connection, pauses after failures, tests by the user, and status.
 * Each output adds its transport and its format.
 *
 * A test gets exactly one answer, when all data were sent, when something failed, or at the latest after `testLimitMs`.
 * Only one test runs at a time, there is a pause of TEST_PAUSE_MS between tests, and the answer about a failed
 * connection may be delayed until `testLeastMs`. So tests are useless for scanning a network.
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
import { isMistake } from "../io/fault.js";
import type { Clock, HostInfo, Network } from "../io/host.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import type { PermitClient, TLSPermit } from "../io/tls-permit.js";
import type { JSONWriter } from "../json/writer.js";
import type { Readout } from "../readout/readout.js";
import { connectFailure, type OutputFailure, RETCODE_MEMORY } from "./connect-failures.js";
import type { EntitySources } from "./entities.js";

export interface OutputDeps extends EntitySources {
	readonly clock: Pick<Clock, "utcMs">;
	readonly config: ConfigStore;
	readonly crypto: Pick<Crypto, "random">;
	readonly driver: Driver;
	/** Newest version and progress of an installation, per cent; undefined if the host can't install updates. */
	readonly firmware: { readonly latest: string; readonly progress: number | undefined } | undefined;
	readonly info: HostInfo;
	readonly ledger: MemoryLedger;
	readonly live?: { changed(): void; wantedToMs: number };
	readonly networkSettings: { readonly hostname: string };
	readonly ports: Pick<Network, "tcpClient" | "tlsClient">;
	/**
	 * Wi-Fi radio; undefined if the board has none. Such a board counts as always connected. `address` is undefined
	 * without a connection.
	 */
	readonly radio: (EntitySources["radio"] & { readonly address: unknown; readonly mac?: string }) | undefined;
	readonly metering: { readonly freshSecs: number };
	readonly reader: {
		readonly outcomes: { readonly measured: Readout | undefined; readonly failure: unknown; readonly isOld: boolean };
	};
	/** Undefined if the device never sleeps. */
	readonly saving: { readonly awakeUntilMs: number } | undefined;
	readonly tlsPermit: TLSPermit;
	readonly writer: JSONWriter;
}

export interface OutputAccess {
	readonly certificates: Pick<TrustedCertificates, "isSet" | "lend">;
	/**
	 * Lends the gateway's certificate chain and key as one PEM text, for a server that asks for a client certificate;
	 * undefined if there is none. `drop` of the ledger frees the text.
	 */
	borrowIdentity?(): Uint8Array | typeof NO_MEMORY | undefined;
	/** Called with the first failure after a success, and with undefined at the first success after a failure. */
	outputChanged(failure: OutputFailure | undefined): void;
}

export interface OutputListener {
	/**
	 * The permit was granted. The call comes from inside another client's call and little stack is left, so continue in a
	 * task of the driver.
	 */
	permitted(): void;
	/** Another client requests the permit. Return the permit within seconds, without losing data. */
	permitWanted?(): void;
}

export interface OutputOptions {
	readonly cost: Cost;
	readonly testLimitMs: number;
	readonly testLeastMs: number;
}

export interface SendTest {
	/**
	 * The test is over. `failure` is undefined if all data were accepted. `status` is the server's last status code, or
	 * 0.
	 */
	finished(failure: OutputFailure | undefined, status: number): void;
}

export const TEST_PAUSE_MS = 10_000;
/** Pause after a failure that only the owner can resolve, ms. */
export const OWNER_PAUSE_MS = 3_600_000;
/** Time after which a lack of memory or of the permit counts as a failure, ms. */
export const LACK_MS = 1_800_000;
/** Maximum size of a TLS session that is kept, bytes. A session ticket fits. */
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
	/** Time at which all data had last been sent, Unix ms; 0: never, or the clock was not set. */
	sentUtcMs = 0;
	readonly #deps: OutputDeps;
	readonly #access: OutputAccess;
	readonly #owner: OutputListener;
	readonly #options: OutputOptions;
	#isQueued = false;
	#hasMemory = false;
	#session: Uint8Array | undefined;
	/** Time since which memory or the permit has been missing; Infinity if nothing was sent since, or another failure came. */
	#lackMs = Number.POSITIVE_INFINITY;
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
		this.#lackMs = Number.POSITIVE_INFINITY;
	}

	/**
	 * Returns true if the permit is granted. Otherwise `permitted` is called later; it may also be called before this
	 * method returns.
	 */
	askPermit(): boolean {
		this.#isQueued = true;
		const hasPermit = this.#deps.tlsPermit.request(this);
		if (hasPermit) this.#isQueued = false;
		return hasPermit;
	}

	/** Claims the memory of a connection. Returns false if too little is free. */
	claimConnection(): boolean {
		this.release();
		this.#hasMemory = this.#deps.ledger.claimWithHeap(this.#options.cost);
		return this.#hasMemory;
	}

	/** Claims memory. Returns false if too little is free. A second call has no effect. */
	claim(): boolean {
		this.#hasMemory ||= this.#deps.ledger.claim(this.#options.cost);
		return this.#hasMemory;
	}

	release(): void {
		if (this.#hasMemory) this.#deps.ledger.release(this.#options.cost);
		this.#hasMemory = false;
	}

	/** Returns the memory and the permit. If the permit was only requested, withdraws the request. */
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

	/** Opens a connection. Returns CLIENT_… if `make` can't open one. */
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
			// The server is authenticated, because an impostor could otherwise get the password or token.
			const connection = certificates.lend((trusted) =>
				make(port, { trusted, utcMs: clock.utcMs(), session, ...(identity && { identity }) }),
			);
			return connection === NO_MEMORY ? CLIENT_OUT_OF_MEMORY : (connection ?? CLIENT_UNTRUSTED);
		} catch (error) {
			if (isMistake(error)) throw error;
			// The host has rejected the certificate or the address.
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
		this.#lackMs = Number.POSITIVE_INFINITY;
		this.setFailure(undefined);
		this.answer(undefined, status, nowMs);
	}

	/**
	 * Records a failure, and answers a test if one is running. A lack of memory is no failure at first. `status` as in
	 * SendTest.
	 */
	fail(failure: OutputFailure, status: number, nowMs: number): void {
		this.attempts++;
		if (failure.retcode === RETCODE_MEMORY) this.lack(failure, nowMs);
		else {
			this.#lackMs = Number.POSITIVE_INFINITY;
			this.failures++;
			this.#session = undefined;
			this.setFailure(failure);
		}
		this.answer(failure, status, nowMs);
	}

	/** Records that memory or the permit is missing. It is a failure if it lasts for LACK_MS. */
	lack(failure: OutputFailure, nowMs: number): void {
		this.#lackMs = Math.min(this.#lackMs, nowMs);
		if (nowMs - this.#lackMs >= LACK_MS) this.setFailure(failure);
	}

	/**
	 * Returns the pause after a failure, ms. `pausesS`: pauses after one, two, three … failures in a row, s; the first one
	 * is also used while memory or the permit is missing. The pause varies by ± 50 %, because a server that restarts loses
	 * the connections of all gateways at the same time.
	 */
	pauseMs(pausesS: readonly number[]): number {
		const count = this.#lackMs < Number.POSITIVE_INFINITY ? 1 : Math.max(this.attempts, 1);
		const pauseS = pausesS[Math.min(count, pausesS.length) - 1];
		return pauseS * (500 + (1000 * this.#deps.crypto.random(1)[0]) / 255);
	}

	/** Starts a test. Returns false if another test is running or has ended within TEST_PAUSE_MS. */
	test(test: SendTest, nowMs: number): boolean {
		if (this.#test !== undefined || nowMs < this.#nextTestMs) return false;
		const reportMs = nowMs + this.#options.testLimitMs;
		this.#test = { test, sinceMs: nowMs, reportMs, isAnswered: false, failure: undefined, status: 0 };
		return true;
	}

	/** Ends a test without an answer. A transmission that is in progress continues. */
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

	/**
	 * Monotonic ms at which the running test must be answered; Infinity if no test is running. Include it in the output's
	 * own deadline.
	 */
	get deadlineMs(): number {
		return this.#test?.reportMs ?? Number.POSITIVE_INFINITY;
	}

	/** Call it in the output's `drain`. */
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
