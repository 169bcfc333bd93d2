/**
 * Reports what the meter answers (`POST meter/probe`). Users need this to align the optical head and to find the
 * settings. The probe sessions of the configured protocol run one after the other.
 *
 * Some meters send only a call from time to time. After LISTENS_AFTER probes in a row that have found nothing, the next
 * probe only listens for a call, for a minute (CALLED); of the further probes, every LISTENS_EACH-th one does so.
 * The list shows the events in each state and the next state:
 *
 *     CALLED       meter found: ENDED, reports the protocol
 *                  over: ENDED, reports the failure of the last probe, or RECOGNISING if unexpected bytes were received
 *     CONFIGURED   meter found, or the port failed: ENDED, reports it
 *                  session over: CONFIGURED with the protocol's next session; after the last one RECOGNISING if
 *                  unexpected bytes were received, otherwise SUGGESTED
 *     RECOGNISING  session over: ENDED, reports the kind of unsolicited data, or the failure of CONFIGURED
 *     SUGGESTED    meter found: ENDED, reports the protocol that found it
 *                  session over or timed out: SUGGESTED with the next protocol; after the last one CONFIGURED again if
 *                  nothing was received and SILENT_MS have not passed, so that a meter that sends every ten
 *                  seconds is noticed; otherwise, after the protocols that are left for the last round, ENDED, reports
 *                  the failure of CONFIGURED
 *     ENDED        ignores everything
 *
 * A quick probe has only the first session of CONFIGURED. It ends after QUICK_MS, or when no more characters arrive,
 * QUICK_LIMIT_MS at the latest. It shows whether the head receives light, and does not count as a probe that has found
 * nothing.
 */
import type { Driver, Task } from "../io/driver.js";
import { isMistake } from "../io/fault.js";
import type { SerialPort } from "../io/host.js";
import { Link, type LinkListener, RECEIVED } from "../io/link.js";
import type { Timed } from "../io/machine.js";
import { type Failure, furthest, METER_AUTH_FAILED } from "../readout/failure.js";
import { EVENT_END, EVENT_POOR, EVENT_READOUT, type Probing, type SessionContext } from "../readout/protocol.js";
import { FAILURE_PORT, PROBE_ECHO_ONLY, PROBE_NO_IDENT, PROBE_SILENCE } from "./failures.js";
import type { LineLog } from "./line-log.js";
import type { ReadOutcomesListener } from "./outcomes.js";
import { protocolOf } from "./protocols.js";
import { Recogniser, SILENT_MS, setLines } from "./recogniser.js";
import type { LineBorrower, MeterSettings } from "./settings.js";
import { type SuggestedProtocol, suggestionsFor, unsolicitedProtocol } from "./suggested-protocol.js";
import { FRAMING_7E1, UnsolicitedDetector } from "./unsolicited.js";

/** Time for which a probe listens, ms. Most meters send every one to ten seconds. */
const LISTEN_MS = 12_000;
const RECOGNISED_MS = 57_000;
/**
 * Times of a quick probe, ms. A sign-on takes 167 ms, and the meter's answer begins after 1500 ms at the latest (IEC
 * 62056-21, 6.3.1). QUICK_PAUSE_MS is the end of what arrives.
 */
const QUICK_MS = 1800;
const QUICK_PAUSE_MS = 300;
const QUICK_LIMIT_MS = 4000;
/** Interval at which the number of characters is announced while some arrive, ms. */
const ANNOUNCED_MS = 500;
/** Number of unsuccessful probes before a probe listens for a call, and number of probes from that one to the next. */
const LISTENS_AFTER = 2;
const LISTENS_EACH = 5;
/** Number of received characters after which listening for a call ends, because a call is recognised after fewer. */
const STRANGE_LIMIT = 256;
export const PROBE_BYTES_LIMIT = 96;

export interface ProbeResult {
	/** Undefined if an identification or a telegram was received, or a connection established. */
	readonly failure: Failure | undefined;
	/** Identification, ASCII; empty if none was received. */
	readonly ident: Uint8Array;
	readonly received: number;
	readonly damaged: number;
	/** The first received characters. A character of 0x80 or above is damaged. */
	readonly bytes: Uint8Array;
}

export interface ProbeCallback {
	finished(result: ProbeResult): void;
}

export interface ProbeOptions {
	readonly driver: Driver;
	readonly port: SerialPort;
	readonly log: LineLog | undefined;
	readonly live: ReadOutcomesListener["live"];
	readonly context: SessionContext<MeterSettings>;
	readonly isQuick: boolean;
	finished(result: ProbeResult): void;
}

