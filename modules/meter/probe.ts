/**
 * Tells what comes back from the meter, for aligning the optical head and for finding the right settings (`POST
 * meter/probe`): holds the conversations that the protocol has for that, one after the other, until one finds the meter.
 * One that listens is given LISTEN_MS.
 *
 *   HOLDING      found, or the port failed: ENDED, and told      another follows: HOLDING
 *                over, and something came: RECOGNISING           over, and nothing came: INSTEAD
 *   RECOGNISING  over: ENDED, and told what arrives by itself, or what HOLDING has failed by
 *   INSTEAD      the meter is found in another way: ENDED, and told to choose that one
 *                over, or its time is: INSTEAD with the next way; after the last one HOLDING once more if nothing came in
 *                fewer than SILENT_MS, so that a meter that sends every ten seconds is heard; or ENDED, and told what
 *                HOLDING has failed by
 *   ENDED        all is ignored
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

/** How long a meter that sends by itself is listened to: they push every one to ten seconds. */
const LISTEN_MS = 12_000;
/** The first received bytes that are shown. */
export const PROBE_BYTES_LIMIT = 96;

/** What came back. */
export interface ProbeResult {
	/** None when the meter is there: an identification came, a telegram, or a connection. */
	readonly failure: Failure | undefined;
	/** What the meter calls itself, ASCII; empty if it has not. */
	readonly ident: Uint8Array;
	/** Characters received, and those that were damaged. */
	readonly received: number;
	readonly damaged: number;
	/** The first of them; 0x80 and above: damaged. */
	readonly bytes: Uint8Array;
}

export interface ProbeCallback {
	finished(result: ProbeResult): void;
}

export interface ProbeOptions {
	readonly driver: Driver;
	readonly port: SerialPort;
	readonly log: LineLog | undefined;
	/** Told that something else is tried. */
	readonly live: ReadStatisticsListener["live"];
	/** For what else may find the meter. */
	readonly opening: Opening<MeterSettings>;
	finished(result: ProbeResult): void;
}

export class Probe implements LinkTap, Timed, LineBorrower {
	/** When listening ends, monotonic ms. */
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #options: ProbeOptions;
	readonly #task: Task;
	readonly #bytes = new Uint8Array(PROBE_BYTES_LIMIT);
	#length = 0;
	#link: Link | undefined;
	/** Undefined: it has ended. */
	#session: Probing | undefined;
	/** What the conversations before have come to. */
	#failure: Failure | undefined;
	#received = 0;
	#damaged = 0;
	/** Characters received in this conversation that can't be an echo of those sent. */
	#surplus = 0;
	readonly #unsolicited = new UnsolicitedDetector();
	/** To a meter that sends by itself: it is ended after LISTEN_MS. */
	#listens = false;
	#isRecognising = false;
	/** In INSTEAD: which way is tried, and how many were begun. */
	#way: SuggestedProtocol | undefined;
	#tried = 0;
	/** Speed of the line. */
	#baud = 0;
	/** When it began, monotonic ms. */
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

	/** As the settings have it. What is simulated has answered before this returns. */
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

	/** Ends it; nobody is told. */
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
		// Another way to ask is no matter of the head.
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
		// What is shown is what came at the right speed.
		if (this.#isRecognising) this.#length = 0;
	}

	private hold(session: Probing): void {
		this.#link?.close();
		this.#session = session;
		this.#surplus = 0;
		const { line, anyFraming = false } = session;
		const { driver, port } = this.#options;
		const onEvent = (code: number) => this.#task.update((nowMs) => this.heard(code, nowMs));
		const onGone = () => this.#task.update(() => this.finish(FAILURE_PORT));
		try {
			this.#link = new Link(driver, { port, line, anyFraming, machine: session, tap: this, onEvent, onClosed: onGone });
		} catch {
			this.finish(FAILURE_PORT);
		}
	}

	private heard(code: number, nowMs: number): void {
		const session = this.#session;
		if (session === undefined) return;
		const { failure, meterId } = session;
		// What came whole and lacks the right key proves that the head sits well.
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

	/** The protocol's own conversations are over, or one in their place. */
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

	/** Without a failure the meter is found as the settings have it. */
	private finish(failure: Failure | undefined, ident: Uint8Array = new Uint8Array(0)): void {
		if (this.#session === undefined) return;
		this.stop();
		const isPort = failure === FAILURE_PORT;
		const received = isPort ? 0 : this.#received;
		const damaged = isPort ? 0 : this.#damaged;
		const bytes = this.#bytes.slice(0, this.#length);
		// They were taken as eight bits, whatever they are.
		if (failure?.unasked?.framing === FRAMING_7E1) for (let i = 0; i < bytes.length; i++) bytes[i] &= 0x7f;
		const { finished, live } = this.#options;
		finished({ failure, ident, received, damaged, bytes });
		live?.changed();
	}
}
