/**
 * Live mode: reads the powers of a DLMS/COSEM meter every few seconds in one association, as long as a client wants
 * live values. A connected client of the event stream counts as such; code for other clients sets `wantedToMs`
 * (core/live.ts). It borrows the line from the reader (reader.ts). The columns of the table are events:
 *
 *                 wanted    not wanted   line needed   round    end       port gone   timeout
 *     WAITING     ON        -            -             -        -         -           -
 *     ON          -         RELEASING    RELEASING     kept     RESTING   RESTING     -
 *     RELEASING   -         -            -             kept     RESTING   RESTING     RESTING
 *     RESTING     -         -            -             -        -         -           WAITING, gives the line back
 *
 * Every CHECK_MS, live mode checks whether live values are wanted, or were within LINGER_MS. In RELEASING, the session
 * releases its association, which takes at most RELEASE_MS. RESTING takes REST_MS. An objection is the end of a session
 * in ON, a lost port, or a round without the values that were asked for. It makes live mode wait, longer each time.
 */
import { equalConstantTime } from "../bytes/equal.js";
import type { Driver, Task } from "../io/driver.js";
import { isMistake } from "../io/fault.js";
import type { Clock, SerialPort } from "../io/host.js";
import { Link, type LinkListener } from "../io/link.js";
import type { Timed } from "../io/machine.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import { type Failure, METER_AUTH_FAILED } from "../readout/failure.js";
import { EVENT_END, EVENT_READOUT, type ReadSession, type SessionContext } from "../readout/protocol.js";
import type { Readout } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { FAILURE_PORT, LIVE_REFUSED } from "./failures.js";
import type { LineLog } from "./line-log.js";
import { LIVE_COST, protocolOf, READOUT_COST } from "./protocols.js";
import type { MeterReader } from "./reader.js";
import { setLines } from "./recogniser.js";
import type { GiveBack, LineBorrower, MeterSettings } from "./settings.js";

const CHECK_MS = 1000;
/**
 * Time for which the session stays open after the last request. Some clients ask only once in half a minute.
 */
const LINGER_MS = 30_000;
/** Longest time for a session to release its association. After that, the port is closed. */
const RELEASE_MS = 20_000;
/** Pause after a session, because a meter needs a second after DISC. */
const REST_MS = 1000;
/** Time for which the line then stays free, so that a user whose probe or PIN was refused can try again. */
const FREE_MS = 6000;
/**
 * Pause after the first objection, ms. Each further objection doubles the pause, and each successful round shortens it
 * by HEALING_MS.
 */
const OBJECTION_MS = 30_000;
const HEALING_MS = 500;
/**
 * Longest pause, ms. It is also the pause after a rejected password or key, because more attempts would lock the meter.
 */
const LONGEST_MS = 3_600_000;

const STATE_WAITING = 0;
const STATE_ON = 1;
const STATE_RELEASING = 2;
const STATE_RESTING = 3;

const NO_CALLBACK = Object.freeze({ finished: () => {} });

export interface LiveCore {
	readonly clock: Pick<Clock, "utcMs">;
	readonly driver: Driver;
	readonly ledger: MemoryLedger;
	readonly live: { readonly clients: { readonly length: number }; readonly wantedToMs: number; changed(): void };
	readonly saving: { readonly awakeUntilMs: number } | undefined;
}

export class LiveMode implements Timed, LineBorrower, LinkListener {
	/** Interval of the rounds, ms; 0: live mode is off. A change from one interval to another waits for the next session. */
	periodMs = 0;
	readonly #core: LiveCore;
	readonly #reader: MeterReader;
	readonly #task: Task;
	#state = STATE_WAITING;
	#checkMs = 0;
	#dueMs = Number.POSITIVE_INFINITY;
	#wantedMs = Number.NEGATIVE_INFINITY;
	#fromMs = 0;
	#pauseMs = OBJECTION_MS;
	/** Code of the last objection; empty after a successful round. */
	#code = "";
	#session: ReadSession | undefined;
	#link: Link | undefined;
	#claimed: Cost | undefined;
	#giveBack: GiveBack | undefined;

	constructor(core: LiveCore, reader: MeterReader) {
		this.#core = core;
		this.#reader = reader;
		this.#task = core.driver.register("live mode", this);
	}

