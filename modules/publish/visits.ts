/**
 * Visits a server regularly, for some seconds each time, over the one outgoing TLS connection. A subclass makes the
 * requests. It may add states with numbers above ASKING, which last as long as it needs.
 *
 *              time            permit    visit over    visit failed
 *   RESTING    ASKING, QUEUED  –         –             –
 *   QUEUED     RESTING (a)     ASKING    –             –
 *   ASKING     RESTING (a)     –         RESTING       RESTING (a)
 *
 *   (a) This is a failure. The pause grows with the number of failures in a row.
 *
 * There are no visits on battery power.
 */
import type { SettingField } from "../config/schema.js";
import { type FileURL, parseFileURL } from "../http/url.js";
import { CLIENT_TIMEOUT } from "../io/client.js";
import type { ScheduledMachine, Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import type { Cost } from "../io/memory.js";
import { isOnBattery } from "../power/supply.js";
import type { OutputFailure } from "./connect-failures.js";
import { Output, type OutputAccess, type OutputDeps, type OutputListener, OWNER_PAUSE_MS } from "./output.js";
import {
	BAD_URL,
	FORBIDDEN,
	NO_CERTIFICATE,
	NO_MEMORY,
	NO_NETWORK,
	UNAUTHORIZED,
	visitFailure,
} from "./visit-failures.js";

/**
 * Delay of the first visit after the start, ms. It is longer than the delay of a trial's first check (parts/update/trial.ts).
 */
const FIRST_MS = 65_000;
/**
 * Maximum random delay that is added, ms, so that a site's gateways do not all send requests at the same time after a
 * power cut.
 */
const SPREAD_MS = 60_000;
/** Time from a change of settings to the next visit, ms. */
export const SETTLE_MS = 2000;
/** Pauses after one, two, three … failures in a row, seconds. */
export const RETRY_S = Object.freeze([30, 60, 300, 900, 3600]);
const HOUR_MS = 3_600_000;
/** Longest wait for the permit, and time limit for a visit with all its requests, ms. */
const TURN_MS = 70_000;
const VISIT_MS = 60_000;

const STATE_RESTING = 0;
const STATE_QUEUED = 1;
export const STATE_ASKING = 2;

export abstract class Visits<Visit extends Timed & { close(): void }> implements OutputListener, ScheduledMachine {
	readonly output: Output;
	protected readonly deps: OutputDeps;
	protected readonly task: Task;
	readonly #url: SettingField<string>;
	protected state = STATE_RESTING;
	protected dueMs: number;
	protected visit: Visit | undefined;

	/** `isStart`: true at the start of the gateway, false after a change of settings. */
	constructor(deps: OutputDeps, access: OutputAccess, url: SettingField<string>, cost: Cost, isStart: boolean) {
		this.deps = deps;
		this.#url = url;
		// Visits have no tests, so the test limits are 0.
		this.output = new Output(deps, access, this, { cost, testLeastMs: 0, testLimitMs: 0 });
		const pauseMs = isStart ? FIRST_MS + (SPREAD_MS * deps.crypto.random(1)[0]) / 255 : SETTLE_MS;
		this.dueMs = deps.driver.nowMs() + pauseMs;
		this.task = deps.driver.register(deps.config.entries[url.entry].key, this);
	}

	/** Makes the requests: sets `visit`, or calls `fail`. The memory is claimed until `rest()`. */
	protected abstract ask(url: FileURL, nowMs: number): void;

	abstract drain(nowMs: number): void;

	/** `waiting` (no visit yet), `ok`, or the code of the last failure. */
	get result(): string {
		const { failure, sentUtcMs } = this.output;
		return failure?.code ?? (sentUtcMs > 0 ? "ok" : "waiting");
	}

	stop(): void {
		this.rest(Number.POSITIVE_INFINITY);
		this.task.stop();
	}

	permitted(): void {
		this.task.fromHost((nowMs) => {
			this.dueMs = nowMs;
		});
	}

	get deadlineMs(): number {
		return Math.min(this.dueMs, this.visit?.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	advance(nowMs: number): void {
		this.visit?.advance(nowMs);
		if (nowMs < this.dueMs) return;
		if (this.state === STATE_ASKING) this.fail(visitFailure(CLIENT_TIMEOUT), nowMs);
		else if (this.state === STATE_QUEUED && !this.deps.tlsPermit.isHeldBy(this.output)) this.fail(NO_MEMORY, nowMs);
		else this.begin(nowMs);
	}

	private begin(nowMs: number): void {
		const { config, power, radio } = this.deps;
		const { output } = this;
		const url = parseFileURL(config.get(this.#url));
		if (isOnBattery(power)) this.rest(nowMs + HOUR_MS);
		else if (url === undefined) this.fail(BAD_URL, nowMs);
		else if (!output.hasCertificates) this.fail(NO_CERTIFICATE, nowMs);
		else if (radio !== undefined && radio.address === undefined) this.fail(NO_NETWORK, nowMs);
		else {
			this.enter(STATE_QUEUED, nowMs + TURN_MS);
			if (!output.askPermit()) return;
			if (output.claimConnection()) {
				this.enter(STATE_ASKING, nowMs + VISIT_MS);
				this.ask(url, nowMs);
			} else this.fail(NO_MEMORY, nowMs);
		}
	}

	/** Ends a successful visit. `pauseMs`: time to the next visit. */
	protected succeed(pauseMs: number, nowMs: number): void {
		this.output.attempts = 0;
		this.output.sent();
		this.output.succeed(0, nowMs);
		this.rest(nowMs + this.spread(pauseMs));
	}

	protected fail(failure: OutputFailure, nowMs: number): void {
		const isOwners = failure === UNAUTHORIZED || failure === FORBIDDEN;
		this.rest(nowMs);
		this.output.fail(failure, 0, nowMs);
		this.dueMs = nowMs + (isOwners ? this.spread(OWNER_PAUSE_MS) : this.output.pauseMs(RETRY_S));
	}

	/** Lengthens a time at random by up to a fifth. */
	protected spread(ms: number): number {
		return ms * (1 + this.deps.crypto.random(1)[0] / 1280);
	}

	protected enter(state: number, dueMs: number): void {
		this.state = state;
		this.dueMs = dueMs;
	}

	/** Ends a visit, and releases its memory and permit. */
	protected rest(dueMs: number): void {
		const { visit } = this;
		this.visit = undefined;
		visit?.close();
		this.enter(STATE_RESTING, dueMs);
		this.output.giveBack();
	}
}
