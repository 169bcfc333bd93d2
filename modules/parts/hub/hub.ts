/**
 * Publishes readings through Home Assistant's REST API, with POST /api/states/<entity_id> for each entity
 * (entities.ts), over one connection. Also detects when the hub has lost the entities. A caller gets the result of a
 * transmission only for a test that the user starts.
 *
 *              readout         meter fails     due           permit       all sent     failed    401, 403   test
 *   OFF        -               -               -             -            -            -         -          refused
 *   RESTING    WAITING (a)     WAITING (a)     begins (b)    -            -            -         -          begins
 *   WAITING    newer data      unchanged       begins        -            -            -         -          begins
 *   REFUSED    newer data      unchanged       begins        -            -            -         -          begins
 *   QUEUED     newer data      unchanged       QUEUED (e)    SENDING      -            -         -          joins
 *   SENDING    sent next       sent next       WAITING (c)   -            RESTING (d)  WAITING   REFUSED    joins
 *
 *   begins: SENDING; QUEUED if another client has the TLS permit; WAITING for a moment if memory is short.
 *   (a) immediately, but not before HUB_PAUSE_MS after the start of the last batch.
 *   (b) sends one entity as a check. A hub that was restarted replies 201, and then all entities are sent again.
 *   (c) This is a failure: the batch took longer than HUB_BATCH_MS.
 *   (d) WAITING if new data arrived during the transmission.
 *   (e) The permit did not come within TURN_MS. A test fails, but the hub keeps its place in the queue. On battery it
 *       goes to WAITING, as after a failure.
 *   Changed settings end a transmission and lead to WAITING or OFF. When the network is restored, a delay in WAITING
 *   ends.
 *
 * Readouts are not queued: a batch contains the last good readout at the time when it starts. After a failure there are
 * further attempts at increasing intervals (RETRY_S). In REFUSED there is only one attempt per hour, because a hub may
 * ban clients with a wrong token. On battery nothing is sent between readouts, and there is only one retry after a
 * failure.
 *
 * After a batch that the hub has accepted, the statistics (statistics.ts) are sent; meanwhile the state is still
 * SENDING. If sending statistics fails, states are sent nevertheless.
 */

import type { Core, Running } from "../../core/core.js";
import { kind } from "../../diagnostics/events.js";
import { HTTP_CONNECT_MS, HTTP_NO_REPLY } from "../../http/client.js";
import { type HubURL, parseHubURL } from "../../http/url.js";
import { Batch, SEND_ALL, SEND_ONE, SEND_OWN } from "../../hub/batch.js";
import {
	HUB_BAD_URL,
	HUB_FORBIDDEN,
	HUB_NO_CERTIFICATE,
	HUB_NO_NETWORK,
	HUB_NO_TURN,
	HUB_UNAUTHORIZED,
	hubFailure,
} from "../../hub/failures.js";
import type { Snapshot } from "../../hub/state-bodies.js";
import { PROGRESS_KEY } from "../../hub/statistic-progress.js";
import { CLIENT_ENDED } from "../../io/client.js";
import type { ScheduledMachine, Task } from "../../io/driver.js";
import type { Cost } from "../../io/memory.js";
import { languageOf } from "../../obis/names.js";
import { isOnBattery } from "../../power/supply.js";
import { type OutputFailure, RETCODE_REFUSED } from "../../publish/connect-failures.js";
import { Output, type OutputDeps, type OutputListener, OWNER_PAUSE_MS, type SendTest } from "../../publish/output.js";
import { OutputPart, type OutputPartOptions } from "../publish/output-part.js";
import { HUB_CERTIFICATE, HUB_CERTIFICATE_LIMIT, HUB_ENABLED, HUB_LANG, HUB_TOKEN, HUB_URL } from "./fields.js";
import { HUB_TEXTS } from "./routes.js";
import { type StatisticSources, Statistics } from "./statistics.js";

/** A batch has failed for the first time after a success. Detail: code of the failure. */
const EVENT_HUB_FAILED = kind(18, "hub_failed", { isPlain: true });
/** A batch has succeeded for the first time after a failure. */
const EVENT_HUB_BACK = kind(19, "hub_back");

export const HUB_EVENTS = Object.freeze([EVENT_HUB_FAILED, EVENT_HUB_BACK]);

