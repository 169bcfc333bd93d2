/**
 * Downloads a firmware file for the updater. The file is the board's release file, or comes from a server that the
 * owner trusts (DownloadServer). Firmware from the release file must be newer than the running one, because the server
 * of release files is not authenticated. The columns of the table are events:
 *
 *               time               permit     file complete   redirect   refused, installed   broken, another reply
 *   STARTING    LOADING, QUEUED    –          –               –          –                    –
 *   QUEUED      OVER: no memory    LOADING    –               –          –                    –
 *   LOADING     OVER: interrupted  –          VERIFYING       LOADING    OVER                 PAUSING or OVER
 *   PAUSING     LOADING            –          –               –          –                    –
 *   VERIFYING   –                  –          –               –          OVER                 –
 *   OVER        final
 *
 * STARTING leaves time for the HTTP reply, and for the MQTT message that an installation begins; after that, MQTT must
 * return the permit. After an interruption, the rest of the file is requested, at most TRIES times. After a restart of
 * the gateway, the download must be started again.
 *
 * Memory: UPGRADE_COST and, from the first byte on, the memory of the updater. Bytes are read only as fast as flash can
 * store them.
 */
import { FIRST_STATUS, type HTTPClient, OUTCOME_NONE } from "../http/client.js";
import type { BodySink } from "../http/handler.js";
import { ReplyReader } from "../http/reply.js";
import type { FileURL } from "../http/url.js";
import type { ClientPort, TLSClientOptions } from "../io/client.js";
import type { Driver, ScheduledMachine, Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { MemoryLedger } from "../io/memory.js";
import type { PermitClient, TLSPermit } from "../io/tls-permit.js";
import { connectFailure } from "../publish/connect-failures.js";
import { LINE_SIZE, OK, PARTIAL_CONTENT, REDIRECTS, redirectOf, requestFile, UPGRADE_COST } from "./file-request.js";
import { INTERRUPTED, NO_MEMORY, NOT_FOUND, REFUSALS, TAKEN, UNREACHABLE } from "./refusals.js";
import type { Sender, Updater } from "./updater.js";

/**
 * Server that is authenticated with the owner's certificate. Redirects are not followed, because requests contain a
 * secret.
 */
export interface DownloadServer {
	/** Value of the header field Authorization. */
	readonly authorization: string;
	/** Opens a connection. Returns CLIENT_… if no connection is possible. */
	connect(make: (port: ClientPort, tls: TLSClientOptions) => HTTPClient): HTTPClient | number;
}

export interface DownloadDeps {
	readonly driver: Driver;
	readonly ledger: MemoryLedger;
	readonly text: TextCodec;
	readonly tlsPermit: TLSPermit;
	readonly port: ClientPort;
	readonly updater: Updater;
	/**
	 * Called at the end. `version`: version of the installed file, or "" after a failure; the updater has the failure.
	 */
	over(version: string): void;
}

export const DOWNLOAD_START_MS = 2000;
/** Longest wait for the permit, ms. Another output, such as the hub, may use it for a minute. */
const TURN_MS = 70_000;
const PAUSE_MS = 5000;
/** Time limit for the whole download, ms. It is the same as for an upload. */
const LIMIT_MS = 900_000;
const TRIES = 4;

const STATE_STARTING = 0;
const STATE_QUEUED = 1;
const STATE_LOADING = 2;
const STATE_PAUSING = 3;
const STATE_VERIFYING = 4;
const STATE_OVER = 5;

export class Download implements ScheduledMachine, PermitClient, BodySink, Sender {
	readonly isDownload = true;
	readonly needsNewer: boolean;
	readonly name: string;
	/** Number of bytes at the end of the last `write` that were not processed. */
	rest = 0;
	readonly #deps: DownloadDeps;
	readonly #task: Task;
	#state = STATE_STARTING;
	#dueMs: number;
	readonly #limitMs: number;
	readonly #file: FileURL;
	readonly #server: DownloadServer | undefined;
	#url: FileURL;
	#redirects = 0;
	#tries = 1;
	#client: HTTPClient | undefined;
	#reply: ReplyReader | undefined;
	#hasMemory = false;
	#hasBegun = false;
	/** Number of bytes at the start of the reply that the updater already has; 0 if the server sends only the rest. */
	#known = 0;
	#version = "";

	/** `server` is undefined for a server that is not authenticated. */
	constructor(deps: DownloadDeps, file: FileURL, server: DownloadServer | undefined) {
		this.#deps = deps;
		this.#file = this.#url = file;
		this.#server = server;
		this.needsNewer = server === undefined;
		this.name = file.host;
		const nowMs = deps.driver.nowMs();
		this.#dueMs = nowMs + DOWNLOAD_START_MS;
		this.#limitMs = nowMs + LIMIT_MS;
		this.#task = deps.driver.register("download", this);
	}

	/** Stops the download. If the updater has begun, it reports an interruption. */
	stop(): void {
		if (this.#hasBegun) this.#deps.updater.abort();
		this.finish();
	}

	permitGranted(): void {
		this.#task.fromHost((nowMs) => {
			this.#dueMs = nowMs;
		});
	}

	/** Does nothing, because other outputs must wait for the permit until the download is over. */
	permitRequested(): void {}

	get deadlineMs(): number {
		return Math.min(this.#dueMs, this.#client?.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	advance(nowMs: number): void {
		this.#client?.advance(nowMs);
		if (nowMs < this.#dueMs) return;
		const { ledger, tlsPermit } = this.#deps;
		if (this.#state === STATE_LOADING) this.fail(REFUSALS[INTERRUPTED]);
		else if (this.#state === STATE_PAUSING) this.ask(this.#file, 0, nowMs);
		else if (this.#state === STATE_STARTING && !tlsPermit.request(this)) this.enter(STATE_QUEUED, nowMs + TURN_MS);
		else if (tlsPermit.isHeldBy(this) && ledger.claimWithHeap(UPGRADE_COST)) {
			this.#hasMemory = true;
			this.ask(this.#file, 0, nowMs);
		} else this.fail(REFUSALS[NO_MEMORY]);
	}

	drain(nowMs: number): void {
		const client = this.#client;
		const reply = this.#reply;
		if (client === undefined || reply === undefined || client.outcome === OUTCOME_NONE) return;
		const { updater, text } = this.#deps;
		const { outcome } = client;
		const { isWhole } = reply;
		const mayFollow = this.#server === undefined && this.#redirects < REDIRECTS;
		const next = mayFollow ? redirectOf(reply, this.#url, text) : undefined;
		this.close();
		const isFile = outcome === OK || outcome === PARTIAL_CONTENT;
		const isComplete = isWhole || updater.received === updater.total;
		if (next !== undefined) this.ask(next, this.#redirects + 1, nowMs);
		else if (this.#hasBegun && isFile && isComplete) {
			this.enter(STATE_VERIFYING, Number.POSITIVE_INFINITY);
			updater.end();
		} else if (this.#hasBegun && this.#tries < TRIES) {
			this.#tries++;
			this.enter(STATE_PAUSING, nowMs + PAUSE_MS);
		} else if (outcome >= FIRST_STATUS) {
			this.fail(`${REFUSALS[NOT_FOUND]} It answers ${outcome}.`, `: ${outcome}`);
		} else this.failUnreachable(outcome);
	}

	get limit(): number {
		return this.#deps.updater.limit;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		const { updater } = this.#deps;
		this.rest = 0;
		if (!this.#hasBegun) {
			const refusal = updater.begin(this, 0);
			if (refusal !== TAKEN) {
				this.fail(REFUSALS[refusal]);
				return;
			}
			this.#hasBegun = true;
		}
		const isRest = this.#reply?.status === PARTIAL_CONTENT;
		const skipped = isRest ? 0 : Math.min(this.#known, end - start);
		this.#known -= skipped;
		this.rest = end - start - skipped - updater.write(bytes, start + skipped, end);
	}

	/** Does nothing, because `drain` handles the end of the file. */
	end(): void {}

	updated(refusal: number, version: string): void {
		if (refusal === TAKEN) this.#version = version;
		this.finish();
	}

	private ask(url: FileURL, redirects: number, nowMs: number): void {
		const { port, text, updater } = this.#deps;
		this.enter(STATE_LOADING, this.#limitMs);
		this.#url = url;
		this.#redirects = redirects;
		this.#known = updater.received;
		this.#reply = new ReplyReader(undefined, LINE_SIZE, this);
		const range = `${this.#known}-`;
		const request = { task: this.#task, text, url, range, reply: this.#reply };
		const server = this.#server;
		const client =
			server?.connect((serverPort, tls) => {
				const { authorization } = server;
				return requestFile({ ...request, port: serverPort, tls, authorization }, nowMs);
			}) ?? requestFile({ ...request, port }, nowMs);
		if (typeof client === "number") this.failUnreachable(client);
		else this.#client = client;
	}

	private failUnreachable(outcome: number): void {
		const { code, message } = connectFailure(outcome);
		this.fail(`${REFUSALS[UNREACHABLE]} ${message}`, `: ${code}`);
	}

	private enter(state: number, dueMs: number): void {
		this.#state = state;
		this.#dueMs = dueMs;
	}

	private close(): void {
		this.#client?.close();
		this.#client = this.#reply = undefined;
	}

	/**
	 * Ends the download without success. `failure` consists of code, blank and message. If the updater has begun, it
	 * reports its own failure instead. `more`: text that follows the code in the log.
	 */
	private fail(failure: string, more = ` from ${this.name}`): void {
		const { updater } = this.#deps;
		if (this.#hasBegun) updater.abort();
		else {
			updater.fail(failure, more);
			this.finish();
		}
	}

	private finish(): void {
		if (this.#state === STATE_OVER) return;
		const { ledger, over, tlsPermit } = this.#deps;
		this.enter(STATE_OVER, Number.POSITIVE_INFINITY);
		this.close();
		if (this.#hasMemory) ledger.release(UPGRADE_COST);
		tlsPermit.release(this);
		this.#task.stop();
		over(this.#version);
	}
}
