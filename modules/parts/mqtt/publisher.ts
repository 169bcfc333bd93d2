/**
 * Policy of the MQTT output. It decides when to connect and when to send. The columns of the table are events:
 *
 *              wanted    due       permit    connected  fails     greeted   all sent   not wanted
 *   OFF        WAITING   –         –         –          –         –         –          –
 *   RESTING    –         WAITING   –         –          –         –         –          OFF
 *   WAITING    –         OPENING   OPENING   –          –         –         –          OFF
 *   OPENING    –         –         –         GREETING   RESTING   –         –          OFF
 *   GREETING   –         –         –         –          RESTING   UP        –          OFF
 *   UP         –         –         –         –          RESTING   –         –          LEAVING
 *   LEAVING    –         –         –         –          OFF       –         OFF        –
 *
 * A session is needed if MQTT is enabled and there is a network. A device that sleeps between readouts wants one only
 * if it has new data, and ends the session when everything is sent. After MQTT was disabled, one more session withdraws
 * the announcement; it is tried LAST_TRIES times. Without a network the state changes to OFF immediately.
 *
 * WAITING: the TLS permit or memory is missing; memory is checked every MEMORY_MS. RESTING: the publisher pauses for
 * the seconds in RETRY_S, or for an hour after a refusal that only the user can resolve. After a session of STABLE_MS,
 * the pauses start over with the first one. RESTING also precedes the first session, unless the device sleeps. LEAVING:
 * settings have changed, or another output wants the permit. DISCONNECT is sent after the message in flight.
 *
 * When Home Assistant's birth message arrives, everything is sent again after a random delay (BIRTH_MS to ten times
 * BIRTH_MS), because all devices get this message at the same time. PUBLISH_COST is claimed while a message is due.
 */

import { CLIENT_OUT_OF_MEMORY } from "../../io/client.js";
import type { Timed } from "../../io/machine.js";
import type { Cost } from "../../io/memory.js";
import { BAD_URL, NO_CERTIFICATE, NO_NETWORK, needsOwner, sessionFailure } from "../../mqtt/failures.js";
import { BIRTH_TOPIC, idOf, OFFLINE, ONLINE } from "../../mqtt/messages.js";
import { END_WELL, type FileReceiver, SESSION_ENDED, SESSION_READY, Session } from "../../mqtt/session.js";
import { type BrokerURL, parseBrokerURL } from "../../mqtt/url.js";
import { SETTINGS_FILES } from "../../provision/settings-files.js";
import { connectFailure, type OutputFailure } from "../../publish/connect-failures.js";
import { type Output, type OutputDeps, OWNER_PAUSE_MS } from "../../publish/output.js";
import type { Readout } from "../../readout/readout.js";
import { MQTT_ENABLED, MQTT_PASSWORD, MQTT_URL, MQTT_USER } from "./fields.js";
import { MessageQueue } from "./message-queue.js";

/** Memory for the connection with its buffer, and for the entities of a readout. */
export const PUBLISH_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 6144 });

export const MQTT_OFF = 0;
export const MQTT_RESTING = 1;
export const MQTT_WAITING = 2;
export const MQTT_OPENING = 3;
export const MQTT_GREETING = 4;
export const MQTT_UP = 5;
export const MQTT_LEAVING = 6;

const STAY = 0;
const LEND_PERMIT = 1;
const CHANGE = 2;

/**
 * Pauses between attempts, seconds. Each is varied at random by up to a half. They are so short that a session is
 * restored within a minute. A device that sleeps waits longer, because attempts drain its battery.
 */
const RETRY_S = Object.freeze([10, 20, 36]);
const RETRY_SLEEPY_S = Object.freeze([10, 20, 40, 80, 160, 320, 600]);
const STABLE_MS = 60_000;
const MEMORY_MS = 2000;
const BIRTH_MS = 1000;
const LAST_TRIES = 3;
const TEST_MS = 45_000;
/** Maximum length of a client identifier that every broker accepts (3.1.3.1). */
const ID_LIMIT = 23;

/** Returns the topic for signed settings files, which is next to the status topic. */
function fileTopicBeside(statusTopic: string): string {
	return statusTopic.slice(0, -"status".length).concat("provision");
}