	/** `off`, `unsupported`, `waiting`, `on`, or the code of the last objection. */
	get state(): string {
		if (this.periodMs === 0) return "off";
		if (!this.#reader.canLive) return "unsupported";
		return this.#code || (this.isOpen ? "on" : "waiting");
	}

	/** True during a session, and while it is released. */
	get isOpen(): boolean {
		return this.#session !== undefined;
	}

	get log(): LineLog | undefined {
		return this.#reader.log;
	}

	get deadlineMs(): number {
		return Math.min(this.#checkMs, this.#dueMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#dueMs) {
			if (this.#state === STATE_RELEASING) this.rest(nowMs);
			else this.wait();
		}
		if (nowMs < this.#checkMs) return;
		this.#checkMs = nowMs + CHECK_MS;
		if (!this.isWanted(nowMs)) this.release();
		else if (this.#state === STATE_WAITING && nowMs >= this.#fromMs) this.begin(nowMs);
	}

	/** Releases the association, because somebody needs the line or nobody wants live values. */
	release(): void {
		if (this.#state !== STATE_ON) return;
		this.#task.update((nowMs) => {
			this.#state = STATE_RELEASING;
			this.#dueMs = nowMs + RELEASE_MS;
			this.#link?.update((ms) => this.#session?.abort(ms));
		});
	}

	linkEvent(code: number): void {
		this.#task.update((nowMs) => {
			const session = this.#session;
			if (session === undefined) return;
			if (code === EVENT_END) {
				if (this.#state === STATE_ON) this.object(session.failure ?? LIVE_REFUSED, nowMs);
				this.rest(nowMs);
			} else if (code === EVENT_READOUT) {
				const powers = session.readout(code, this.#core.clock.utcMs() ?? 0);
				if (powers !== undefined) this.keep(powers, nowMs);
			}
		});
	}

	linkClosed(): void {
		this.#task.update((nowMs) => {
			this.object(FAILURE_PORT, nowMs);
			this.#reader.outcomes.failed(FAILURE_PORT);
			this.rest(nowMs);
		});
	}

	/** Gives up the line without a word to the meter. */
	stop(): void {
		this.close();
		this.#task.stop();
	}

	private isWanted(nowMs: number): boolean {
		const { live, saving } = this.#core;
		// A gateway that is about to sleep does not open a session.
		const isAwake = saving === undefined || saving.awakeUntilMs === Number.POSITIVE_INFINITY;
		if (isAwake && (live.clients.length > 0 || nowMs < live.wantedToMs)) this.#wantedMs = nowMs;
		return this.periodMs > 0 && nowMs <= this.#wantedMs + LINGER_MS && this.#reader.canLive;
	}

	/** Opens a session, if nobody else uses the line. The first readout must be a full one. */
	private begin(nowMs: number): void {
		const reader = this.#reader;
		const { failure, last, measured } = reader.outcomes;
		if (last === undefined && failure === undefined) reader.read(NO_CALLBACK);
		else if (measured !== undefined && reader.isFree(nowMs) && this.#core.ledger.claim(READOUT_COST)) {
			this.#claimed = READOUT_COST;
			reader.lend((driver, port, context, giveBack) => {
				this.#giveBack = giveBack;
				this.#state = STATE_ON;
				this.#session = protocolOf(context.settings).openLive?.(context, measured, this.periodMs);
				this.open(driver, port, context);
				return this;
			});
		}
	}

	private open(driver: Driver, port: SerialPort, { settings, nowMs }: SessionContext<MeterSettings>): void {
		const machine = this.#session;
		if (machine === undefined) {
			// The last readout has no power.
			this.object(LIVE_REFUSED, nowMs);
			this.rest(nowMs);
			return;
		}
		setLines({ port, settings });
		try {
			this.#link = new Link(driver, { port, machine, listener: this });
		} catch (error) {
			this.linkClosed();
			if (isMistake(error)) throw error;
		}
	}

	/** Keeps the last readout with these powers in it, if they are those of the same meter and objects. */
	private keep(powers: Readout, nowMs: number): void {
		const reader = this.#reader;
		const { measured: last } = reader.outcomes;
		if (last === undefined) return;
		const isSame = equalConstantTime(last.meterId, powers.meterId);
		const records = isSame ? new RecordCursor(last.records).replaced(powers.records) : undefined;
		if (records === undefined) {
			this.object(LIVE_REFUSED, nowMs);
			this.release();
			return;
		}
		this.#code = "";
		this.#pauseMs = Math.max(OBJECTION_MS, this.#pauseMs - HEALING_MS);
		this.lowerClaim();
		reader.refresh({ ...last, records, liveUtcMs: powers.utcMs }, nowMs);
	}

	/** A claim counts in addition to the memory that is in use, so a lasting session must not keep its first one. */
	private lowerClaim(): void {
		if (this.#claimed !== READOUT_COST) return;
		const { slots, chunkBytes } = READOUT_COST;
		const { ledger } = this.#core;
		ledger.release({ slots: slots - LIVE_COST.slots, chunkBytes: chunkBytes - LIVE_COST.chunkBytes });
		this.#claimed = LIVE_COST;
	}

	private object({ code, error }: Failure, nowMs: number): void {
		this.#code = code;
		if (error === METER_AUTH_FAILED) this.#pauseMs = LONGEST_MS;
		this.#fromMs = nowMs + this.#pauseMs;
		this.#pauseMs = Math.min(LONGEST_MS, 2 * this.#pauseMs);
		this.#core.live.changed();
	}

	private rest(nowMs: number): void {
		this.close();
		this.#state = STATE_RESTING;
		this.#dueMs = nowMs + REST_MS;
	}

	private wait(): void {
		this.#state = STATE_WAITING;
		this.#dueMs = Number.POSITIVE_INFINITY;
		const giveBack = this.#giveBack;
		this.#giveBack = undefined;
		giveBack?.(FREE_MS);
	}

	private close(): void {
		this.#link?.close();
		this.#link = undefined;
		this.#session = undefined;
		if (this.#claimed !== undefined) this.#core.ledger.release(this.#claimed);
		this.#claimed = undefined;
	}
}
