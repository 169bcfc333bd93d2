/**
 * Checks once a day for newer firmware and reports it; the user decides about the installation (download.ts). The check
 * fetches the front of the board's release file (file-request.ts). The highest version that was found is stored until
 * it is installed or the address changes. A failed check is not reported. The columns of the table are events:
 *
 *              time                  permit          reply, or no reply
 *   RESTING    ASKING, QUEUED (a)    –               –
 *   QUEUED     RESTING               ASKING (a)      –
 *   ASKING     RESTING               –               RESTING; ASKING after a redirect
 *
 *   (a) If the clock is not set, there is no network, memory is short, or on battery power: RESTING for an hour.
 *
 * Changed settings lead to RESTING for a short time (SETTLE_MS).
 */

import { put } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import type { EventLog } from "../../diagnostics/event-log.js";
import { type HTTPClient, OUTCOME_NONE } from "../../http/client.js";
import { ReplyReader } from "../../http/reply.js";
import { type FileURL, parseFileURL } from "../../http/url.js";
import type { ClientPort } from "../../io/client.js";
import type { Crypto } from "../../io/crypto.js";
import type { Driver, ScheduledMachine, Task } from "../../io/driver.js";
import type { Update } from "../../io/flash.js";
import type { Clock, HostInfo, Power, TextCodec } from "../../io/host.js";
import type { MemoryLedger } from "../../io/memory.js";
import type { PermitClient, TLSPermit } from "../../io/tls-permit.js";
import { isOnBattery } from "../../power/supply.js";
import {
	LINE_SIZE,
	OK,
	PARTIAL_CONTENT,
	REDIRECTS,
	redirectOf,
	requestFile,
	UPGRADE_COST,
} from "../../update/file-request.js";
import { FRONT_LENGTH, refusalOf, refusalOfKind, versionOf } from "../../update/front.js";
import { EVENT_UPDATE_FOUND } from "../../update/log-events.js";
import { TAKEN } from "../../update/refusals.js";
import { isNewer } from "../../update/version.js";
import { UPGRADE_CHECK_ENABLED, UPGRADE_FOUND_VERSION } from "./fields.js";
import { securityPuts } from "./security-level.js";
import { upgradeURLOf } from "./upgrade.js";

export interface NoticeDeps {
	readonly driver: Driver;
	readonly crypto: Pick<Crypto, "random" | "hash" | "sha256" | "verifyP256">;
	readonly clock: Pick<Clock, "utcMs">;
	readonly text: TextCodec;
	readonly info: Pick<HostInfo, "board" | "chip" | "deviceId" | "firmwareVersion" | "upgradeUrl">;
	readonly config: Pick<ConfigStore, "get" | "note">;
	readonly ledger: MemoryLedger;
	readonly tlsPermit: TLSPermit;
	/** Wi-Fi radio; undefined if the board has none. Such a board counts as always connected. */
	readonly radio: { readonly address: unknown } | undefined;
	readonly power: Power | undefined;
	readonly events: Pick<EventLog, "note">;
	readonly live: { changed(): void };
}

export const NOTICE_HOUR_MS = 3_600_000;
export const NOTICE_DAY_MS = 24 * NOTICE_HOUR_MS;
const FIRST_MS = 600_000;
/** Delay of the check after a change of settings, ms, so that the reply is sent before it. */
const SETTLE_MS = 2000;
/** Longest wait for the permit, ms. It is also the time limit for all replies of a check together. */
const TURN_MS = 30_000;
const LOOK_MS = 60_000;

const STATE_RESTING = 0;
const STATE_QUEUED = 1;
const STATE_ASKING = 2;

interface Look {
	readonly client: HTTPClient;
	readonly reply: ReplyReader;
	readonly front: Uint8Array;
	readonly url: FileURL;
	readonly redirects: number;
}

export class UpgradeNotice implements ScheduledMachine, PermitClient {
	readonly #deps: NoticeDeps;
	readonly #port: ClientPort;
	readonly #update: Update;
	readonly #task: Task;
	#state = STATE_RESTING;
	#dueMs: number;
	#look: Look | undefined;

	constructor(deps: NoticeDeps, port: ClientPort, update: Update) {
		this.#deps = deps;
		this.#port = port;
		this.#update = update;
		this.#dueMs = deps.driver.nowMs() + FIRST_MS + this.chance();
		this.#task = deps.driver.register("upgrade", this);
	}

	/**
	 * Handles changed settings. If the address has changed, parts/update/routes/upgrade.ts deletes the version that was found.
	 */
	settingsChanged(): void {
		this.#deps.live.changed();
		this.#task.update((nowMs) => this.rest(nowMs + SETTLE_MS));
	}

