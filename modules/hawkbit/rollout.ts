/**
 * Rolls out firmware for an Eclipse hawkBit server (docs/fleet.md): polls it, installs what it deploys, and reports the
 * result. The signed file decides as for an upload; the server only says which file.
 *
 *              time            permit    poll: nothing    poll: a file    poll failed    download over
 *   RESTING    ASKING, QUEUED  –         –                –               –              –
 *   QUEUED     RESTING (a)     ASKING    –                –               –              –
 *   ASKING     RESTING (a)     –         RESTING          LOADING         RESTING (a)    –
 *   LOADING    –               –         –                –               –              RESTING; a restart follows (b)
 *
 *   (a) a failure; the pause grows with their number.    (b) if the file is installed
 *
 * Changed settings lead to RESTING for a short time, and end a download. The action is in flash (record.ts): after the
 * restart the poll reports that the new firmware is confirmed, or that the previous one runs again.
 */
import type { Core } from "../core/core.js";
import type { HTTPClient } from "../http/client.js";
import { type HubURL, parseHubURL } from "../http/url.js";
import { CLIENT_TIMEOUT, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { ScheduledMachine, Task } from "../io/driver.js";
import type { Update } from "../io/flash.js";
import type { Cost } from "../io/memory.js";
import type { Firmware } from "../ota/firmware.js";
import { UPDATE } from "../ota/part.js";
import { isOnBattery } from "../power/supply.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import { Output, type OutputAccess, type OutputDeps, type OutputListener, OWNER_PAUSE_MS } from "../publish/output.js";
import { NETWORK } from "../wifi/part.js";
import { BAD_URL, FORBIDDEN, failureOf, NO_CERTIFICATE, NO_MEMORY, NO_NETWORK, UNAUTHORIZED } from "./failures.js";
import {
	HAWKBIT_CONTROLLER_ID,
	HAWKBIT_TENANT,
	HAWKBIT_TOKEN,
	HAWKBIT_TOKEN_KIND,
	HAWKBIT_URL,
	TOKEN_TARGET,
} from "./fields.js";
import { Poll, TRIES } from "./poll.js";
import { type Action, storeAction } from "./record.js";

/** Memory of the connection, the reader of a document, and a request. */
export const HAWKBIT_COST: Cost = Object.freeze({ slots: 350, chunkBytes: 8192 });

/** Bounds of the pause that the server asks for. */
export const PAUSE_LEAST_S = 30;
export const PAUSE_MOST_S = 86_400;
const PAUSE_USUAL_S = 300;
/** After failures in a row, seconds. */
const RETRY_S = Object.freeze([30, 60, 300, 900, 3600]);
/** Time from changed settings, or from the end of a download, to the next poll. */
export const SETTLE_MS = 2000;
const HOUR_MS = 3_600_000;
/** Longest wait for the permit, and limit of a poll with all its requests. */
const TURN_MS = 70_000;
const POLL_MS = 60_000;

const CODES_TO_REPEAT = Object.freeze(["ota_interrupted", "ota_unreachable", "ota_not_found"]);
const BUSY = "busy";

const STATE_RESTING = 0;
const STATE_QUEUED = 1;
const STATE_ASKING = 2;
const STATE_LOADING = 3;

/** The owner cannot start a test. */
const OUTPUT = Object.freeze({ cost: HAWKBIT_COST, testLeastMs: 0, testLimitMs: 0 });

export class Rollout implements OutputListener, ScheduledMachine {
	readonly output: Output;
	readonly #core: Core;
	readonly #task: Task;
	#state = STATE_RESTING;
	#dueMs: number;
	#poll: Poll | undefined;

	/** The host must be able to install updates from a server. `leastMs`: shortest time to the first poll. */
	constructor(core: Core, deps: OutputDeps, access: OutputAccess, leastMs: number) {
		this.#core = core;
		this.output = new Output(deps, access, this, OUTPUT);
		this.#dueMs = core.driver.nowMs() + leastMs;
		this.#task = core.driver.register("hawkbit", this);
	}

	stop(): void {
		const wasLoading = this.#state === STATE_LOADING;
		this.rest(Number.POSITIVE_INFINITY);
		this.#task.stop();
		if (wasLoading) this.firmware.stopDownload();
	}

	permitted(): void {
		this.#task.fromHost((nowMs) => {
			this.#dueMs = nowMs;
		});
	}

	get deadlineMs(): number {
		return Math.min(this.#dueMs, this.#poll?.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	advance(nowMs: number): void {
		this.#poll?.advance(nowMs);
		if (nowMs < this.#dueMs) return;
		if (this.#state === STATE_ASKING) this.fail(failureOf(CLIENT_TIMEOUT), nowMs);
		else if (this.#state === STATE_QUEUED && !this.#core.tlsPermit.isHeldBy(this.output)) this.fail(NO_MEMORY, nowMs);
		else this.begin(nowMs);
	}

	drain(nowMs: number): void {
		const poll = this.#poll;
		if (poll === undefined || !poll.step(nowMs)) return;
		const { action, document, failure, file } = poll;
		if (failure !== undefined) {
			this.fail(failure, nowMs);
			return;
		}
		this.output.attempts = 0;
		this.output.sent();
		this.output.succeed(0, nowMs);
		const isOpen = action?.result === "";
		const pauseS = document.sleepS === 0 ? PAUSE_USUAL_S : Math.max(document.sleepS, PAUSE_LEAST_S);
		this.rest(nowMs + this.spread(1000 * (isOpen ? PAUSE_LEAST_S : Math.min(pauseS, PAUSE_MOST_S))));
		if (file !== "" && action !== undefined) this.download(action, file);
	}

	private begin(nowMs: number): void {
		const { config, host } = this.#core;
		const { output } = this;
		const url = parseHubURL(config.get(HAWKBIT_URL));
		const { manager } = this.#core.find(NETWORK);
		if (isOnBattery(host.power)) this.rest(nowMs + HOUR_MS);
		else if (url === undefined || !url.secure || url.host.startsWith("[")) this.fail(BAD_URL, nowMs);
		else if (!output.hasCertificates) this.fail(NO_CERTIFICATE, nowMs);
		else if (manager !== undefined && manager.address === undefined) this.fail(NO_NETWORK, nowMs);
		else {
			this.enter(STATE_QUEUED, nowMs + TURN_MS);
			if (!output.askPermit()) return;
			if (output.claimConnection()) this.ask(url, nowMs);
			else this.fail(NO_MEMORY, nowMs);
		}
	}

	/** Starts a poll; its memory is claimed until `rest()`. */
	private ask(url: HubURL, nowMs: number): void {
		const { config, host, info, storage, text, writer } = this.#core;
		const tenant = config.get(HAWKBIT_TENANT);
		const id = config.get(HAWKBIT_CONTROLLER_ID) || info.serial;
		this.enter(STATE_ASKING, nowMs + POLL_MS);
		this.#poll = new Poll(
			{
				task: this.#task,
				text,
				writer,
				storage,
				info,
				update: host.update as Update,
				url,
				authorization: this.authorization,
				path: `${url.path}/${tenant}/controller/v1/${id}`,
				connect: (make) => this.connect(make),
			},
			nowMs,
		);
	}

	private get firmware(): Firmware {
		return this.#core.find(UPDATE) as Firmware;
	}

	private get authorization(): string {
		const { config } = this.#core;
		const kind = config.get(HAWKBIT_TOKEN_KIND) === TOKEN_TARGET ? "TargetToken" : "GatewayToken";
		return `${kind} ${config.get(HAWKBIT_TOKEN)}`;
	}

	private connect(make: (port: ClientPort, tls: TLSClientOptions) => HTTPClient): HTTPClient | number {
		return this.output.connect(true, (port, tls) => make(port, tls as TLSClientOptions));
	}

	private download(action: Action, file: string): void {
		const { config, storage, text } = this.#core;
		const { firmware } = this;
		const { host, port } = parseHubURL(config.get(HAWKBIT_URL)) as HubURL;
		const begun = { ...action, tries: action.tries + 1 };
		const server = {
			authorization: this.authorization,
			connect: (make: (port: ClientPort, tls: TLSClientOptions) => HTTPClient) => this.connect(make),
		};
		const over = (version: string) => this.#task.update((overMs) => this.downloaded(begun, version, overMs));
		// If something else is being installed, the next poll tries again.
		if (firmware.download({ host, port, target: file }, server, over) !== "") return;
		this.enter(STATE_LOADING, Number.POSITIVE_INFINITY);
		storeAction(storage, text, begun);
	}

	/** `version`: that of the installed file; "" if the download or the file has failed. */
	private downloaded(action: Action, version: string, nowMs: number): void {
		if (this.#state !== STATE_LOADING) return;
		const { storage, text } = this.#core;
		const { failure, lastError } = this.firmware.updater;
		if (version !== "") {
			this.rest(Number.POSITIVE_INFINITY);
			storeAction(storage, text, { ...action, version });
			return;
		}
		const isBusy = lastError === BUSY;
		const mayRepeat = isBusy || (CODES_TO_REPEAT.includes(lastError) && action.tries < TRIES);
		this.rest(nowMs + (mayRepeat ? this.spread(1000 * RETRY_S[action.tries]) : SETTLE_MS));
		if (isBusy) storeAction(storage, text, { ...action, tries: action.tries - 1 });
		else if (!mayRepeat) storeAction(storage, text, { ...action, result: failure });
	}

	private fail(failure: OutputFailure, nowMs: number): void {
		const isOwners = failure === UNAUTHORIZED || failure === FORBIDDEN;
		this.rest(nowMs);
		this.output.fail(failure, 0, nowMs);
		this.#dueMs = nowMs + (isOwners ? this.spread(OWNER_PAUSE_MS) : this.output.pauseMs(RETRY_S));
	}

	private spread(ms: number): number {
		return ms * (1 + this.#core.crypto.random(1)[0] / 1280);
	}

	private enter(state: number, dueMs: number): void {
		this.#state = state;
		this.#dueMs = dueMs;
	}

	/** Releases its memory and permit. */
	private rest(dueMs: number): void {
		const poll = this.#poll;
		this.#poll = undefined;
		poll?.close();
		this.enter(STATE_RESTING, dueMs);
		this.output.giveBack();
	}
}
