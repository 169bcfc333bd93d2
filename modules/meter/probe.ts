/**
 * Reports what the meter answers, for aligning the optical head and finding the settings (`POST meter/probe`). The
 * protocol's probe sessions run in turn until one finds the meter.
 *
 *     HOLDING      found, or the port failed: ENDED, reported      another session follows: HOLDING
 *                  over, unexpected bytes received: RECOGNISING    over, nothing received: INSTEAD
 *     RECOGNISING  over: ENDED, reports the kind of unsolicited data, or the failure of HOLDING
 *     INSTEAD      found in another protocol: ENDED, reports that protocol
 *                  over or timed out: INSTEAD with the next protocol; after the last one HOLDING again if nothing was
 *                  received in fewer than SILENT_MS, so that a meter that sends every ten seconds is noticed; otherwise
 *                  ENDED, reports the failure of HOLDING
 *     ENDED        ignores everything
 */
import type { Driver, Task } from "../io/driver.js";
import type { SerialPort } from "../io/host.js";
import { Link, type LinkTap, TAP_RECEIVED } from "../io/link.js";
import type { Timed } from "../io/machine.js";
import { type Failure, furthest, METER_AUTH_FAILED } from "../readout/failure.js";
import { EVENT_END, EVENT_POOR, EVENT_READOUT, type Opening, type Probing } from "../readout/protocol.js";
import { FAILURE_PORT } from "./failures.js";
import type { LineLog } from "./line-log.js";
import { protocolOf } from "./protocols.js";
import type { ReadStatisticsListener } from "./read-statistics.js";
import { Recogniser, SILENT_MS } from "./recogniser.js";
import type { LineBorrower, MeterSettings } from "./settings.js";
import { type SuggestedProtocol, suggestionsFor } from "./suggested-protocol.js";
import { FRAMING_7E1, UnsolicitedDetector } from "./unsolicited.js";

/** Time limit of a session that listens; meters send every one to ten seconds. */
const LISTEN_MS = 12_000;
/** Maximum number of received bytes in the result. */
export const PROBE_BYTES_LIMIT = 96;

export interface ProbeResult {
	/** Undefined if an identification, a telegram or a connection was received. */
	readonly failure: Failure | undefined;
	/** Identification, ASCII; empty if none was received. */
	readonly ident: Uint8Array;
	/** Number of received characters, and of damaged ones among them. */
	readonly received: number;
	readonly damaged: number;
	/** First received characters; 0x80 and above: damaged. */
	readonly bytes: Uint8Array;
}

export interface ProbeCallback {
	finished(result: ProbeResult): void;
}

export interface ProbeOptions {
	readonly driver: Driver;
	readonly port: SerialPort;
	readonly log: LineLog | undefined;
	readonly live: ReadStatisticsListener["live"];
	readonly opening: Opening<MeterSettings>;
	finished(result: ProbeResult): void;
}

export class Probe implements LinkTap, Timed, LineBorrower {
	/** End of listening or of the present alternative, monotonic ms. */
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #options: ProbeOptions;
	readonly #task: Task;
	readonly #bytes = new Uint8Array(PROBE_BYTES_LIMIT);
	#length = 0;
	#link: Link | undefined;
	#session: Probing | undefined;
	/** Results of earlier sessions. */
	#failure: Failure | undefined;
	#received = 0;
	#damaged = 0;
	/** Number of characters received beyond the number sent, which cannot be an echo. */
	#surplus = 0;
	readonly #unsolicited = new UnsolicitedDetector();
	#listens = false;
	#isRecognising = false;
	/** State INSTEAD: present alternative, and number of alternatives that were started. */
	#way: SuggestedProtocol | undefined;
	#tried = 0;
	#baud = 0;
	#beganMs = 0;

	constructor(options: ProbeOptions) {
		this.#options = options;
		this.#task = options.driver.register("probe", this);
	}

	get trying(): string {
		const { protocol } = this.#options.opening.settings;
		const asked = this.#way?.failure.advice?.protocol ?? protocol;
		return `${this.#isRecognising ? "unasked" : asked} ${this.#baud}`;
	}

