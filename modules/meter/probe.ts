/**
 * Tells what comes back from the meter, for aligning the optical head (`POST meter/probe`): holds the conversations that
 * the protocol has for that, one after the other, until one finds the meter. One that listens is given LISTEN_MS.
 *
 *   HOLDING   found, or over and no other follows, or the port failed: ENDED, and told
 *   ENDED     all is ignored
 */
import type { Drive, Driver } from "../io/driver.js";
import type { SerialPort } from "../io/host.js";
import { Link, type LinkTap, TAP_RECEIVED } from "../io/link.js";
import type { Timed } from "../io/machine.js";
import { type Failure, furthest } from "../readout/failure.js";
import { EVENT_END, EVENT_READOUT, type Probing } from "../readout/protocol.js";
import type { ConversationLog } from "./conversation-log.js";
import { FAILURE_PORT } from "./failures.js";

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

export interface ProbeWaiter {
	finished(result: ProbeResult): void;
}

export interface ProbeOptions {
	readonly driver: Driver;
	readonly port: SerialPort;
	/** It is ended after LISTEN_MS. */
	readonly listens: boolean;
	readonly log: ConversationLog | undefined;
	finished(result: ProbeResult): void;
}

export class Probe implements LinkTap, Timed {
	/** When listening ends, monotonic ms. */
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #options: ProbeOptions;
	readonly #drive: Drive;
	readonly #bytes = new Uint8Array(PROBE_BYTES_LIMIT);
	#length = 0;
	#link: Link | undefined;
	/** Undefined: it has ended. */
	#conversation: Probing | undefined;
	/** Of the conversations before. */
	#failure: Failure | undefined;
	#received = 0;
	#damaged = 0;

	constructor(options: ProbeOptions) {
		this.#options = options;
		this.#drive = options.driver.drive("probe", this);
	}

	start(conversation: Probing): void {
		this.#drive.tell((nowMs) => {
			if (this.#options.listens) this.deadlineMs = nowMs + LISTEN_MS;
			this.hold(conversation);
		});
	}

	/** Ends it; nobody is told. */
	stop(): void {
		this.#conversation = undefined;
		this.#link?.close();
		this.#link = undefined;
		this.#drive.stop();
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		const conversation = this.#conversation;
		this.#link?.tell((ms) => conversation?.abort(ms));
	}

	bytes(direction: number, bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#options.log?.bytes(direction, bytes, start, end, nowMs);
		if (direction !== TAP_RECEIVED) return;
		for (let i = start; i < end && this.#length < PROBE_BYTES_LIMIT; i++) this.#bytes[this.#length++] = bytes[i];
	}

	line(baud: number, nowMs: number): void {
		this.#options.log?.line(baud, nowMs);
	}

	private hold(conversation: Probing): void {
		this.#conversation = conversation;
		const { line, anyFraming = false } = conversation;
		const { driver, port } = this.#options;
		const onEvent = (code: number) => this.#drive.tell((nowMs) => this.heard(code, nowMs));
		const onGone = () => this.#drive.tell(() => this.finish(FAILURE_PORT));
		try {
			this.#link = new Link(driver, { port, line, anyFraming, machine: conversation, tap: this, onEvent, onGone });
		} catch {
			this.finish(FAILURE_PORT);
		}
	}

	private heard(code: number, nowMs: number): void {
		const conversation = this.#conversation;
		if (conversation === undefined || (code !== EVENT_END && code !== EVENT_READOUT)) return;
		const { failure } = conversation;
		const next = failure === undefined ? undefined : conversation.nextProbe?.(nowMs);
		if (next === undefined) {
			this.finish(failure === undefined ? undefined : furthest(this.#failure, failure));
			return;
		}
		this.#failure = furthest(this.#failure, failure);
		this.#received += conversation.received;
		this.#damaged += conversation.damaged;
		this.#link?.close();
		this.hold(next);
	}

	/** Without a failure the conversation has found the meter. */
	private finish(failure: Failure | undefined): void {
		const conversation = this.#conversation;
		if (conversation === undefined) return;
		this.stop();
		const isPort = failure === FAILURE_PORT;
		const ident = failure === undefined ? conversation.meterId : new Uint8Array(0);
		const received = isPort ? 0 : this.#received + conversation.received;
		const damaged = isPort ? 0 : this.#damaged + conversation.damaged;
		this.#options.finished({ failure, ident, received, damaged, bytes: this.#bytes.slice(0, this.#length) });
	}
}
