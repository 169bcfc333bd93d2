/**
 * Runs the meter's sessions; outcomes.ts keeps the readout.
 *
 * One session runs at a time. Callers that request a readout while one is running share its result. A load profile
 * needs its own session, so other callers wait for the next session. A caller waits at most a minute
 * (pending-reads.ts), but the session may continue for SESSION_LIMIT_MS. The columns of the table are events. "Begins"
 * leads to LISTENING if the protocol listens, otherwise to READING if a caller waits, otherwise to IDLE:
 *
 *                 request   other protocol   readout   sessions over   port gone   timeout      line given back
 *     IDLE        begins    begins           -         -               -           -            -
 *     READING     joins     begins           -         IDLE            IDLE        ENDING       -
 *     ENDING      joins     begins           -         IDLE            IDLE        -            -
 *     LISTENING   waits     begins           kept      begins          UNPLUGGED   recognises   -
 *     UNPLUGGED   begins    begins           -         -               -           begins       -
 *     LENT        waits     -                -         -               -           -            begins
 *
 * "Other protocol" is a change of the settings that concerns the session: any change while none runs, another protocol
 * or speed to listen with, or one that listens in place of one that asks. A simulated readout is reported immediately.
 * `probe()` and `lend()` lead from IDLE, LISTENING and UNPLUGGED to LENT. A request or a change in LENT asks live mode
 * (live-mode.ts) for the line.
 *
 * The recogniser (recogniser.ts) examines unexpected bytes one time. In READING it does so when they arrive, or after
 * all sessions have failed; if it finds nothing, the interrupted session continues. In LISTENING it does so LISTEN_MS
 * after a request, if bytes but no telegram arrived.
 */
import { DLMS_PUSH } from "../cosem/push.js";
import type { Task } from "../io/driver.js";
import { isMistake } from "../io/fault.js";
import { Link, type LinkListener, TRANSMITTED } from "../io/link.js";
import type { Timed } from "../io/machine.js";
import type { Cost } from "../io/memory.js";
import { type Failure, furthest } from "../readout/failure.js";
import {
	EVENT_END,
	EVENT_POOR,
	EVENT_READOUT,
	type ProfileRequest,
	type ProtocolMemory,
	type ProtocolRow,
	type ReadSession,
	type SessionContext,
} from "../readout/protocol.js";
import { type Readout, STATUS_CUT } from "../readout/readout.js";
import { RecordWriter } from "../readout/record-writer.js";
import {
	FAILURE_BUSY,
	FAILURE_MEMORY,
	FAILURE_PORT,
	FAILURE_PROFILE_WAIT,
	FAILURE_SILENT,
	FAILURE_WAIT,
} from "./failures.js";
import type { LineLog } from "./line-log.js";
import { ReadOutcomes } from "./outcomes.js";
import { type PendingRead, PendingReads, type ReadCallback } from "./pending-reads.js";
import { Probe, type ProbeCallback } from "./probe.js";
import { costOf, LISTEN_COST, PROTOCOLS, protocolOf } from "./protocols.js";
import { Recogniser, setLines } from "./recogniser.js";
import type { Borrow, GiveBack, LineBorrower, MeterReaderOptions, MeterSettings } from "./settings.js";
import { isAsAdvised, UnsolicitedDetector } from "./unsolicited.js";
import { OFTEN_MS, SELDOM_MS, ValueAge } from "./value-age.js";

/** Longest time for a session. Some meters need over five minutes at 300 Bd. */
const SESSION_LIMIT_MS = 600_000;
/** Silence before the next sign-on, ms, because a meter may repeat its block within 1500 ms. */
const QUIET_MS = 2000;
/** Pause before a lost port is opened again, if the protocol listens. */
const REOPEN_MS = 10_000;
/** Time for which the reader listens for a telegram. Some meters send only every ten seconds. */
const LISTEN_MS = 12_500;
/** Time by which the recogniser ends before the first caller's timeout. */
const MARGIN_MS = 500;

const STATE_IDLE = 0;
const STATE_READING = 1;
const STATE_ENDING = 2;
const STATE_LISTENING = 3;
const STATE_UNPLUGGED = 4;
const STATE_LENT = 5;