	/** With a simulated meter the report comes before this method returns. */
	start(): void {
		const { opening, finished } = this.#options;
		const protocol = protocolOf(opening.settings);
		if (protocol.simulate !== undefined) {
			const { meterId: ident } = protocol.simulate(opening, 0);
			this.stop();
			finished({ failure: undefined, ident, received: 0, damaged: 0, bytes: new Uint8Array(0) });
			return;
		}
		this.#listens = protocol.listenBaud !== undefined;
		this.#task.update((nowMs) => {
			this.#beganMs = nowMs;
			if (this.#listens) this.deadlineMs = nowMs + LISTEN_MS;
			this.hold(protocol.probe(opening));
		});
	}

	/** Ends the probe without a report. */
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
		if (this.#way !== undefined) {
			if (this.#surplus > 0) this.#unsolicited.isStrange = true;
			this.goOn(nowMs);
		} else this.#link?.tell((ms) => session?.abort(ms));
	}

	bytes(direction: number, bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#options.log?.bytes(direction, bytes, start, end, nowMs);
		const isReceived = direction === TAP_RECEIVED;
		this.#surplus += isReceived ? end - start : start - end;
		// Answers to alternative protocols tell nothing about the position of the head.
		if (!isReceived || (this.#way !== undefined && !this.#isRecognising)) return;
		if (this.#session?.isIdle === true && this.#unsolicited.cameIdle(this.#failure, nowMs))
			this.#task.update((ms) => this.goOn(ms));
		for (let i = start; i < end && this.#length < PROBE_BYTES_LIMIT; i++) this.#bytes[this.#length++] = bytes[i];
	}

	line(baud: number, nowMs: number): void {
		const { log, live } = this.#options;
		log?.line(baud, nowMs);
		this.#baud = baud;
		live?.changed();
		// Report only bytes received at the present speed.
		if (this.#isRecognising) this.#length = 0;
	}

	private hold(session: Probing): void {
		this.#link?.close();
		this.#session = session;
		this.#surplus = 0;
		const { line, anyFraming = false } = session;
		const { driver, port } = this.#options;
		const onEvent = (code: number) => this.#task.update((nowMs) => this.onEvent(code, nowMs));
		const onGone = () => this.#task.update(() => this.finish(FAILURE_PORT));
		try {
			this.#link = new Link(driver, { port, line, anyFraming, machine: session, tap: this, onEvent, onClosed: onGone });
		} catch {
			this.finish(FAILURE_PORT);
		}
	}

	private onEvent(code: number, nowMs: number): void {
		const session = this.#session;
		if (session === undefined) return;
		const { failure, meterId } = session;
		// A whole telegram for which the key is missing still proves that the head is in the right position.
		const isKeyless = code === EVENT_POOR && failure?.error === METER_AUTH_FAILED;
		const isUnreadable = code === EVENT_POOR && failure?.isFinal === true && !isKeyless;
		if (code !== EVENT_END && code !== EVENT_READOUT && !isKeyless && !isUnreadable) return;
		this.#received += session.received;
		this.#damaged += session.damaged ?? 0;
		if (this.#isRecognising || isUnreadable) this.finish(failure ?? this.#failure);
		else if (failure === undefined || isKeyless) this.finish(this.#way?.failure, meterId);
		else {
			const next = this.#way === undefined ? session.nextProbe?.(nowMs) : undefined;
			if (this.#way === undefined) this.#failure = furthest(this.#failure, failure);
			this.#unsolicited.ended(failure);
			if (next === undefined) this.goOn(nowMs);
			else this.hold(next);
		}
	}

	/** Continues after the protocol's own sessions, or after an alternative. */
	private goOn(nowMs: number): void {
		const { opening } = this.#options;
		const ways = suggestionsFor(opening.settings);
		const protocol = protocolOf(opening.settings);
		const isEarly = nowMs < this.#beganMs + SILENT_MS && this.#received === 0;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (this.#unsolicited.isStrange) {
			this.#isRecognising = true;
			this.#unsolicited.isOver = true;
			this.hold(new Recogniser(nowMs));
		} else if (this.#tried < ways.length) {
			this.#way = ways[this.#tried++];
			this.deadlineMs = nowMs + this.#way.limitMs;
			this.hold(this.#way.probe({ ...opening, nowMs }));
		} else if (isEarly && protocol.listenBaud === undefined && protocol.simulate === undefined) {
			this.#way = undefined;
			this.#tried = 0;
			this.hold(protocol.probe({ ...opening, quietMs: 0, nowMs }));
		} else this.finish(this.#failure);
	}

	/** Reports the result; without a failure the meter answers as configured. */
	private finish(failure: Failure | undefined, ident: Uint8Array = new Uint8Array(0)): void {
		if (this.#session === undefined) return;
		this.stop();
		const isPort = failure === FAILURE_PORT;
		const received = isPort ? 0 : this.#received;
		const damaged = isPort ? 0 : this.#damaged;
		const bytes = this.#bytes.slice(0, this.#length);
		// The bytes were received as 8N1, so the parity bit must be cleared.
		if (failure?.unasked?.framing === FRAMING_7E1) for (let i = 0; i < bytes.length; i++) bytes[i] &= 0x7f;
		const { finished, live } = this.#options;
		finished({ failure, ident, received, damaged, bytes });
		live?.changed();
	}
}
