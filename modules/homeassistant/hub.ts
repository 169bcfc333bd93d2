/**
 * Publishes what was read to Home Assistant by its REST API, and notices when that has lost it (decisions 44, 45): POST
 * /api/states/<entity_id> for each entity (entities.ts), one after the other over one connection, which ends with them.
 * Nobody waits for it but who has asked for a test.
 *
 *              a readout       meter fails     its time      permit       all taken    failed    401, 403   a test
 *   OFF        -               -               -             -            -            -         -          refused
 *   RESTING    WAITING (a)     WAITING (a)     begins (b)    -            -            -         -          begins
 *   WAITING    the newer one   the same        begins        -            -            -         -          begins
 *   REFUSED    the newer one   the same        begins        -            -            -         -          begins
 *   QUEUED     the newer one   the same        WAITING (c)   SENDING      -            -         -          joins
 *   SENDING    goes next       goes next       WAITING (c)   -            RESTING (d)  WAITING   REFUSED    joins
 *
 *   begins: SENDING; QUEUED where another has the permit for TLS; WAITING for a moment where memory is short.
 *   (a) at once, but PAUSE_MS after the last beginning at the earliest.  (b) one entity only, to see whether the hub still
 *   knows it; a hub that has restarted does not, says 201, and gets everything again.  (c) it has failed: longer than
 *   TURN_MS or BATCH_MS.  (d) WAITING where something new has come meanwhile.
 *   Settings that have changed end what goes on: WAITING, or OFF. A network that is there again ends the WAITING.
 *
 * There is no queue: what is sent is the last good readout at that moment. After a failure it is tried again, later each
 * time (RETRY_S); REFUSED tries once an hour, since a hub may ban who comes with a wrong token. On battery nothing is
 * sent between readouts, and a failure is followed by one more attempt.
 */

import { HTTP_CONNECT_MS, HTTP_NO_REPLY } from "../http/client.js";
import { type HubURL, parseHubURL } from "../http/url.js";
import { CLIENT_ENDED } from "../io/client.js";
import type { ScheduledMachine, Task } from "../io/driver.js";
import type { Cost } from "../io/memory.js";
import { languageOf } from "../obis/names.js";
import { isOnBattery } from "../power/supply.js";
import { type OutputFailure, RETCODE_REFUSED } from "../publish/connect-failures.js";
import {
	Output,
	type OutputAccess,
	type OutputDeps,
	type OutputListener,
	OWNER_PAUSE_MS,
	type SendTest,
} from "../publish/output.js";
import { Batch, SEND_ALL, SEND_ONE, SEND_OWN } from "./batch.js";
import {
	HUB_BAD_URL,
	HUB_FORBIDDEN,
	HUB_NO_CERTIFICATE,
	HUB_NO_NETWORK,
	HUB_NO_TURN,
	HUB_UNAUTHORIZED,
	hubFailure,
} from "./failures.js";
import { HUB_ENABLED, HUB_LANG, HUB_TOKEN, HUB_URL } from "./fields.js";
import { FRESH_MS, type Snapshot } from "./state-bodies.js";

/** The connection, and the requests that are made of a readout (265 slots and 5.3 KB at the most). */
export const HUB_COST: Cost = Object.freeze({ slots: 350, chunkBytes: 6144 });

/** Between the beginnings of two batches. */
export const HUB_PAUSE_MS = 10_000;
/** After the settings have changed: the reply to who has changed them leaves first. */
const SETTLE_MS = 2000;
/** Seconds after which a failure is followed by another attempt. */
const RETRY_S = Object.freeze([10, 30, 120, 300, 900]);
/** Where memory is short. */
const SHORT_MS = 2000;
/** The hub is asked whether it still knows us; sooner for a while after a failure. */
export const HUB_WATCH_MS = 300_000;
export const HUB_WATCH_SOON_MS = 60_000;
export const HUB_ALERT_MS = 600_000;
/** For all states together, and for the wait for a turn. */
export const HUB_BATCH_MS = 60_000;
const TURN_MS = 20_000;
/** A device on battery waits with sleep for what is due within this. */
const SOON_MS = 15_000;

const OUTPUT = Object.freeze({ cost: HUB_COST, testLeastMs: HTTP_CONNECT_MS, testLimitMs: TURN_MS + HUB_BATCH_MS });

