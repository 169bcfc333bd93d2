/**
 * Live mode: reads the powers of a DLMS/COSEM meter every few seconds in one association, as long as a client wants
 * live values. A connected client of the event stream counts as such; code for other clients sets `wantedToMs`
 * (core/live.ts).
 *
 *                 wanted              not wanted          line needed         meter refuses
 *     waiting     opens the session   -                   -                   waits, longer each time
 *     on          -                   ends after LINGER   ends                waits, longer each time
 *
 * Every CHECK_MS, live mode checks whether live values are wanted. If a readout, load profile, probe or PIN needs the
 * line, the session releases the association and is opened again later. "Refuses" means that the meter rejects a value,
 * stays silent, or ends the association.
 */
import type { Driver, Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import { type Failure, METER_AUTH_FAILED } from "../readout/failure.js";
import type { MeterReader } from "./reader.js";
import type { LiveListener } from "./settings.js";

const CHECK_MS = 1000;
/**
 * Time for which the session stays open after the last request. Some clients ask only once in half a minute.
 */
const LINGER_MS = 30_000;
/**
 * Pause after the first refusal, ms. Each further refusal doubles the pause, and each successful round shortens it
 * by HEALING_MS.
 */
const OBJECTION_MS = 30_000;
const HEALING_MS = 500;
/**
 * Longest pause, ms. It is also the pause after a rejected password or key, because more attempts would lock the meter.
 */
const LONGEST_MS = 3_600_000;

const NO_CALLBACK = Object.freeze({ finished: () => {} });

export interface LiveCore {
	readonly driver: Driver;
	readonly live: { readonly clients: { readonly length: number }; readonly wantedToMs: number; changed(): void };
	readonly saving: { readonly awakeUntilMs: number } | undefined;
}

export class LiveMode implements Timed, LiveListener {
	deadlineMs = 0;
	/** Interval of the rounds, ms. A change takes effect in the next session. */
	periodMs = 0;
	readonly #core: LiveCore;
	readonly #reader: MeterReader;
	readonly #task: Task;
	#wantedMs = Number.NEGATIVE_INFINITY;
	#fromMs = 0;
	#pauseMs = OBJECTION_MS;
	#code = "";

	constructor(core: LiveCore, reader: MeterReader) {
		this.#core = core;
		this.#reader = reader;
		this.#task = core.driver.register("live mode", this);
	}

	/** `unsupported`, `waiting`, `on`, or the code of the last objection. */
	get state(): string {
		const { canLive, isLive } = this.#reader;
		if (!canLive) return "unsupported";
		return this.#code || (isLive ? "on" : "waiting");
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = nowMs + CHECK_MS;
		const { live, saving } = this.#core;
		const reader = this.#reader;
		// A gateway that is about to sleep does not open a session.
		const isAwake = saving === undefined || saving.awakeUntilMs === Number.POSITIVE_INFINITY;
		if (isAwake && (live.clients.length > 0 || nowMs < live.wantedToMs)) this.#wantedMs = nowMs;
		if (nowMs > this.#wantedMs + LINGER_MS || !reader.canLive) reader.endLive();
		else if (nowMs >= this.#fromMs) {
			const { failure, last } = reader.outcomes;
			if (last === undefined && failure === undefined) reader.read(NO_CALLBACK);
			else reader.openLive(this, this.periodMs);
		}
	}

	onRound(failure: Failure | undefined, nowMs: number): void {
		this.#code = failure?.code ?? "";
		if (failure === undefined) this.#pauseMs = Math.max(OBJECTION_MS, this.#pauseMs - HEALING_MS);
		else {
			if (failure.error === METER_AUTH_FAILED) this.#pauseMs = LONGEST_MS;
			this.#fromMs = nowMs + this.#pauseMs;
			this.#pauseMs = Math.min(LONGEST_MS, 2 * this.#pauseMs);
			this.#core.live.changed();
		}
	}

	stop(): void {
		this.#reader.endLive();
		this.#task.stop();
	}
}