export class Probe implements LinkListener, Timed, LineBorrower {
	/** Monotonic ms at which listening, or the trial of a suggested protocol, ends. */
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #options: ProbeOptions;
	readonly #task: Task;
	readonly #bytes = new Uint8Array(PROBE_BYTES_LIMIT);
	#length = 0;
	#link: Link | undefined;
	#session: Probing | undefined;
	#failure: Failure | undefined;
	#received = 0;
	#damaged = 0;
	/**
	 * Number of received characters minus number of sent characters. If it is positive, not all received characters are
	 * an echo.
	 */
	#surplus = 0;
	readonly #unsolicited = new UnsolicitedDetector();
	#listens = false;
	#isRecognising = false;
	/** The protocol that is being tried in SUGGESTED and CALLED; otherwise undefined. */
	#trial: SuggestedProtocol | undefined;
	#trials = 0;
	#baud = 0;
	#beganMs = 0;
	#receivedMs = 0;
	#announcedMs = 0;
	/** Number of characters since the start, including echo and those that no answer is made of. */
	light = 0;

	constructor(options: ProbeOptions) {
		this.#options = options;
		this.#task = options.driver.register("probe", this);
	}

	get trying(): string {
		const { protocol } = this.#options.context.settings;
		const protocolName = this.#trial?.failure.advice?.protocol ?? protocol;
		return `${this.#isRecognising ? "unasked" : protocolName} ${this.#baud}`;
	}