export const HUB_PART: OutputPartOptions = Object.freeze({
	texts: HUB_TEXTS,
	certificate: HUB_CERTIFICATE,
	limit: HUB_CERTIFICATE_LIMIT,
	keys: "hub_cert",
	progress: PROGRESS_KEY,
	failed: EVENT_HUB_FAILED,
	works: EVENT_HUB_BACK,
});

/**
 * Memory for the connection and the requests of a batch, or for the statistics. They take at most 265 XS slots and 5.3
 * KB.
 */
export const HUB_COST: Cost = Object.freeze({ slots: 350, chunkBytes: 6144 });

/** Minimum time between the starts of two batches. */
export const HUB_PAUSE_MS = 10_000;
const SETTLE_MS = 2000;
const RETRY_S = Object.freeze([10, 30, 120, 300, 900]);
/** Delay of a retry after a lack of memory, ms. */
const SHORT_MS = 2000;
/**
 * Interval of the checks whether the hub still has the entities. For HUB_ALERT_MS after a failure it is
 * HUB_WATCH_SOON_MS.
 */
export const HUB_WATCH_MS = 300_000;
export const HUB_WATCH_SOON_MS = 60_000;
export const HUB_ALERT_MS = 600_000;
/** Maximum duration of a batch (HUB_BATCH_MS), and maximum wait for the TLS permit (TURN_MS). */
export const HUB_BATCH_MS = 60_000;
const TURN_MS = 20_000;
/** On battery, sleep is delayed if a batch is due within this time. */
const SOON_MS = 15_000;

const OUTPUT = Object.freeze({ cost: HUB_COST, testLeastMs: HTTP_CONNECT_MS, testLimitMs: TURN_MS + HUB_BATCH_MS });

const STATE_OFF = 0;
const STATE_RESTING = 1;
const STATE_WAITING = 2;
const STATE_REFUSED = 3;
const STATE_QUEUED = 4;
const STATE_SENDING = 5;

export class Hub extends OutputPart<Hub> implements OutputListener, Running, ScheduledMachine {
	readonly #deps: OutputDeps;
	readonly #task: Task;
	#state = STATE_OFF;
	/** Time at which the limit or the delay of the current state ends, monotonic ms. */
	#dueMs = Number.POSITIVE_INFINITY;
	/** Scope of the next batch, SEND_…. It depends on the data that have arrived since the start of the last batch. */
	#wanted = SEND_ONE;
	#batch: Batch | undefined;
	/** Start of the last batch, monotonic ms. */
	#begunMs = Number.NEGATIVE_INFINITY;
	#failedMs = Number.NEGATIVE_INFINITY;
	/** True if the hub has accepted data with these settings. */
	#isProven = false;
	taken = 0;
	readonly output: Output;
	readonly statistics: Statistics;

	constructor(core: Core, deps: OutputDeps, sources?: StatisticSources) {
		super(core, HUB_PART);
		this.#deps = deps;
		this.output = new Output(deps, this, this, OUTPUT);
		this.statistics = new Statistics(this.output, deps, sources);
		if (deps.config.get(HUB_ENABLED)) this.#state = STATE_RESTING;
		this.#task = deps.driver.register("hub", this);
	}