export class MeterReader implements Timed, LinkListener {
	readonly #options: MeterReaderOptions;
	readonly #task: Task;
	readonly #records = new RecordWriter();
	readonly #memory: ProtocolMemory = { kept: undefined, speed: undefined };
	readonly #callbacks = new PendingReads();
	#state = STATE_IDLE;
	#dueMs = Number.POSITIVE_INFINITY;
	#quietUntilMs = 0;
	#protocol: ProtocolRow<MeterSettings> | undefined;
	#session: ReadSession | undefined;
	#profile: ProfileRequest | undefined;
	#link: Link | undefined;
	/** Last readout that failed its checks. It is kept until there is a better one. */
	#candidate: Readout | undefined;
	#failure: Failure | undefined;
	#unsolicited = new UnsolicitedDetector();
	#claimed: Cost | undefined;
	litMs = Number.NEGATIVE_INFINITY;
	#borrower: LineBorrower | undefined;
	readonly #age = new ValueAge();
	readonly outcomes: ReadOutcomes;
	log: LineLog | undefined;
	/** Called for the bytes of a meter that sends by itself, before they are read. */
	copy: ((bytes: Uint8Array, start: number, end: number) => void) | undefined;

	constructor(options: MeterReaderOptions) {
		this.#options = options;
		this.outcomes = new ReadOutcomes(options.listener);
		this.#task = options.deps.driver.register("meter", this);
	}

	/** True during a session of a readout or load profile, and while a caller waits for an unsolicited telegram. */
	get running(): boolean {
		return this.isReading || (this.#state === STATE_LISTENING && this.#callbacks.count > 0);
	}

	/** Failure to report if no unsolicited telegram arrives in time; undefined if the gateway requests data. */
	get late(): Failure | undefined {
		if (this.#state === STATE_UNPLUGGED) return FAILURE_PORT;
		return this.#state === STATE_LISTENING ? this.#protocol?.late : undefined;
	}

	/** True for a meter that sends often. Pushed DLMS/COSEM is excluded, because some meters push it once an hour. */
	get sendsOften(): boolean {
		const protocol = protocolOf(this.#options.settings);
		return protocol.listenBaud !== undefined && protocol !== DLMS_PUSH;
	}

	/** True if the meter has no battery, and is read in a protocol whose association can stay open. */
	get canLive(): boolean {
		const { settings } = this.#options;
		return protocolOf(settings).openLive !== undefined && !settings.battery;
	}

	/** Returns true while nobody uses the line, waits for it, or has used it a moment ago. */
	isFree(nowMs: number): boolean {
		return this.#state === STATE_IDLE && this.#callbacks.count === 0 && nowMs >= this.#quietUntilMs;
	}

	/** Keeps `readout`, which is the last one with newer powers. */
	refresh(readout: Readout, nowMs: number): void {
		this.#task.update(() => {
			this.outcomes.keep(readout, false, nowMs);
			this.#age.asked(this.limitMs, nowMs);
		});
	}

	reconfigure(): void {
		this.#task.update((nowMs) => this.apply(nowMs));
	}

	forget(): void {
		for (let i = 0; i < PROTOCOLS.length; i++) PROTOCOLS[i].forget?.(this.#options.settings);
		this.#memory.kept = undefined;
		this.#memory.speed = undefined;
		this.#borrower?.release?.();
	}

	stop(): void {
		this.#task.update(() => {
			this.close();
			this.#age.dueMs = Number.POSITIVE_INFINITY;
			this.#borrower?.stop();
			this.#borrower = undefined;
			this.#callbacks.removeAll();
		});
	}

