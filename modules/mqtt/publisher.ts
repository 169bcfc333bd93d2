/**
 * When there is a session with the broker, and what comes of it: the policy. What is sent in it, agenda.ts says; the
 * connection is the owner's, service.ts.
 *
 *              wanted    due       permit    stands     fails     greeted   all sent   not wanted
 *   OFF        WAITING   –         –         –          –         –         –          –
 *   RESTING    –         WAITING   –         –          –         –         –          OFF
 *   WAITING    –         OPENING   OPENING   –          –         –         –          OFF
 *   OPENING    –         –         –         GREETING   RESTING   –         –          OFF
 *   GREETING   –         –         –         –          RESTING   UP        –          OFF
 *   UP         –         –         –         –          RESTING   –         –          LEAVING
 *   LEAVING    –         –         –         –          OFF       –         OFF        –
 *
 * Wanted: MQTT is enabled, there is a network and, on a device that sleeps, there is something new to send (a session ends
 * there when all is sent, decision 113). Once disabled, it is wanted once more where Home Assistant has to forget what it was
 * told; that is given up after FAREWELLS failures. Without a network it is OFF at once.
 *
 * WAITING: for the permit to have a TLS connection, and for memory, which is looked for each MEMORY_MS. RESTING: after a
 * failure, by RETRY_S; an hour after a refusal that only the owner can mend. A session that has lasted STABLE_MS begins that
 * row anew. LEAVING: settings have changed, or another output wants the permit; what is in flight is waited for, then
 * DISCONNECT is sent. OFF is left at once where a session is wanted.
 *
 * After the birth message of Home Assistant all is sent again, BIRTH_MS to ten times that later, since all devices hear it.
 * Memory: PUBLISH_COST is claimed while something waits to be sent.
 */

import type { Timed } from "../io/machine.js";
import type { Cost } from "../io/memory.js";
import { connectFailure, type OutputFailure } from "../publish/connect-failures.js";
import { type Output, type OutputDeps, OWNER_PAUSE_MS } from "../publish/output.js";
import type { Readout } from "../readout/readout.js";
import { Agenda } from "./agenda.js";
import { BAD_URL, NO_CERTIFICATE, NO_NETWORK, needsOwner, sessionFailure } from "./failures.js";
import { MQTT_ENABLED, MQTT_PASSWORD, MQTT_URL, MQTT_USER } from "./fields.js";
import { BIRTH_TOPIC, idOf, OFFLINE, ONLINE } from "./messages.js";
import { END_WELL, SESSION_ENDED, SESSION_READY, Session } from "./session.js";
import { type BrokerURL, parseBrokerURL } from "./url.js";

/** The connection and its buffer, and what is made of a readout. */
export const PUBLISH_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 6144 });

/** States. */
export const MQTT_OFF = 0;
export const MQTT_RESTING = 1;
export const MQTT_WAITING = 2;
export const MQTT_OPENING = 3;
export const MQTT_GREETING = 4;
export const MQTT_UP = 5;
export const MQTT_LEAVING = 6;

/** Why a session is left. */
const STAY = 0;
/** Another output wants the permit. */
const LEND = 1;
/** Settings are other ones. */
const CHANGE = 2;

/**
 * Seconds after which a failure is followed by another attempt: with a fifth more, and the time to connect, a session is
 * back within a minute. On a device that sleeps each attempt costs charge.
 */
const RETRY_S = Object.freeze([10, 20, 40, 45]);
const RETRY_SLEEPY_S = Object.freeze([10, 20, 40, 80, 160, 320, 640, 900]);
const STABLE_MS = 60_000;
const MEMORY_MS = 2000;
const BIRTH_MS = 1000;
const FAREWELLS = 3;
/** A test comes to an end, whatever the broker does. */
const TEST_MS = 45_000;
/** Every server takes an identifier of so many characters (3.1.3.1). */
const ID_LIMIT = 23;