	stop(): void {
		this.rest(Number.POSITIVE_INFINITY);
		this.#task.stop();
	}

	permitGranted(): void {
		this.#task.fromHost((nowMs) => {
			if (this.#state === STATE_QUEUED) this.#dueMs = nowMs;
			else this.#deps.tlsPermit.release(this);
		});
	}

	/** Does nothing, because the check holds the permit only briefly. */
	permitRequested(): void {}

	get deadlineMs(): number {
		return Math.min(this.#dueMs, this.#look?.client.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	advance(nowMs: number): void {
		this.#look?.client.advance(nowMs);
		if (nowMs < this.#dueMs) return;
		if (this.#state === STATE_ASKING) this.rest(this.tomorrow(nowMs));
		else if (this.#state === STATE_QUEUED && !this.#deps.tlsPermit.isHeldBy(this)) this.rest(nowMs + NOTICE_HOUR_MS);
		else this.begin(nowMs);
	}

	drain(nowMs: number): void {
		const look = this.#look;
		if (look === undefined || look.client.outcome === OUTCOME_NONE) return;
		const { client, reply, front } = look;
		const { outcome } = client;
		const next = look.redirects < REDIRECTS ? redirectOf(reply, look.url, this.#deps.text) : undefined;
		if (next !== undefined) {
			client.close();
			this.ask(next, look.redirects + 1, nowMs);
			return;
		}
		this.rest(this.tomorrow(nowMs));
		if ((outcome === OK || outcome === PARTIAL_CONTENT) && reply.stored === FRONT_LENGTH) this.validate(front);
	}

	private begin(nowMs: number): void {
		const { config, info, clock, ledger, power, radio, tlsPermit } = this.#deps;
		const isOn = config.get(UPGRADE_CHECK_ENABLED);
		const url = isOn ? parseFileURL(upgradeURLOf(config, info)) : undefined;
		if (url === undefined) {
			this.rest(Number.POSITIVE_INFINITY);
			return;
		}
		const isOffline = radio !== undefined && radio.address === undefined;
		if (isOffline || clock.utcMs() === undefined || isOnBattery(power)) {
			this.rest(nowMs + NOTICE_HOUR_MS);
			return;
		}
		this.enter(STATE_QUEUED, nowMs + TURN_MS);
		if (!tlsPermit.request(this)) return;
		if (ledger.claimWithHeap(UPGRADE_COST)) {
			this.enter(STATE_ASKING, nowMs + LOOK_MS);
			this.ask(url, 0, nowMs);
		} else this.rest(nowMs + NOTICE_HOUR_MS);
	}

	/** Sends a request. Its memory stays claimed until `rest()`. */
	private ask(url: FileURL, redirects: number, nowMs: number): void {
		const { text } = this.#deps;
		const front = new Uint8Array(FRONT_LENGTH);
		const reply = new ReplyReader(front, LINE_SIZE);
		const range = `0-${FRONT_LENGTH - 1}`;
		const client = requestFile({ task: this.#task, port: this.#port, text, url, range, reply }, nowMs);
		this.#look = { client, reply, front, url, redirects };
	}

	/**
	 * Stores the version of a signed file if it is newer than the running version and all versions found before.
	 * Otherwise a server could suppress the notice with an old file.
	 */
	private validate(front: Uint8Array): void {
		const { config, events, info, live } = this.#deps;
		if (refusalOfKind(front, front.length) !== TAKEN || refusalOf(front, this.#deps, this.#update, 0) !== TAKEN) return;
		const offered = versionOf(front);
		if (!isNewer(offered, info.firmwareVersion) || !isNewer(offered, config.get(UPGRADE_FOUND_VERSION))) return;
		config.note([put(UPGRADE_FOUND_VERSION, offered), ...securityPuts(front, this.#update, this.#deps)]);
		events.note(EVENT_UPDATE_FOUND, offered);
		live.changed();
	}

	/**
	 * Returns a time about a day later. It varies at random, so that gateways do not all send requests at the same time.
	 */
	private tomorrow(nowMs: number): number {
		return nowMs + NOTICE_DAY_MS - NOTICE_HOUR_MS / 2 + this.chance();
	}

	private chance(): number {
		const [high, low] = this.#deps.crypto.random(2);
		return (NOTICE_HOUR_MS * (high * 256 + low)) / 65_536;
	}

	private enter(state: number, dueMs: number): void {
		this.#state = state;
		this.#dueMs = dueMs;
	}

	private rest(dueMs: number): void {
		const { ledger, tlsPermit } = this.#deps;
		if (this.#state === STATE_ASKING) ledger.release(UPGRADE_COST);
		this.#look?.client.close();
		this.#look = undefined;
		this.enter(STATE_RESTING, dueMs);
		tlsPermit.release(this);
	}
}