export interface CommandListener {
	/** Receiver of signed settings files; undefined if this firmware accepts none. */
	readonly files: FileReceiver | undefined;
	commanded(payload: string, isRetained: boolean, nowMs: number): void;
}

export const MQTT_OUTPUT = Object.freeze({ cost: PUBLISH_COST, testLeastMs: 0, testLimitMs: TEST_MS });

export class Publisher implements Timed {
	/** Number that changes whenever the connection should be opened or closed. */
	connection = 0;
	/**
	 * Numbers of sessions and of published messages since the start. A message with QoS 1 counts when it is acknowledged,
	 * one with QoS 0 when it is sent.
	 */
	connections = 0;
	published = 0;
	readonly #deps: OutputDeps;
	readonly #output: Output;
	readonly #queue: MessageQueue;
	readonly #listener: CommandListener;
	#step = MQTT_OFF;
	#broker: BrokerURL | undefined;
	#session: Session | undefined;
	/** End of RESTING, or of a wait for memory; otherwise Infinity. */
	#endMs = Number.POSITIVE_INFINITY;
	/** Time at which everything is sent again, ms; Infinity if none is planned. */
	#birthMs = Number.POSITIVE_INFINITY;
	#hasNetwork = false;
	#lastTries = 0;
	#leave = STAY;
	#sinceMs = 0;
	/** Number of acknowledgements that were processed in this session; -1 before the CONNACK. */
	#acks = 0;

	constructor(deps: OutputDeps, output: Output, listener: CommandListener) {
		this.#listener = listener;
		this.#deps = deps;
		this.#output = output;
		this.#queue = new MessageQueue(deps);
	}

	get state(): number {
		const session = this.#session;
		if (session === undefined) return this.#step;
		if (session.state < SESSION_READY) return MQTT_GREETING;
		return session.state === SESSION_READY && this.#leave === STAY ? MQTT_UP : MQTT_LEAVING;
	}

	get broker(): BrokerURL | undefined {
		return this.#broker;
	}