export const MQTT_OUTPUT = Object.freeze({ cost: PUBLISH_COST, testLeastMs: 0, testLimitMs: TEST_MS });

export class Publisher implements Timed {
	/** Changes whenever a connection is to be opened or closed. */
	connection = 0;
	/** Since the start: sessions, and messages that the broker has (QoS 0: that went out). */
	connections = 0;
	published = 0;
	readonly #deps: OutputDeps;
	readonly #output: Output;
	readonly #agenda: Agenda;
	/** OFF to OPENING; beyond that the session has one. */
	#step = MQTT_OFF;
	/** From OPENING on. */
	#broker: BrokerURL | undefined;
	#session: Session | undefined;
	/** End of RESTING, or of a wait for memory; Infinity: none. */
	#endMs = Number.POSITIVE_INFINITY;
	/** When all is sent again; Infinity: it is not. */
	#birthMs = Number.POSITIVE_INFINITY;
	#hasNetwork = false;
	/** How often it is still tried to take back what was told. */
	#farewells = 0;
	#leave = STAY;
	/** When the session, or the rest, began. */
	#sinceMs = 0;
	/** Messages of this session that are known to be acknowledged, -1 before it was greeted; and births that were heard. */
	#seen = 0;
	#heard = 0;

	constructor(deps: OutputDeps, output: Output) {
		this.#deps = deps;
		this.#output = output;
		this.#agenda = new Agenda(deps);
	}

	/** MQTT_… */
	get state(): number {
		const session = this.#session;
		if (session === undefined) return this.#step;
		if (session.state < SESSION_READY) return MQTT_GREETING;
		return session.state === SESSION_READY && this.#leave === STAY ? MQTT_UP : MQTT_LEAVING;
	}

	/** From OPENING on. */
	get broker(): BrokerURL | undefined {
		return this.#broker;
	}

