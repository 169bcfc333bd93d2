/**
 * Polls an Eclipse hawkBit server (docs/fleet.md), installs the firmware that the server deploys, and reports the
 * result. The server can only name the file. As with an upload, the signature of the file decides whether it is
 * installed.
 *
 * A poll is a visit (publish/visits.ts). If it ends with a file, the state is LOADING until the download is over, then
 * RESTING. If the file was installed, a restart follows.
 *
 * After a failed download, the next one must wait, and longer after each further failure (RETRY_S). Otherwise a server
 * that always deploys another bad file could wear out the flash.
 *
 * Changed settings end a download. The action is stored in flash (record.ts). So after the restart a poll can report
 * that the new firmware is confirmed, or that the previous one runs again.
 */
import type { Core } from "../../core/core.js";
import { Poll, TRIES } from "../../hawkbit/poll.js";
import { type Action, storeAction } from "../../hawkbit/record.js";
import type { HTTPClient } from "../../http/client.js";
import { type FileURL, type HubURL, parseHubURL } from "../../http/url.js";
import type { ClientPort, TLSClientOptions } from "../../io/client.js";
import type { Update } from "../../io/flash.js";
import type { Cost } from "../../io/memory.js";
import type { OutputAccess, OutputDeps } from "../../publish/output.js";
import { RETRY_S, SETTLE_MS, STATE_ASKING, Visits } from "../../publish/visits.js";
import type { Firmware } from "../update/firmware.js";
import { UPDATE } from "../update/part.js";
import {
	HAWKBIT_CONTROLLER_ID,
	HAWKBIT_TENANT,
	HAWKBIT_TOKEN,
	HAWKBIT_TOKEN_KIND,
	HAWKBIT_URL,
	TOKEN_TARGET,
} from "./fields.js";

/** Memory that a poll needs for the connection, the reader of a document, and a request. */
export const HAWKBIT_COST: Cost = Object.freeze({ slots: 350, chunkBytes: 8192 });

/** Bounds of the pause between two polls, and the pause if the server requests none, seconds. */
export const PAUSE_LEAST_S = 30;
export const PAUSE_MOST_S = 86_400;
const PAUSE_USUAL_S = 300;
const CODES_TO_REPEAT = Object.freeze(["ota_interrupted", "ota_unreachable", "ota_not_found"]);
const BUSY = "busy";

const STATE_LOADING = STATE_ASKING + 1;

export class Rollout extends Visits<Poll> {
	readonly #core: Core;
	/** Number of failed downloads since the start, or since the settings were changed. */
	#failures = 0;
	/** Earliest time of the next download, monotonic ms. */
	#downloadMs = 0;

	/** The host must be able to download and install updates. */
	constructor(core: Core, deps: OutputDeps, access: OutputAccess, isStart: boolean) {
		super(deps, access, HAWKBIT_URL, HAWKBIT_COST, isStart);
		this.#core = core;
	}

	override stop(): void {
		const wasLoading = this.state === STATE_LOADING;
		super.stop();
		if (wasLoading) this.firmware.stopDownload();
	}

	drain(nowMs: number): void {
		const poll = this.visit;
		if (poll === undefined || !poll.step(nowMs)) return;
		const { action, document, failure, file } = poll;
		if (failure !== undefined) {
			this.fail(failure, nowMs);
			return;
		}
		const isOpen = action?.result === "";
		const pauseS = document.sleepS === 0 ? PAUSE_USUAL_S : Math.max(document.sleepS, PAUSE_LEAST_S);
		this.succeed(1000 * (isOpen ? PAUSE_LEAST_S : Math.min(pauseS, PAUSE_MOST_S)), nowMs);
		if (file !== "" && action !== undefined) this.download(action, file);
	}

	protected ask(_: FileURL, nowMs: number): void {
		const { config, host, info, storage, text, writer } = this.#core;
		const url = this.url;
		const tenant = config.get(HAWKBIT_TENANT);
		const id = config.get(HAWKBIT_CONTROLLER_ID) || info.serial;
		this.visit = new Poll(
			{
				task: this.task,
				text,
				writer,
				storage,
				info,
				update: host.update as Update,
				mayDownload: nowMs >= this.#downloadMs,
				url,
				authorization: this.authorization,
				path: `${url.path}/${tenant}/controller/v1/${id}`,
				connect: (make) => this.connect(make),
			},
			nowMs,
		);
	}

	private get url(): HubURL {
		return parseHubURL(this.#core.config.get(HAWKBIT_URL)) as HubURL;
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
		const { storage, text } = this.#core;
		const { firmware } = this;
		const { host, port } = this.url;
		const begun = { ...action, tries: action.tries + 1 };
		const server = {
			authorization: this.authorization,
			connect: (make: (port: ClientPort, tls: TLSClientOptions) => HTTPClient) => this.connect(make),
		};
		const over = (version: string) => this.task.update((overMs) => this.downloaded(begun, version, overMs));
		// If another update is being installed, the download is tried again at the next poll.
		if (firmware.download({ host, port, target: file }, server, over) !== "") return;
		this.enter(STATE_LOADING, Number.POSITIVE_INFINITY);
		storeAction(storage, text, begun);
	}

	/**
	 * Called after a download. `version` is the version of the installed firmware; "" if the download or the
	 * installation has failed.
	 */
	private downloaded(action: Action, version: string, nowMs: number): void {
		if (this.state !== STATE_LOADING) return;
		const { storage, text } = this.#core;
		const { failure, lastError } = this.firmware.updater;
		if (version !== "") {
			this.rest(Number.POSITIVE_INFINITY);
			storeAction(storage, text, { ...action, version });
			return;
		}
		const isBusy = lastError === BUSY;
		if (!isBusy) this.#downloadMs = nowMs + 1000 * RETRY_S[Math.min(this.#failures++, RETRY_S.length - 1)];
		const mayRepeat = isBusy || (CODES_TO_REPEAT.includes(lastError) && action.tries < TRIES);
		this.rest(nowMs + (mayRepeat ? this.spread(1000 * RETRY_S[action.tries]) : SETTLE_MS));
		if (isBusy) storeAction(storage, text, { ...action, tries: action.tries - 1 });
		else if (!mayRepeat) storeAction(storage, text, { ...action, result: failure });
	}
}