	/** `off`, `waiting` (nothing sent yet), `ok`, or the code of the last failure. */
	get state(): string {
		if (this.#state === STATE_OFF) return "off";
		return this.output.failure?.code ?? (this.#isProven ? "ok" : "waiting");
	}

	override get sender(): Hub {
		return this;
	}

	get isSending(): boolean {
		if (this.#state >= STATE_QUEUED) return true;
		return this.#state === STATE_WAITING && this.#dueMs <= this.#deps.driver.nowMs() + SOON_MS;
	}

	whenMeasured(): void {
		this.#task.update((nowMs) => this.want(SEND_ALL, nowMs));
	}

	/** The meter can't be read. If its momentary values are too old, all states are sent, with those values unknown. */
	whenMeterFailed(): void {
		const { isOld } = this.#deps.reader.outcomes;
		this.#task.update((nowMs) => this.want(isOld ? SEND_ALL : SEND_OWN, nowMs));
	}

	/**
	 * Applies changed settings. It is also called if the user saves the same settings again, for a retry after a
	 * failure.
	 */
	settingsChanged(): void {
		this.#task.update((nowMs) => {
			this.close();
			this.output.renew();
			this.#isProven = false;
			this.statistics.restart();
			const isOn = this.#deps.config.get(HUB_ENABLED);
			this.#wanted = isOn ? SEND_ALL : SEND_ONE;
			if (isOn) this.enter(STATE_WAITING, nowMs + SETTLE_MS);
			else {
				this.enter(STATE_OFF, Number.POSITIVE_INFINITY);
				this.output.answer(hubFailure(CLIENT_ENDED), 0, nowMs);
			}
		});
	}

	/**
	 * Ends the delay after a failure when the network is back. The loss of the network needs no handling, because
	 * requests fail then.
	 */
	whenNetworkChanged(isUp: boolean): void {
		if (!isUp) return;
		this.#task.update((nowMs) => {
			const isDelayed =
				this.#state === STATE_WAITING || (this.#state === STATE_RESTING && this.output.failure !== undefined);
			if (!isDelayed) return;
			this.output.attempts = 0;
			this.enter(STATE_WAITING, nowMs + SETTLE_MS);
		});
	}

	/**
	 * Sends all entities for a test by the user. Returns false during or shortly after another test. The hub must be
	 * enabled.
	 */
	test(test: SendTest): boolean {
		return this.#task.update((nowMs) => {
			if (!this.output.test(test, nowMs)) return false;
			if (this.#state === STATE_QUEUED || this.#batch !== undefined) return true;
			this.close();
			this.#wanted = SEND_ALL;
			// The batch begins in a later pass of the event loop, because here, inside nested calls, the stack of the
			// chip would overflow.
			this.enter(STATE_WAITING, nowMs);
			return true;
		});
	}

	cancel(test: SendTest): void {
		this.#task.update((nowMs) => this.output.cancel(test, nowMs));
	}

	override whenStopping(): void {
		this.close();
		this.#task.stop();
	}

	permitted(): void {
		this.#task.fromHost((nowMs) => {
			this.#dueMs = nowMs;
		});
	}

	get deadlineMs(): number {
		const batchMs = this.#batch?.deadlineMs ?? Number.POSITIVE_INFINITY;
		return Math.min(this.#dueMs, batchMs, this.statistics.deadlineMs, this.output.deadlineMs);
	}

	advance(nowMs: number): void {
		this.#batch?.advance(nowMs);
		this.statistics.advance(nowMs);
		if (nowMs < this.#dueMs) return;
		if (this.#state === STATE_QUEUED && !this.#deps.tlsPermit.isHeldBy(this.output)) this.missTurn(nowMs);
		else if (this.#state === STATE_SENDING) this.fail(hubFailure(HTTP_NO_REPLY), 0, nowMs);
		else this.begin(nowMs);
	}

	drain(nowMs: number): void {
		const batch = this.#batch;
		if (batch?.step(nowMs)) {
			if (batch.failure === undefined) this.succeed(batch, nowMs);
			else this.fail(batch.failure, batch.failure.retcode === RETCODE_REFUSED ? batch.status : 0, nowMs);
		}
		if (this.statistics.step(nowMs)) {
			this.close();
			this.rest(nowMs);
		}
		this.output.drain(nowMs);
	}

	private enter(state: number, dueMs: number): void {
		this.#state = state;
		this.#dueMs = dueMs;
	}

	private want(scope: number, nowMs: number): void {
		if (this.#state === STATE_OFF) return;
		this.#wanted = Math.max(this.#wanted, scope);
		if (this.#state === STATE_RESTING) this.rest(nowMs);
	}

	private rest(nowMs: number): void {
		const { power } = this.#deps;
		if (this.#wanted > SEND_ONE) this.enter(STATE_WAITING, Math.max(nowMs, this.#begunMs + HUB_PAUSE_MS));
		else if (isOnBattery(power)) this.enter(STATE_RESTING, Number.POSITIVE_INFINITY);
		else {
			const isAlert = nowMs - this.#failedMs < HUB_ALERT_MS;
			const pauseMs = isAlert ? HUB_WATCH_SOON_MS : HUB_WATCH_MS;
			this.enter(STATE_RESTING, nowMs + (this.statistics.hasMore ? HUB_PAUSE_MS : pauseMs));
		}
	}

	private begin(nowMs: number): void {
		const { config, radio } = this.#deps;
		const { output } = this;
		const url = parseHubURL(config.get(HUB_URL));
		// Errors that only the user can correct are checked first. The TCP clients of the hosts support names and IPv4
		// addresses, but not IPv6 addresses.
		if (url === undefined || url.host.startsWith("[")) this.fail(HUB_BAD_URL, 0, nowMs);
		else if (url.secure && !output.hasCertificates) this.fail(HUB_NO_CERTIFICATE, 0, nowMs);
		else if (radio !== undefined && radio.address === undefined) this.fail(HUB_NO_NETWORK, 0, nowMs);
		else if (url.secure && !this.hasPermit(nowMs)) return;
		else if (output.claimConnection()) this.open(url, nowMs);
		else {
			output.giveBack();
			output.lack(HUB_NO_TURN, nowMs);
			if (nowMs - (output.testedSinceMs ?? nowMs) >= TURN_MS) this.fail(HUB_NO_TURN, 0, nowMs);
			else this.enter(STATE_WAITING, nowMs + SHORT_MS);
		}
	}

	private missTurn(nowMs: number): void {
		if (isOnBattery(this.#deps.power)) this.fail(HUB_NO_TURN, 0, nowMs);
		else {
			this.output.fail(HUB_NO_TURN, 0, nowMs);
			this.enter(STATE_QUEUED, nowMs + TURN_MS);
		}
	}

	/** Requests the TLS permit. Returns false if another client has it and the request is queued. */
	private hasPermit(nowMs: number): boolean {
		this.enter(STATE_QUEUED, nowMs + TURN_MS);
		return this.output.askPermit();
	}

	/** Starts a batch. Its memory has been claimed; `close` releases it. */
	private open(url: HubURL, nowMs: number): void {
		const { config, text } = this.#deps;
		const scope = this.#wanted;
		const snapshot = this.snapshot();
		const token = config.get(HUB_TOKEN);
		this.#begunMs = nowMs;
		this.#wanted = SEND_ONE;
		this.enter(STATE_SENDING, nowMs + HUB_BATCH_MS);
		this.#batch = new Batch(this.output, { task: this.#task, text, url, token, snapshot, scope });
	}

	private snapshot(): Snapshot {
		const { config, networkSettings, reader, writer } = this.#deps;
		const { measured: readout, failure, isOld } = reader.outcomes;
		return {
			sources: this.#deps,
			hostname: networkSettings.hostname,
			language: languageOf(config.get(HUB_LANG)),
			isTest: this.output.testedSinceMs !== undefined,
			readout,
			isOld,
			hasFailed: failure !== undefined,
			writer,
		};
	}

	private succeed({ options, status }: Batch, nowMs: number): void {
		const { output } = this;
		this.closeBatch();
		this.#isProven = true;
		output.attempts = 0;
		output.sent();
		output.succeed(status, nowMs);
		// Each message of the statistics has a time limit of its own.
		if (this.statistics.begin(options, nowMs)) this.enter(STATE_SENDING, Number.POSITIVE_INFINITY);
		else {
			this.close();
			this.rest(nowMs);
		}
	}

	private fail(failure: OutputFailure, status: number, nowMs: number): void {
		const { power } = this.#deps;
		const { output } = this;
		this.#wanted = Math.max(this.#wanted, this.#batch?.scope ?? SEND_ONE);
		this.close();
		this.#failedMs = nowMs;
		output.fail(failure, status, nowMs);
		if (failure === HUB_UNAUTHORIZED || failure === HUB_FORBIDDEN) this.enter(STATE_REFUSED, nowMs + OWNER_PAUSE_MS);
		else if (output.attempts > 1 && isOnBattery(power)) {
			output.attempts = 0;
			this.enter(STATE_RESTING, Number.POSITIVE_INFINITY);
		} else this.enter(STATE_WAITING, nowMs + output.pauseMs(RETRY_S));
	}

	private close(): void {
		this.closeBatch();
		this.statistics.close();
		this.output.giveBack();
	}

	private closeBatch(): void {
		const batch = this.#batch;
		this.#batch = undefined;
		batch?.close();
		this.taken += batch?.taken ?? 0;
	}
}