	/** Requests a readout or a load profile. `callback` may be called before this method returns. */
	read(callback: ReadCallback, profile?: ProfileRequest): void {
		this.#task.update((nowMs) => {
			const supported = protocolOf(this.#options.settings).hasProfiles ? profile : undefined;
			// A telegram that failed its check while no caller waited is dropped.
			if (this.#state === STATE_LISTENING && this.#callbacks.count === 0) {
				this.#candidate = undefined;
				this.#failure = undefined;
			}
			if (!this.#callbacks.add(callback, supported, nowMs)) callback.finished(undefined, FAILURE_BUSY);
			else if (this.#state === STATE_IDLE || this.#state === STATE_UNPLUGGED) this.start(nowMs);
			else if (this.#state === STATE_LISTENING && this.#dueMs === Number.POSITIVE_INFINITY) this.startTimeout(nowMs);
			else this.#borrower?.release?.();
		});
	}

	cancel(callback: ReadCallback): void {
		this.#task.update(() => this.#callbacks.remove(callback));
	}

	/** A quick probe takes about two seconds (probe.ts). */
	probe(callback: ProbeCallback, isQuick = false): boolean {
		return this.lend((driver, port, context, giveBack) => {
			const finished: ProbeCallback["finished"] = (result) => {
				giveBack();
				callback.finished(result);
			};
			const probe = new Probe({
				driver,
				port,
				log: this.log,
				live: this.#options.listener.live,
				context,
				isQuick,
				finished,
			});
			probe.start();
			return probe;
		});
	}

	/** Lends the line, for a probe, a PIN or live mode. Returns false while the line is in use. */
	lend(begin: Borrow): boolean {
		return this.#task.update((nowMs) => {
			this.#borrower?.release?.();
			if (this.isReading || this.#state === STATE_LENT) return false;
			this.close();
			this.#state = STATE_LENT;
			const giveBack: GiveBack = (freeMs = 0) => this.#task.update((ms) => this.onGivenBack(freeMs, ms));
			const borrower = begin(this.#options.deps.driver, this.#options.port, this.context(nowMs), giveBack);
			if (this.#state === STATE_LENT) this.#borrower = borrower;
			return true;
		});
	}

	private onGivenBack(freeMs: number, nowMs: number): void {
		this.#quietUntilMs = Math.max(this.#quietUntilMs, nowMs + freeMs);
		if (this.isLent) this.#age.resume(nowMs);
		this.#borrower = undefined;
		this.#state = STATE_IDLE;
		this.apply(nowMs);
	}

	get borrower(): LineBorrower | undefined {
		return this.#borrower;
	}

	/** True while the line is lent to somebody who keeps it until the end. */
	get isLent(): boolean {
		return this.#state === STATE_LENT && this.#borrower?.release === undefined;
	}

	get deadlineMs(): number {
		// While the line is lent, the meter can't be heard.
		return Math.min(this.#dueMs, this.#callbacks.deadlineMs, this.isLent ? Number.POSITIVE_INFINITY : this.#age.dueMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#age.dueMs && !this.isLent) {
			const silence = protocolOf(this.#options.settings).late && FAILURE_SILENT;
			if (this.#age.isOver(silence === undefined ? this.limitMs : 0, nowMs)) this.outcomes.expired(silence);
			return;
		}
		if (nowMs < this.#dueMs) {
			// Notify here, where little stack is in use, because a callback needs much.
			const due = this.#callbacks.takeDue(nowMs);
			if (due?.hasResult) due.callback.finished(due.readout, due.failure);
			else if (due !== undefined) this.onTimeout(due);
			return;
		}
		this.#dueMs = Number.POSITIVE_INFINITY;
		if (this.#state === STATE_UNPLUGGED || this.#state === STATE_IDLE) this.apply(nowMs);
		else if (this.#state === STATE_LISTENING) {
			const isAwaited = this.#callbacks.count > 0 && this.#candidate === undefined && this.#failure === undefined;
			// If the session has sent something, it has recognised a meter of its own protocol.
			const { hasStray, hasSent } = this.#unsolicited;
			if (isAwaited && hasStray && !hasSent) this.recognise(undefined, nowMs);
		} else if (this.#state === STATE_READING) {
			this.#state = STATE_ENDING;
			this.#link?.update((ms) => this.#session?.abort(ms));
		}
	}

	private get limitMs(): number {
		return (this.#options.freshness?.freshSecs || Number.POSITIVE_INFINITY) * 1000;
	}

	private get isReading(): boolean {
		return this.#state === STATE_READING || this.#state === STATE_ENDING;
	}

	private onTimeout({ callback, profile }: PendingRead): void {
		// No other caller waits for this profile, so its session is ended.
		if (profile !== undefined && profile === this.#profile && this.isReading) this.#dueMs = 0;
		const late = this.#state === STATE_LISTENING ? (this.#failure ?? this.#protocol?.late) : undefined;
		if (late !== undefined && this.#candidate === undefined) this.outcomes.failed(late);
		// If the session is still waiting for an idle line, noise is the cause.
		const noise = this.#session?.isIdle === true ? this.#unsolicited.betterOf(undefined) : undefined;
		if (profile !== undefined) callback.finished(undefined, FAILURE_PROFILE_WAIT);
		else callback.finished(this.#candidate, late ?? noise ?? FAILURE_WAIT);
	}

	private apply(nowMs: number): void {
		const { settings } = this.#options;
		const protocol = protocolOf(settings);
		if (protocol.simulate === undefined) this.outcomes.dropSimulated();
		this.#borrower?.release?.();
		if (this.#state === STATE_LENT) return;
		setLines(this.#options);
		const listenBaud = protocol.listenBaud?.(settings);
		const wasReading = this.isReading;
		// A session that sends requests continues, unless the new protocol listens or is simulated.
		if (wasReading && listenBaud === undefined && protocol.simulate === undefined) return;
		const isListening = this.#state === STATE_LISTENING;
		if (isListening && this.#protocol === protocol && this.#session?.line.baud === listenBaud) return;
		this.close();
		if (listenBaud !== undefined || wasReading || this.#callbacks.count > 0) this.start(nowMs);
	}

	private start(nowMs: number): void {
		const { settings, light, ledger } = this.#options;
		const protocol = protocolOf(settings);
		const cost = costOf(protocol);
		if (cost !== undefined && !ledger.claim(cost)) {
			if (cost === LISTEN_COST) this.#dueMs = nowMs + REOPEN_MS;
			this.#callbacks.resolve(undefined, FAILURE_MEMORY, nowMs);
			return;
		}
		this.#claimed = cost;
		if (this.#protocol !== protocol) this.#age.forget();
		this.#protocol = protocol;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.#candidate = undefined;
		this.#failure = undefined;
		this.#profile = this.#callbacks.next(protocol.hasProfiles === true);
		if (this.#profile === undefined) this.outcomes.began(this.utcMs, nowMs);
		const context = this.context(nowMs);
		if (protocol.simulate !== undefined) {
			this.keep(protocol.simulate(context, this.utcMs), this.#profile, nowMs);
			return;
		}
		this.#unsolicited = new UnsolicitedDetector();
		if (cost === LISTEN_COST) {
			this.#state = STATE_LISTENING;
			if (this.#callbacks.count > 0) this.startTimeout(nowMs);
		} else {
			this.#state = STATE_READING;
			this.#dueMs = nowMs + SESSION_LIMIT_MS;
			light?.reading(true);
		}
		this.run(protocol.open(context));
	}

	private context(nowMs: number): SessionContext<MeterSettings> {
		const { settings, deps } = this.#options;
		const { storage, crypto, trace } = deps;
		return {
			settings,
			records: this.#records,
			memory: this.#memory,
			storage,
			crypto,
			trace,
			quietMs: Math.max(0, Math.min(QUIET_MS, this.#quietUntilMs - nowMs)),
			nowMs,
			profile: this.#profile,
		};
	}

	private get utcMs(): number {
		return this.#options.deps.clock.utcMs() ?? 0;
	}

	private startTimeout(nowMs: number): void {
		this.#dueMs = nowMs + LISTEN_MS;
		this.#unsolicited = new UnsolicitedDetector();
	}

	linkTraffic(direction: number, bytes: Uint8Array, start: number, end: number): void {
		const session = this.#session;
		if (direction === TRANSMITTED) this.#unsolicited.hasSent = true;
		else if (this.#state === STATE_LISTENING) {
			this.#unsolicited.hasStray = true;
			this.copy?.(bytes, start, end);
		} else if (this.#state === STATE_READING && session?.isIdle === true)
			this.#task.update((nowMs) => {
				const known = furthest(this.#failure, session.failure);
				if (this.#unsolicited.onIdleBytes(known, nowMs)) this.recognise(session, nowMs);
			});
	}

	/** Starts the recogniser. If it finds nothing, the session `interrupted` continues. */
	private recognise(interrupted: ReadSession | undefined, nowMs: number): void {
		this.#unsolicited.isDone = true;
		this.#link?.close();
		const endsMs = this.#callbacks.deadlineMs - MARGIN_MS;
		this.run(new Recogniser(this.#options, nowMs, endsMs, interrupted));
	}

	private run(session: ReadSession): void {
		this.#session = session;
		this.#unsolicited.onStart();
		setLines(this.#options);
		try {
			const { deps, port } = this.#options;
			this.#link = new Link(deps.driver, { port, machine: session, listener: this });
		} catch (error) {
			this.linkClosed(error instanceof Error ? error.message : "the serial port can't be opened");
			if (isMistake(error)) throw error;
		}
	}

	linkClosed(message = "the serial port is gone"): void {
		this.#task.update((nowMs) => {
			this.#options.deps.trace(`meter: ${message}`);
			const wasListening = this.#state === STATE_LISTENING;
			if (this.close() === undefined) this.outcomes.failed(FAILURE_PORT);
			this.#callbacks.resolve(undefined, FAILURE_PORT, nowMs);
			if (!wasListening) return;
			this.#state = STATE_UNPLUGGED;
			this.#dueMs = nowMs + REOPEN_MS;
		});
	}

	linkEvent(code: number): void {
		this.#task.update((nowMs) => {
			const session = this.#session;
			if (session === undefined) return;
			if (code === EVENT_END) {
				this.onEnd(session, nowMs);
				// The remaining callers have requested something else. It is read from the next tick on.
				if (this.#state === STATE_IDLE && this.#callbacks.count > 0) this.#dueMs = nowMs;
			} else if (code === EVENT_READOUT || code === EVENT_POOR) this.onReadout(code, session, nowMs);
		});
	}

	private onReadout(code: number, session: ReadSession, nowMs: number): void {
		const readout = session.readout(code, this.utcMs);
		if (code === EVENT_POOR) {
			this.#candidate = readout;
			if (this.#state !== STATE_LISTENING) return;
			const { failure } = session;
			this.outcomes.failed(failure);
			this.#failure = readout === undefined ? failure : undefined;
			if (this.#failure?.isFinal) this.#callbacks.resolve(undefined, failure, nowMs);
		} else if (readout !== undefined) {
			this.outcomes.began(this.utcMs, nowMs);
			this.keep(readout, this.#profile, nowMs);
		}
	}

	private onEnd(session: ReadSession, nowMs: number): void {
		this.#quietUntilMs = nowMs + QUIET_MS;
		this.#link?.close();
		this.#link = undefined;
		if (this.#state === STATE_LISTENING) {
			this.onRecognised(session.failure, nowMs);
			return;
		}
		const { failure } = session;
		const readout = session.readout(EVENT_END, this.utcMs);
		const next = session.next?.(QUIET_MS, nowMs);
		if (failure === undefined && readout !== undefined) {
			this.keep(readout, this.close(), nowMs);
			return;
		}
		if (failure !== undefined) this.#options.deps.trace(`meter: a session failed: ${failure.code}`);
		if (readout !== undefined) this.#candidate = readout;
		this.#failure = furthest(this.#failure, this.#unsolicited.onEnd(failure));
		const isReading = this.#state === STATE_READING;
		if (next !== undefined && isReading) this.run(next);
		else if (isReading && this.#unsolicited.mustExamine(this.#failure)) this.recognise(undefined, nowMs);
		else this.onAllFailed(this.#unsolicited.betterOf(this.#failure) ?? FAILURE_PORT, nowMs);
	}

	private onRecognised(found: Failure | undefined, nowMs: number): void {
		this.close();
		if (found !== undefined && !isAsAdvised(found, this.#options.settings)) {
			this.outcomes.failed(found);
			this.#callbacks.resolve(undefined, found, nowMs);
		}
		this.apply(nowMs);
		// The received data are not examined a second time, so listening has no timeout. If a lost port has to be opened
		// again, the timeout for that stays.
		if (this.#state === STATE_LISTENING) this.#dueMs = Number.POSITIVE_INFINITY;
	}

	private onAllFailed(failure: Failure, nowMs: number): void {
		const candidate = this.#candidate;
		this.#candidate = undefined;
		const profile = this.close();
		if (candidate?.status === STATUS_CUT && !candidate.isUnchecked) {
			this.keep(candidate, profile, nowMs);
			return;
		}
		if (profile === undefined) this.outcomes.failed(failure);
		this.#callbacks.resolve(candidate, failure, nowMs, profile);
	}

	private keep(readout: Readout, profile: ProfileRequest | undefined, nowMs: number): void {
		this.#candidate = undefined;
		if (profile === undefined) {
			const isSimulated = this.#protocol?.simulate !== undefined;
			this.outcomes.keep(readout, isSimulated, nowMs);
			if (this.#state === STATE_LISTENING) this.#age.heard(this.sendsOften ? OFTEN_MS : SELDOM_MS, nowMs);
			else this.#age.asked(isSimulated ? Number.POSITIVE_INFINITY : this.limitMs, nowMs);
		}
		this.#options.light?.flash();
		this.#callbacks.resolve(readout, undefined, nowMs, profile);
	}

	/** Ends the session. Returns the load profile that it was to read; undefined if it was to read a readout. */
	private close(): ProfileRequest | undefined {
		const profile = this.#profile;
		this.#link?.close();
		this.#link = undefined;
		this.#session = undefined;
		this.#profile = undefined;
		this.#state = STATE_IDLE;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.#options.light?.reading(false);
		if (this.#claimed !== undefined) this.#options.ledger.release(this.#claimed);
		this.#claimed = undefined;
		return profile;
	}
}