	/** Starts the probe. With a simulated meter, `finished` is called before this method returns. */
	start(): void {
		const { context, finished } = this.#options;
		const protocol = protocolOf(context.settings);
		if (protocol.simulate !== undefined) {
			const { meterId: ident } = protocol.simulate(context, 0);
			this.stop();
			finished({ failure: undefined, ident, received: 0, damaged: 0, bytes: new Uint8Array(0) });
			return;
		}
		this.#listens = protocol.listenBaud !== undefined;
		this.#task.update((nowMs) => {
			this.#beganMs = nowMs;
			if (this.#options.isQuick) {
				this.deadlineMs = nowMs + context.quietMs + QUICK_MS;
				this.run(protocol.probe(context));
				return;
			}
			const { missedProbes = 0, missedFailure } = context.memory;
			const isTurn = missedProbes % LISTENS_EACH === LISTENS_AFTER;
			this.#trial = isTurn ? unsolicitedProtocol(context.settings) : undefined;
			if (this.#trial !== undefined) {
				this.#failure = missedFailure;
				this.deadlineMs = nowMs + this.#trial.limitMs;
			} else if (this.#listens) this.deadlineMs = nowMs + LISTEN_MS;
			this.run((this.#trial ?? protocol).probe(context));
		});
	}

	stop(): void {
		this.#session = undefined;
		this.#link?.close();
		this.#link = undefined;
		this.#task.stop();
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		const session = this.#session;
		if (this.#options.isQuick) {
			const pauseMs = Math.min(this.#receivedMs + QUICK_PAUSE_MS, this.#beganMs + QUICK_LIMIT_MS);
			if (nowMs < pauseMs) this.deadlineMs = pauseMs;
			else this.endQuick();
			return;
		}
		const { listenMs = LISTEN_MS } = protocolOf(this.#options.context.settings);
		const listensUntilMs = this.#beganMs + listenMs;
		if (this.#trial !== undefined) {
			if (this.#surplus > 0) this.#unsolicited.hasStray = true;
			this.startNext(nowMs);
		} else if (session?.received === 0 && nowMs < listensUntilMs) this.deadlineMs = listensUntilMs;
		else this.#link?.update((ms) => session?.abort(ms));
	}

	get log(): LineLog | undefined {
		return this.#options.log;
	}

	linkTraffic(direction: number, bytes: Uint8Array, start: number, end: number): void {
		const isReceived = direction === RECEIVED;
		this.#surplus += isReceived ? end - start : start - end;
		if (isReceived) this.noteLight(end - start);
		if (isReceived && this.#trial?.calls && !this.#isRecognising && this.#surplus > STRANGE_LIMIT)
			this.#task.update((ms) => {
				this.#unsolicited.hasStray = true;
				this.startNext(ms);
			});
		// Answers in a suggested protocol do not show whether the head is in the right position, so they are not reported.
		if (!isReceived || (this.#trial !== undefined && !this.#isRecognising)) return;
		if (this.#session?.isIdle === true && !this.#options.isQuick)
			this.#task.update((nowMs) => {
				if (this.#unsolicited.onIdleBytes(this.#failure, nowMs)) this.startNext(nowMs);
			});
		for (let i = start; i < end && this.#length < PROBE_BYTES_LIMIT; i++) this.#bytes[this.#length++] = bytes[i];
	}

	private noteLight(count: number): void {
		const { driver, live } = this.#options;
		this.light += count;
		this.#receivedMs = driver.nowMs();
		if (this.#receivedMs < this.#announcedMs + ANNOUNCED_MS) return;
		this.#announcedMs = this.#receivedMs;
		live?.changed();
	}

	linkSpeed(baud: number): void {
		this.#baud = baud;
		this.#options.live?.changed();
		// Report only bytes received at the present speed.
		if (this.#isRecognising) this.#length = 0;
	}

	private run(session: Probing): void {
		this.#link?.close();
		this.#session = session;
		this.#surplus = 0;
		const { driver, port, context } = this.#options;
		setLines({ port, settings: context.settings });
		try {
			this.#link = new Link(driver, { port, machine: session, listener: this });
		} catch (error) {
			this.finish(FAILURE_PORT);
			if (isMistake(error)) throw error;
		}
	}

	linkClosed(): void {
		this.#task.update(() => this.finish(FAILURE_PORT));
	}

	linkEvent(code: number): void {
		this.#task.update((nowMs) => this.onEvent(code, nowMs));
	}

	private onEvent(code: number, nowMs: number): void {
		const session = this.#session;
		if (session === undefined) return;
		const { failure, meterId } = session;
		// A complete telegram that can't be decrypted without the key still proves that the head is in the right position.
		const isKeyless = code === EVENT_POOR && failure?.error === METER_AUTH_FAILED;
		const isUnreadable = code === EVENT_POOR && failure?.isFinal === true && !isKeyless;
		if (code !== EVENT_END && code !== EVENT_READOUT && !isKeyless && !isUnreadable) return;
		this.#received += session.received;
		this.#damaged += session.damaged ?? 0;
		if (this.#isRecognising || isUnreadable) this.finish(failure ?? this.#failure);
		else if (failure === undefined || isKeyless) this.finish(this.#trial?.failure, meterId);
		else if (this.#options.isQuick) this.finish(failure);
		else {
			const next = this.#trial === undefined ? session.nextProbe?.(nowMs) : undefined;
			if (this.#trial === undefined) this.#failure = furthest(this.#failure, failure);
			this.#unsolicited.onEnd(failure);
			if (next === undefined) this.startNext(nowMs);
			else this.run(next);
		}
	}

	private endQuick(): void {
		this.#received = this.#session?.received ?? 0;
		this.#damaged = this.#session?.damaged ?? 0;
		if (this.#received === 0) this.finish(PROBE_SILENCE);
		else this.finish(this.#surplus > 0 ? PROBE_NO_IDENT : PROBE_ECHO_ONLY);
	}

	private startNext(nowMs: number): void {
		const { context } = this.#options;
		const protocol = protocolOf(context.settings);
		const polls = protocol.listenBaud === undefined && protocol.simulate === undefined;
		const isLastRound = !polls || nowMs >= this.#beganMs + SILENT_MS || this.#received > 0;
		const suggestions = suggestionsFor(context.settings, isLastRound);
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (this.#unsolicited.hasStray) {
			this.#isRecognising = true;
			this.#unsolicited.isDone = true;
			const { port } = this.#options;
			this.run(new Recogniser({ port, settings: context.settings }, nowMs, this.#beganMs + RECOGNISED_MS));
		} else if (this.#trial?.calls) this.finish(this.#failure);
		else if (this.#trials < suggestions.length) {
			this.#trial = suggestions[this.#trials++];
			this.deadlineMs = nowMs + this.#trial.limitMs;
			this.run(this.#trial.probe({ ...context, nowMs }));
		} else if (!isLastRound) {
			this.#trial = undefined;
			this.#trials = 0;
			this.run(protocol.probe({ ...context, quietMs: 0, nowMs }));
		} else this.finish(this.#failure);
	}

	private finish(failure: Failure | undefined, ident: Uint8Array = new Uint8Array(0)): void {
		if (this.#session === undefined) return;
		this.stop();
		const isPort = failure === FAILURE_PORT;
		const { isQuick, context } = this.#options;
		const isMissed = failure !== undefined && failure.advice === undefined && !isPort;
		if (!isQuick || !isMissed) {
			context.memory.missedProbes = isMissed ? (context.memory.missedProbes ?? 0) + 1 : 0;
			context.memory.missedFailure = isMissed ? failure : undefined;
		}
		const received = isPort ? 0 : this.#received;
		const damaged = isPort ? 0 : this.#damaged;
		const bytes = this.#bytes.slice(0, this.#length);
		// The bytes were received as 8N1, so the parity bit must be cleared for the report.
		if (failure?.finding?.framing === FRAMING_7E1) for (let i = 0; i < bytes.length; i++) bytes[i] &= 0x7f;
		const { finished, live } = this.#options;
		finished({ failure, ident, received, damaged, bytes });
		live?.changed();
	}
}