const STATE_OFF = 0;
const STATE_RESTING = 1;
const STATE_WAITING = 2;
const STATE_REFUSED = 3;
const STATE_QUEUED = 4;
const STATE_SENDING = 5;

export class Hub implements OutputListener, ScheduledMachine {
	readonly #deps: OutputDeps;
	readonly #task: Task;
	#state = STATE_OFF;
	/** When the time of the state is over. */
	#dueMs = Number.POSITIVE_INFINITY;
	/** SEND_…: what has come since the last batch began. */
	#wanted = SEND_ONE;
	#batch: Batch | undefined;
	/** When the last batch began, the last failure was, the readout came; monotonic. */
	#begunMs = Number.NEGATIVE_INFINITY;
	#failedMs = Number.NEGATIVE_INFINITY;
	#measuredMs = 0;
	/** With these settings the hub has taken something. */
	#isProven = false;
	/** States that the hub has taken since the start. */
	taken = 0;
	readonly output: Output;

	constructor(deps: OutputDeps, access: OutputAccess) {
		this.#deps = deps;
		this.output = new Output(deps, access, this, OUTPUT);
		if (deps.config.get(HUB_ENABLED)) this.#state = STATE_RESTING;
		this.#task = deps.driver.register("hub", this);
	}

	/** A code: off, waiting (nothing was sent yet), ok, or that of the last failure. */
	get state(): string {
		if (this.#state === STATE_OFF) return "off";
		return this.output.failure?.code ?? (this.#isProven ? "ok" : "waiting");
	}

	get isSending(): boolean {
		if (this.#state >= STATE_QUEUED) return true;
		return this.#state === STATE_WAITING && this.#dueMs <= this.#deps.driver.nowMs() + SOON_MS;
	}

	measured(): void {
		this.#task.update((nowMs) => {
			this.#measuredMs = nowMs;
			this.want(SEND_ALL, nowMs);
		});
	}

	/** Attempts to read the meter fail now. */
	meterFailed(): void {
		this.#task.update((nowMs) => this.want(SEND_OWN, nowMs));
	}

	/** The owner has changed them, or wants what has failed to be tried again. */
	settingsChanged(): void {
		this.#task.update((nowMs) => {
			this.close();
			this.output.renew();
			this.#isProven = false;
			const isOn = this.#deps.config.get(HUB_ENABLED);
			this.#wanted = isOn ? SEND_ALL : SEND_ONE;
			if (isOn) this.enter(STATE_WAITING, nowMs + SETTLE_MS);
			else {
				this.enter(STATE_OFF, Number.POSITIVE_INFINITY);
				this.output.answer(hubFailure(CLIENT_ENDED), 0, nowMs);
			}
		});
	}

	/** There is another network; or none, which its requests find out. */
	networkChanged(isUp: boolean): void {
		if (!isUp) return;
		this.#task.update((nowMs) => {
			const isDelayed =
				this.#state === STATE_WAITING || (this.#state === STATE_RESTING && this.output.failure !== undefined);
			if (!isDelayed) return;
			this.output.attempts = 0;
			this.enter(STATE_WAITING, nowMs + SETTLE_MS);
		});
	}

	/** Sends all there is, now; false: a test is going on, or was a moment ago. Only while the hub is enabled. */
	test(test: SendTest): boolean {
		return this.#task.update((nowMs) => {
			if (!this.output.test(test, nowMs)) return false;
			if (this.#state >= STATE_QUEUED) return true;
			this.#wanted = SEND_ALL;
			// In a turn of its own: with what has led here it would not fit on the chip's stack.
			this.enter(STATE_WAITING, nowMs);
			return true;
		});
	}

	cancel(test: SendTest): void {
		this.#task.update((nowMs) => this.output.cancel(test, nowMs));
	}

	stop(): void {
		this.close();
		this.#task.stop();
	}

	/** For Output. */
	permitted(): void {
		this.#task.fromHost((nowMs) => {
			this.#dueMs = nowMs;
		});
	}

	/** For the driver. */
	get deadlineMs(): number {
		const batchMs = this.#batch?.deadlineMs ?? Number.POSITIVE_INFINITY;
		return Math.min(this.#dueMs, batchMs, this.output.deadlineMs);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		this.#batch?.advance(nowMs);
		if (nowMs < this.#dueMs) return;
		if (this.#state === STATE_QUEUED && !this.#deps.tlsPermit.isHeldBy(this.output)) this.fail(HUB_NO_TURN, 0, nowMs);
		else if (this.#state === STATE_SENDING) this.fail(hubFailure(HTTP_NO_REPLY), 0, nowMs);
		else this.begin(nowMs);
	}

	/** For the driver: goes on with what is being sent. */
	drain(nowMs: number): void {
		const batch = this.#batch;
		if (batch?.step(nowMs)) {
			if (batch.failure === undefined) this.succeed(batch, nowMs);
			else this.fail(batch.failure, batch.failure.retcode === RETCODE_REFUSED ? batch.status : 0, nowMs);
		}
		this.output.drain(nowMs);
	}

	private enter(state: number, dueMs: number): void {
		this.#state = state;
		this.#dueMs = dueMs;
	}

	/** Something new is to be sent. */
	private want(scope: number, nowMs: number): void {
		if (this.#state === STATE_OFF) return;
		this.#wanted = Math.max(this.#wanted, scope);
		if (this.#state === STATE_RESTING) this.rest(nowMs);
	}

	/** Nothing goes on: until when? */
	private rest(nowMs: number): void {
		const { power } = this.#deps;
		if (this.#wanted > SEND_ONE) this.enter(STATE_WAITING, Math.max(nowMs, this.#begunMs + HUB_PAUSE_MS));
		else if (isOnBattery(power)) this.enter(STATE_RESTING, Number.POSITIVE_INFINITY);
		else {
			const isAlert = nowMs - this.#failedMs < HUB_ALERT_MS;
			this.enter(STATE_RESTING, nowMs + (isAlert ? HUB_WATCH_SOON_MS : HUB_WATCH_MS));
		}
	}

	private begin(nowMs: number): void {
		const { config, radio } = this.#deps;
		const { output } = this;
		const url = parseHubURL(config.get(HUB_URL));
		// What only the owner can set right comes first; the clients of the host know names and IPv4.
		if (url === undefined || url.host.startsWith("[")) this.fail(HUB_BAD_URL, 0, nowMs);
		else if (url.secure && !output.hasCertificates) this.fail(HUB_NO_CERTIFICATE, 0, nowMs);
		else if (radio !== undefined && radio.address === undefined) this.fail(HUB_NO_NETWORK, 0, nowMs);
		else if (url.secure && !this.hasPermit(nowMs)) return;
		else if (output.claim()) this.open(url, nowMs);
		else {
			output.giveBack();
			if (nowMs - (output.testedSinceMs ?? nowMs) >= TURN_MS) this.fail(HUB_NO_TURN, 0, nowMs);
			else this.enter(STATE_WAITING, nowMs + SHORT_MS);
		}
	}

	/** False: it is queued; the permit may have come while it was asked for. */
	private hasPermit(nowMs: number): boolean {
		this.enter(STATE_QUEUED, nowMs + TURN_MS);
		return this.output.askPermit();
	}

	/** The memory for it is claimed, until `close`. */
	private open(url: HubURL, nowMs: number): void {
		const { config, text } = this.#deps;
		const scope = this.#wanted;
		const snapshot = this.snapshot(nowMs);
		const token = config.get(HUB_TOKEN);
		this.#begunMs = nowMs;
		this.#wanted = SEND_ONE;
		this.enter(STATE_SENDING, nowMs + HUB_BATCH_MS);
		this.#batch = new Batch(this.output, { task: this.#task, text, url, token, snapshot, scope });
	}

	private snapshot(nowMs: number): Snapshot {
		const { config, networkSettings, reader, writer } = this.#deps;
		const { measured: readout, failure } = reader.outcomes;
		return {
			sources: this.#deps,
			hostname: networkSettings.hostname,
			language: languageOf(config.get(HUB_LANG)),
			isTest: this.output.testedSinceMs !== undefined,
			readout,
			isOld: nowMs - this.#measuredMs > FRESH_MS,
			hasFailed: failure !== undefined,
			writer,
		};
	}

	private succeed({ status }: Batch, nowMs: number): void {
		const { output } = this;
		this.close();
		this.#isProven = true;
		output.attempts = 0;
		output.sent();
		output.succeed(status, nowMs);
		this.rest(nowMs);
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

	/** Ends what is being sent, and gives back what it had. */
	private close(): void {
		const batch = this.#batch;
		this.#batch = undefined;
		batch?.close();
		this.taken += batch?.taken ?? 0;
		this.output.giveBack();
	}
}