	get isBusy(): boolean {
		const { state } = this;
		if (state === MQTT_OFF) return this.#deps.config.get(MQTT_ENABLED) && this.#queue.hasNews;
		return state > MQTT_RESTING && (state !== MQTT_UP || this.#queue.isBusy);
	}

	get deadlineMs(): number {
		const session = this.#session;
		const deadlineMs = Math.min(this.#endMs, this.#birthMs);
		if (session === undefined) return deadlineMs;
		// While a message waits for memory, only #endMs counts.
		const waits = session.isFree && this.#endMs === Number.POSITIVE_INFINITY;
		return Math.min(deadlineMs, session.deadlineMs, waits ? this.#queue.dueMs : deadlineMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#endMs) {
			this.#endMs = Number.POSITIVE_INFINITY;
			if (this.#step === MQTT_RESTING) this.enter(MQTT_WAITING, nowMs);
			else if (this.#step === MQTT_WAITING) this.open(nowMs);
		}
		if (nowMs >= this.#birthMs) {
			this.#birthMs = Number.POSITIVE_INFINITY;
			this.#queue.sendAll();
		}
		this.#session?.advance(nowMs);
		this.work(nowMs);
	}

	/** Handles a change of the network. The session begins after `delayMs`, unless the device sleeps. */
	networkChanged(isUp: boolean, nowMs: number, delayMs = 0): void {
		this.#hasNetwork = isUp;
		if (!isUp) this.drop(nowMs);
		else this.begin(nowMs, delayMs);
	}

	reconfigure(nowMs: number): void {
		const { config } = this.#deps;
		const isOff = !config.get(MQTT_ENABLED);
		this.#lastTries = isOff && this.#queue.isKnown ? LAST_TRIES : 0;
		if (this.#session?.state === SESSION_READY) {
			this.#leave = CHANGE;
			const broker = parseBrokerURL(config.get(MQTT_URL));
			const { host, port } = this.#broker ?? {};
			this.#queue.finish(isOff || broker?.host !== host || broker?.port !== port, this.isSleepy);
			this.work(nowMs);
		} else {
			this.close();
			this.networkChanged(this.#hasNetwork, nowMs);
		}
	}

	measured(readout: Readout, nowMs: number): void {
		this.#queue.measured(readout, nowMs);
		if (this.#session === undefined) this.begin(nowMs);
		else this.work(nowMs);
	}

	meterFailed(nowMs: number): void {
		this.#queue.meterFailed();
		if (this.#session === undefined) this.begin(nowMs);
		else this.work(nowMs);
	}

	forgetMeter(): void {
		this.#queue.forgetMeter();
	}

	updateChanged(nowMs: number): void {
		this.#queue.updateChanged();
		this.work(nowMs);
	}

	test(nowMs: number): void {
		if (!this.#hasNetwork) {
			this.#output.answer(NO_NETWORK, 0, nowMs);
			return;
		}
		if (this.#session !== undefined) this.#queue.test();
		else if (this.#step <= MQTT_RESTING) this.enter(MQTT_WAITING, nowMs);
		this.work(nowMs);
	}

	permitted(nowMs: number): void {
		this.#endMs = nowMs;
	}

	/** Ends the session in a later tick, because another output wants the permit. */
	permitWanted(nowMs: number): void {
		if (this.#leave === STAY) this.#leave = LEND_PERMIT;
		if (this.#session !== undefined) this.#endMs = nowMs;
	}

	connected(nowMs: number): void {
		const { config, info, text } = this.#deps;
		const queue = this.#queue;
		const files = SETTINGS_FILES ? this.#listener.files : undefined;
		queue.begin(!config.get(MQTT_ENABLED), this.isSleepy);
		this.#session = new Session(
			{
				text,
				clientId: idOf(info.serial).slice(-ID_LIMIT),
				user: config.get(MQTT_USER),
				password: config.get(MQTT_PASSWORD),
				willTopic: queue.statusTopic,
				willMessage: OFFLINE,
				listenTo: files === undefined ? queue.topics : [...queue.topics, fileTopicBeside(queue.statusTopic)],
				listener: this,
				files,
			},
			nowMs,
		);
		this.#acks = -1;
		this.#sinceMs = nowMs;
	}

	received(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#session?.receive(bytes, start, end, nowMs);
		this.work(nowMs);
	}

	take(into: Uint8Array, start: number, end: number, nowMs: number): number {
		return this.#session?.take(into, start, end, nowMs) ?? 0;
	}

	/** Continues the session. It must also be called after `take()`. */
	work(nowMs: number): void {
		const session = this.#session;
		if (session === undefined) return;
		if (session.state === SESSION_ENDED) {
			this.ended(session.end, nowMs);
			return;
		}
		if (!session.isFree) return;
		const queue = this.#queue;
		if (this.#acks < 0) {
			this.#acks = 0;
			this.connections++;
		}
		if (session.acknowledged > this.#acks) {
			this.#acks = session.acknowledged;
			this.published++;
			if (queue.acknowledged()) this.#output.sent();
		}
		// Messages that can be sent later do not delay the permit for another output.
		const isLast = this.#leave === CHANGE || !this.#deps.config.get(MQTT_ENABLED);
		if (this.#leave === LEND_PERMIT || (isLast && !queue.isBusy)) session.leave(nowMs);
		else if (nowMs >= queue.dueMs && this.claim(nowMs)) {
			const message = queue.next(nowMs);
			if (message !== undefined) session.publish(message, nowMs, queue.wantsAck);
		}
		if (!session.isFree || queue.isBusy || isLast) return;
		this.#output.release();
		this.#output.succeed(0, nowMs);
		// A sleeping device can't keep the session open, and the broker would publish the will.
		if (this.isSleepy) session.leave(nowMs);
	}

	/** The connection was lost. `code`: CLIENT_…. */
	lost(code: number, nowMs: number): void {
		const session = this.#session;
		if (session === undefined) this.fail(connectFailure(code), false, nowMs);
		else {
			session.lost();
			this.work(nowMs);
		}
	}

	arrived(topic: string, payload: string, isRetained: boolean, nowMs: number): void {
		if (topic !== BIRTH_TOPIC) this.#listener.commanded(payload, isRetained, nowMs);
		else if (payload === ONLINE && this.#birthMs === Number.POSITIVE_INFINITY)
			this.#birthMs = nowMs + BIRTH_MS + (9 * BIRTH_MS * this.#deps.crypto.random(1)[0]) / 255;
	}

	private get isWanted(): boolean {
		if (!this.#hasNetwork) return false;
		const hasNothing = this.isSleepy && !this.#queue.hasNews && this.#output.testedSinceMs === undefined;
		return this.#lastTries > 0 || (this.#deps.config.get(MQTT_ENABLED) && !hasNothing);
	}

	private get isSleepy(): boolean {
		const { saving } = this.#deps;
		return saving !== undefined && saving.awakeUntilMs < Number.POSITIVE_INFINITY;
	}

	private begin(nowMs: number, delayMs = 0): void {
		if (this.#step !== MQTT_OFF || !this.isWanted) return;
		const isDelayed = delayMs > 0 && !this.isSleepy;
		this.enter(isDelayed ? MQTT_RESTING : MQTT_WAITING, nowMs);
		if (isDelayed) this.#endMs += delayMs;
	}

	private enter(step: number, nowMs: number): void {
		this.#step = step;
		this.#sinceMs = nowMs;
		// The state changes in the next tick, not during this call.
		this.#endMs = nowMs;
	}

	private open(nowMs: number): void {
		const { config } = this.#deps;
		const output = this.#output;
		const broker = parseBrokerURL(config.get(MQTT_URL));
		if (broker === undefined) this.fail(BAD_URL, true, nowMs);
		else if (broker.secure && !output.hasCertificates) this.fail(NO_CERTIFICATE, true, nowMs);
		else if (broker.secure && !this.hasPermit()) return;
		else if (this.claim(nowMs, true)) {
			this.#endMs = Number.POSITIVE_INFINITY;
			this.#broker = broker;
			this.#step = MQTT_OPENING;
			this.connection++;
		} else output.giveBack();
	}

	/**
	 * Asks for the permit. Returns false if it is in use; `permitted()` is called later. The deadline is reset first,
	 * because the permit may arrive during the call.
	 */
	private hasPermit(): boolean {
		this.#endMs = Number.POSITIVE_INFINITY;
		return this.#output.askPermit();
	}

	/** Claims memory. Returns false if too little is free; another try follows after MEMORY_MS. */
	private claim(nowMs: number, isConnection = false): boolean {
		const isClaimed = isConnection ? this.#output.claimConnection() : this.#output.claim();
		if (!isClaimed) {
			this.#endMs = nowMs + MEMORY_MS;
			this.#output.lack(connectFailure(CLIENT_OUT_OF_MEMORY), nowMs);
		}
		return isClaimed;
	}

	private ended(end: number, nowMs: number): void {
		if (end === END_WELL) {
			this.#lastTries = 0;
			this.close();
			this.networkChanged(this.#hasNetwork, nowMs);
			return;
		}
		if (nowMs - this.#sinceMs >= STABLE_MS) this.#output.attempts = 0;
		this.fail(sessionFailure(end), needsOwner(end), nowMs);
	}

	/** `isForOwner`: true if an early retry would be useless. */
	private fail(failure: OutputFailure, isForOwner: boolean, nowMs: number): void {
		const output = this.#output;
		if (this.#lastTries > 0) this.#lastTries--;
		this.close();
		output.fail(failure, 0, nowMs);
		if (!this.isWanted) return;
		this.enter(MQTT_RESTING, nowMs);
		this.#endMs += isForOwner ? OWNER_PAUSE_MS : output.pauseMs(this.isSleepy ? RETRY_SLEEPY_S : RETRY_S);
	}

	private drop(nowMs: number): void {
		this.close();
		this.#output.answer(NO_NETWORK, 0, nowMs);
	}

	private close(): void {
		this.#queue.end();
		this.#session = this.#broker = undefined;
		this.#step = MQTT_OFF;
		this.#leave = STAY;
		this.#endMs = this.#birthMs = Number.POSITIVE_INFINITY;
		this.#output.giveBack();
		this.connection++;
	}
}