	/** Something waits that may soon be sent, or could be in a network. */
	get isBusy(): boolean {
		const { state } = this;
		if (state === MQTT_OFF) return this.#deps.config.get(MQTT_ENABLED) && this.#agenda.hasNews;
		return state > MQTT_RESTING && (state !== MQTT_UP || this.#agenda.isBusy);
	}

	get deadlineMs(): number {
		const session = this.#session;
		const deadlineMs = Math.min(this.#endMs, this.#birthMs);
		if (session === undefined) return deadlineMs;
		// What may not be sent yet. What may waits for memory.
		const isHeld = session.isFree && this.#endMs === Number.POSITIVE_INFINITY;
		return Math.min(deadlineMs, session.deadlineMs, isHeld ? this.#agenda.dueMs : deadlineMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#endMs) {
			this.#endMs = Number.POSITIVE_INFINITY;
			if (this.#step === MQTT_RESTING) this.enter(MQTT_WAITING, nowMs);
			else if (this.#step === MQTT_WAITING) this.open(nowMs);
		}
		if (nowMs >= this.#birthMs) {
			this.#birthMs = Number.POSITIVE_INFINITY;
			this.#agenda.greet();
		}
		this.#session?.advance(nowMs);
		this.work(nowMs);
	}

	/** There is a network, or there is none any more. */
	networkChanged(isUp: boolean, nowMs: number): void {
		this.#hasNetwork = isUp;
		if (!isUp) this.drop(nowMs);
		else this.begin(nowMs);
	}

	/** Settings are other ones. */
	reconfigure(nowMs: number): void {
		const { config } = this.#deps;
		const isOff = !config.get(MQTT_ENABLED);
		this.#farewells = isOff && this.#agenda.owesFarewell ? FAREWELLS : 0;
		this.#output.renew();
		if (this.#session?.state === SESSION_READY) {
			this.#leave = CHANGE;
			const broker = parseBrokerURL(config.get(MQTT_URL));
			const { host, port } = this.#broker ?? {};
			this.#agenda.finish(isOff || broker?.host !== host || broker?.port !== port);
			this.work(nowMs);
		} else {
			this.close();
			this.networkChanged(this.#hasNetwork, nowMs);
		}
	}

	/** A readout of the meter. */
	measured(readout: Readout, nowMs: number): void {
		this.#agenda.measured(readout);
		if (this.#session === undefined) this.begin(nowMs);
		else this.work(nowMs);
	}

	/** Attempts to read the meter fail now. */
	meterFailed(nowMs: number): void {
		this.#agenda.meterFailed();
		if (this.#session === undefined) this.begin(nowMs);
		else this.work(nowMs);
	}

	/** The next readout is another meter's. */
	forgetMeter(): void {
		this.#agenda.forgetMeter();
	}

	/** A test has begun: publishes now. */
	test(nowMs: number): void {
		if (!this.#hasNetwork) {
			this.#output.answer(NO_NETWORK, 0, nowMs);
			return;
		}
		if (this.#session !== undefined) this.#agenda.test();
		else if (this.#step <= MQTT_RESTING) this.enter(MQTT_WAITING, nowMs);
		this.work(nowMs);
	}

	/** While WAITING: the permit has come. */
	permitted(nowMs: number): void {
		this.#endMs = nowMs;
	}

	/** Another output wants the permit. */
	permitWanted(nowMs: number): void {
		if (this.#leave === STAY) this.#leave = LEND;
		this.work(nowMs);
	}

	/** While OPENING: the connection stands. */
	stands(nowMs: number): void {
		const { config, info, text } = this.#deps;
		const agenda = this.#agenda;
		agenda.begin(!config.get(MQTT_ENABLED));
		this.#session = new Session(
			{
				text,
				clientId: idOf(info.serial).slice(-ID_LIMIT),
				user: config.get(MQTT_USER),
				password: config.get(MQTT_PASSWORD),
				willTopic: agenda.statusTopic,
				willMessage: OFFLINE,
				listenTo: agenda.hasDiscovery ? BIRTH_TOPIC : "",
				heard: ONLINE,
			},
			nowMs,
		);
		this.#seen = -1;
		this.#heard = 0;
		this.#sinceMs = nowMs;
	}

	/** Bytes have come. */
	received(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#session?.receive(bytes, start, end, nowMs);
		this.work(nowMs);
	}

	/** Writes what is to be sent next into `into[start..end)`; how many bytes. */
	take(into: Uint8Array, start: number, end: number, nowMs: number): number {
		return this.#session?.take(into, start, end, nowMs) ?? 0;
	}

	/** Looks at what has come of the session; after `take` as well. */
	work(nowMs: number): void {
		const session = this.#session;
		if (session === undefined) return;
		if (session.state === SESSION_ENDED) {
			this.ended(session.end, nowMs);
			return;
		}
		if (session.heard > this.#heard && this.#birthMs === Number.POSITIVE_INFINITY) {
			this.#birthMs = nowMs + BIRTH_MS + (9 * BIRTH_MS * this.#deps.crypto.random(1)[0]) / 255;
		}
		this.#heard = session.heard;
		if (!session.isFree) return;
		const agenda = this.#agenda;
		if (this.#seen < 0) {
			this.#seen = 0;
			this.connections++;
		}
		if (session.acknowledged > this.#seen) {
			this.#seen = session.acknowledged;
			this.published++;
			if (agenda.acknowledged()) this.#output.sent();
		}
		// The output that wants the permit does not wait for what can be sent later.
		const isLast = this.#leave === CHANGE || !this.#deps.config.get(MQTT_ENABLED);
		if (this.#leave === LEND || (isLast && !agenda.isBusy)) session.leave(nowMs);
		else if (nowMs >= agenda.dueMs && this.claim(nowMs)) {
			const message = agenda.next(nowMs);
			if (message !== undefined) session.publish(message, nowMs, agenda.wantsAnswer);
		}
		if (!session.isFree || agenda.isBusy || isLast) return;
		this.#output.release();
		this.#output.succeed(0, nowMs);
		// Asleep it could not keep the session, and the broker would tell that it is gone.
		if (this.isSleepy) session.leave(nowMs);
	}

	/** The connection has failed, or is gone; CLIENT_…. */
	lost(code: number, nowMs: number): void {
		const session = this.#session;
		if (session === undefined) this.fail(connectFailure(code), false, nowMs);
		else {
			session.lost();
			this.work(nowMs);
		}
	}

	private get isWanted(): boolean {
		if (!this.#hasNetwork) return false;
		const hasNothing = this.isSleepy && !this.#agenda.hasNews && this.#output.testedSinceMs === undefined;
		return this.#farewells > 0 || (this.#deps.config.get(MQTT_ENABLED) && !hasNothing);
	}

	/** The device sleeps between two readings. */
	private get isSleepy(): boolean {
		const { saving } = this.#deps;
		return saving !== undefined && saving.awakeUntilMs < Number.POSITIVE_INFINITY;
	}

	private begin(nowMs: number): void {
		if (this.#step === MQTT_OFF && this.isWanted) this.enter(MQTT_WAITING, nowMs);
	}

	private enter(step: number, nowMs: number): void {
		this.#step = step;
		this.#sinceMs = nowMs;
		// Not inside whatever has led here.
		this.#endMs = nowMs;
	}

	/** Has a connection opened, if all is there that it takes. */
	private open(nowMs: number): void {
		const { config } = this.#deps;
		const output = this.#output;
		const broker = parseBrokerURL(config.get(MQTT_URL));
		if (broker === undefined) this.fail(BAD_URL, true, nowMs);
		else if (broker.secure && !output.hasCertificates) this.fail(NO_CERTIFICATE, true, nowMs);
		else if (broker.secure && !this.hasPermit()) return;
		else if (this.claim(nowMs)) {
			this.#endMs = Number.POSITIVE_INFINITY;
			this.#broker = broker;
			this.#step = MQTT_OPENING;
			this.connection++;
		} else output.giveBack();
	}

	/** False: it waits for the permit, which may have come while it was asked for. */
	private hasPermit(): boolean {
		this.#endMs = Number.POSITIVE_INFINITY;
		return this.#output.askPermit();
	}

	/** False: it is tried again in MEMORY_MS. */
	private claim(nowMs: number): boolean {
		const isClaimed = this.#output.claim();
		if (!isClaimed) this.#endMs = nowMs + MEMORY_MS;
		return isClaimed;
	}

	private ended(end: number, nowMs: number): void {
		if (end === END_WELL) {
			this.#farewells = 0;
			this.close();
			this.networkChanged(this.#hasNetwork, nowMs);
			return;
		}
		if (nowMs - this.#sinceMs >= STABLE_MS) this.#output.attempts = 0;
		this.fail(sessionFailure(end), needsOwner(end), nowMs);
	}

	/** `isForOwner`: trying again soon is of no use. */
	private fail(failure: OutputFailure, isForOwner: boolean, nowMs: number): void {
		const output = this.#output;
		if (this.#farewells > 0) this.#farewells--;
		this.close();
		output.fail(failure, 0, nowMs);
		if (!this.isWanted) return;
		this.enter(MQTT_RESTING, nowMs);
		this.#endMs += isForOwner ? OWNER_PAUSE_MS : output.pauseMs(this.isSleepy ? RETRY_SLEEPY_S : RETRY_S);
	}

	/** There is no network: nobody can be told. */
	private drop(nowMs: number): void {
		this.close();
		this.#output.answer(NO_NETWORK, 0, nowMs);
	}

	/** Whatever there is of a connection is over. */
	private close(): void {
		this.#agenda.end();
		this.#session = this.#broker = undefined;
		this.#step = MQTT_OFF;
		this.#leave = STAY;
		this.#endMs = this.#birthMs = Number.POSITIVE_INFINITY;
		this.#output.giveBack();
		this.connection++;
	}
}
