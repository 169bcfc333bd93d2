/**
 * Live mode: reads the powers of a DLMS/COSEM meter every few seconds in one association, while somebody wants live
 * values (Running.wantsLive). A full readout comes first, because only what it has is read.
 *
 *                 wanted              not wanted          line needed         meter objects
 *     waiting     opens the session   -                   -                   waits, longer each time
 *     on          -                   ends after LINGER   ends                waits, longer each time
 *
 * Each CHECK_MS it is checked what is wanted. The line is needed by readouts, load profiles, probes and PINs: the session
 * then releases the association first, and is opened again later. A meter objects if it refuses a value, stays silent, or
 * ends the association.
 */
import type { Driver, Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import { type Failure, METER_AUTH_FAILED } from "../readout/failure.js";
import type { Readout } from "../readout/readout.js";
import type { ReadCallback } from "./pending-reads.js";
import type { LiveListener } from "./settings.js";

/** Part of the reader that live mode uses. */
export interface LiveReader {
	readonly canLive: boolean;
	readonly isLive: boolean;
	readonly running: boolean;
	readonly outcomes: { readonly measured: Readout | undefined };
	openLive(listener: LiveListener, periodMs: number): boolean;
	endLive(): void;
	read(callback: ReadCallback): void;
	cancel(callback: ReadCallback): void;
}

export interface LiveModeOptions {
	readonly driver: Driver;
	readonly reader: LiveReader;
	/** True while somebody wants live values. */
	isWanted(): boolean;
	/** Time from one round to the next, ms. */
	periodMs(): number;
	readonly live?: { changed(): void } | undefined;
}

const CHECK_MS = 1000;
/** Time for which the session stays open after the last wish, ms: some clients ask once in half a minute. */
const LINGER_MS = 30_000;
/** Pause after the first objection, ms; each further one doubles it. */
const OBJECTION_MS = 30_000;
/** Longest pause, and pause after a rejected password or key, which would lock the meter. */
const LONGEST_MS = 3_600_000;
/** Number of rounds after which earlier objections are forgotten. */
const ROUNDS_PROVEN = 30;
/** Pause for a probe or a PIN, which were refused once. */
const INTERRUPTION_MS = 10_000;

export class LiveMode implements Timed, LiveListener, ReadCallback {
	deadlineMs = 0;
	readonly #options: LiveModeOptions;
	readonly #task: Task;
	/** Last time at which somebody wanted values, monotonic ms. */
	#wantedMs = Number.NEGATIVE_INFINITY;
	/** Earliest time of the next session, monotonic ms. */
	#fromMs = 0;
	#objections = 0;
	#rounds = 0;
	/** Code of the last objection; "" after a round. */
	#code = "";

	constructor(options: LiveModeOptions) {
		this.#options = options;
		this.#task = options.driver.register("live mode", this);
	}

	/** `unsupported`, `waiting`, `on`, or the code of the last objection. */
	get state(): string {
		const { canLive, isLive } = this.#options.reader;
		if (!canLive) return "unsupported";
		return this.#code || (isLive ? "on" : "waiting");
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = nowMs + CHECK_MS;
		const { reader, isWanted, periodMs } = this.#options;
		if (isWanted()) this.#wantedMs = nowMs;
		const isOver = nowMs > this.#wantedMs + LINGER_MS || !reader.canLive;
		if (isOver && reader.isLive) {
			reader.endLive();
			this.#options.live?.changed();
		}
		if (isOver || reader.isLive || reader.running || nowMs < this.#fromMs) return;
		if (reader.outcomes.measured === undefined) {
			this.#fromMs = nowMs + OBJECTION_MS;
			reader.read(this);
		} else if (!reader.openLive(this, periodMs())) this.#fromMs = nowMs + OBJECTION_MS;
	}

	delivered(): void {
		if (++this.#rounds >= ROUNDS_PROVEN) this.#objections = 0;
		this.#code = "";
	}

	interrupted(nowMs: number): void {
		this.#fromMs = nowMs + INTERRUPTION_MS;
	}

	objected({ code, error }: Failure, nowMs: number): void {
		const pauseMs = OBJECTION_MS * 2 ** this.#objections++;
		this.#fromMs = nowMs + (error === METER_AUTH_FAILED ? LONGEST_MS : Math.min(pauseMs, LONGEST_MS));
		this.#rounds = 0;
		this.#code = code;
		this.#options.live?.changed();
	}

	/** Ends the readout that was needed first. */
	finished(_readout: Readout | undefined, failure: Failure | undefined): void {
		this.#task.update((nowMs) => {
			this.#fromMs = nowMs;
			if (failure !== undefined) this.objected(failure, nowMs);
		});
	}

	stop(): void {
		this.#options.reader.endLive();
		this.#options.reader.cancel(this);
		this.#task.stop();
	}
}
