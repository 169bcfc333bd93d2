/**
 * When there is a session with the broker, and what comes of it: the policy. What is sent in it, agenda.ts says; the
 * connection is the owner's, service.ts.
 *
 *              wanted    due       turn      stands     fails     greeted   all sent   not wanted
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
 * WAITING: for the turn to have a TLS connection (publish/turn.ts), and for memory, which is looked for each MEMORY_MS.
 * RESTING: after a failure, 10 s, 20 s, 40 s and then 45 s (15 minutes on a device that sleeps), more or less a fifth; an
 * hour after a refusal that only its owner can mend. A session that has lasted STABLE_MS begins that row anew. LEAVING: who changes the settings, or wants the turn; what
 * is in flight is waited for, then DISCONNECT is sent. OFF is left at once where a session is wanted.
 *
 * After the birth message of Home Assistant all is sent again, BIRTH_MS to ten times that later, since all devices hear it.
 * Memory: PUBLISH_COST is claimed while something waits to be sent.
 */

import { CLIENT_TIMEOUT } from "../io/client.js";
import type { Crypto } from "../io/crypto.js";
import type { Timed } from "../io/machine.js";
import { type MemoryLedger, PUBLISH_COST } from "../io/memory.js";
import { connectFailure, type OutputFailure } from "../publish/connect-failures.js";
import type { Readout } from "../readout/readout.js";
import { Agenda, type AgendaWorld } from "./agenda.js";
import { BAD_URL, NO_CERTIFICATE, NO_NETWORK, needsOwner, sessionFailure } from "./failures.js";
import { MQTT_ENABLED, MQTT_PASSWORD, MQTT_URL, MQTT_USER } from "./fields.js";
import { BIRTH_TOPIC, idOf, OFFLINE, ONLINE } from "./messages.js";
import { END_WELL, SESSION_ENDED, SESSION_READY, Session } from "./session.js";
import { type BrokerURL, parseBrokerURL } from "./url.js";

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
/** The turn is wanted by another. */
const LEND = 1;
/** Settings are other ones. */
const CHANGE = 2;

const RETRY_FIRST_MS = 10_000;
/** With a fifth more, and the time to connect, a session is back within a minute. Sleepy: each attempt costs charge. */
const RETRY_LONGEST_MS = 45_000;
const RETRY_LONGEST_SLEEPY_MS = 900_000;
const OWNER_MS = 3_600_000;
const STABLE_MS = 60_000;
const MEMORY_MS = 2000;
const BIRTH_MS = 1000;
const FAREWELLS = 3;
/** A test comes to an end, whatever the broker does; and so long after one the next may be. */
const TEST_MS = 45_000;
const TEST_PAUSE_MS = 10_000;
/** Who waits for tests at once. */
const TESTERS = 2;
/** Every server takes an identifier of so many characters (3.1.3.1). */
const ID_LIMIT = 23;

export interface PublisherWorld extends AgendaWorld {
	/** Undefined: the device never sleeps. It does at times as long as it says until when it is awake. */
	readonly saving: { readonly awakeUntilMs: number } | undefined;
	readonly crypto: Crypto;
	readonly ledger: MemoryLedger;
}

/** Whose connection it is. */
export interface PublisherOwner {
	/** True: it may have a TLS connection now. False: `turnGiven` comes. */
	askTurn(): boolean;
	giveBackTurn(): void;
	/** Whom to trust is known. */
	readonly hasCertificate: boolean;
	/** What is wrong is something else than before; undefined: nothing is any more. */
	failureChanged(failure: OutputFailure | undefined): void;
	/** The broker has all values of the newest readout. */
	readoutTaken(): void;
}

/** A test that was asked for. */
export interface MQTTTest {
	/** Told once. Undefined: it went well. */
	finished(failure: OutputFailure | undefined): void;
}

export class Publisher implements Timed {
	/** Another number each time that a connection is to be opened, or is none any more. */
	turn = 0;
	/** What is wrong; undefined: nothing, as far as it is known. */
	failure: OutputFailure | undefined;
	/** Since the start: sessions, messages that the broker has (QoS 0: that went out), sessions and connections that have failed. */
	connections = 0;
	published = 0;
	failures = 0;
	readonly #world: PublisherWorld;
	readonly #owner: PublisherOwner;
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
	#retryMs = RETRY_FIRST_MS;
	#hasNetwork = false;
	/** How often it is still tried to take back what was told. */
	#farewells = 0;
	#leave = STAY;
	/** PUBLISH_COST is claimed. */
	#isClaimed = false;
	/** When the session, or the rest, began. */
	#sinceMs = 0;
	/** Messages of this session that are known to be acknowledged, -1 before it was greeted; and births that were heard. */
	#seen = 0;
	#heard = 0;
	#tests: MQTTTest[] | undefined;
	#testEndMs = Number.POSITIVE_INFINITY;
	/** Before this nobody may test. */
	#testFromMs = 0;

	constructor(world: PublisherWorld, owner: PublisherOwner) {
		this.#world = world;
		this.#owner = owner;
		this.#agenda = new Agenda(world);
	}

	/** MQTT_… */
	get state(): number {
		const session = this.#session;
		if (session === undefined) return this.#step;
		if (session.state < SESSION_READY) return MQTT_GREETING;
		return session.state === SESSION_READY && this.#leave === STAY ? MQTT_UP : MQTT_LEAVING;
	}

	/** From OPENING on: who is connected to. */
	get broker(): BrokerURL | undefined {
		return this.#broker;
	}

	/** Something waits that may soon be sent, or could be in a network. */
	get isBusy(): boolean {
		const { state } = this;
		if (state === MQTT_OFF) return this.#world.config.get(MQTT_ENABLED) && this.#agenda.hasNews;
		return state > MQTT_RESTING && (state !== MQTT_UP || this.#agenda.isBusy);
	}

	get deadlineMs(): number {
		const session = this.#session;
		const deadlineMs = Math.min(this.#endMs, this.#birthMs, this.#testEndMs);
		if (session === undefined) return deadlineMs;
		// What may not be sent yet. What may waits for memory.
		const isHeld = session.isFree && this.#endMs === Number.POSITIVE_INFINITY;
		return Math.min(deadlineMs, session.deadlineMs, isHeld ? this.#agenda.dueMs : deadlineMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#testEndMs) this.tested(this.failure ?? connectFailure(CLIENT_TIMEOUT));
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
		if (!isUp) this.drop();
		else this.begin(nowMs);
	}

	/** Settings are other ones. */
	reconfigure(nowMs: number): void {
		const { config } = this.#world;
		const isOff = !config.get(MQTT_ENABLED);
		this.#farewells = isOff && this.#agenda.owesFarewell ? FAREWELLS : 0;
		this.#retryMs = RETRY_FIRST_MS;
		this.failure = undefined;
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

	/** The next readout is another meter's. */
	forgetMeter(): void {
		this.#agenda.forgetMeter();
	}

	/** Publishes now, and tells what came of it. False: too many wait for that, or it was tested a moment ago. */
	test(test: MQTTTest, nowMs: number): boolean {
		this.#tests ??= [];
		const { length } = this.#tests;
		if (length === TESTERS || (length === 0 && nowMs < this.#testFromMs)) return false;
		this.#tests.push(test);
		this.#testFromMs = nowMs + TEST_PAUSE_MS;
		if (!this.#hasNetwork) {
			this.tested(NO_NETWORK);
			return true;
		}
		this.#testEndMs = Math.min(this.#testEndMs, nowMs + TEST_MS);
		if (this.#session !== undefined) this.#agenda.test();
		else if (this.#step <= MQTT_RESTING) this.enter(MQTT_WAITING, nowMs);
		this.work(nowMs);
		return true;
	}

	/** Who has asked for it does not wait any more. */
	cancel(test: MQTTTest): void {
		this.#tests = this.#tests?.filter((other) => other !== test);
	}

	/** While WAITING: the turn to have a connection has come. */
	turnGiven(nowMs: number): void {
		if (this.#step === MQTT_WAITING) this.#endMs = nowMs;
		else if (this.#step < MQTT_WAITING) this.#owner.giveBackTurn();
	}

	/** Another wants the turn. */
	turnWanted(nowMs: number): void {
		if (this.#leave === STAY) this.#leave = LEND;
		this.work(nowMs);
	}

	/** While OPENING: the connection stands. */
	stands(nowMs: number): void {
		const { config, info, text } = this.#world;
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
			this.#birthMs = nowMs + BIRTH_MS + (9 * BIRTH_MS * this.#world.crypto.random(1)[0]) / 255;
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
			if (agenda.acknowledged()) this.#owner.readoutTaken();
		}
		// Who wants the turn does not wait for what can be sent later.
		const isLast = this.#leave === CHANGE || !this.#world.config.get(MQTT_ENABLED);
		if (this.#leave === LEND || (isLast && !agenda.isBusy)) session.leave(nowMs);
		else if (nowMs >= agenda.dueMs && this.claim(nowMs)) {
			const message = agenda.next(nowMs);
			if (message !== undefined) session.publish(message, nowMs, agenda.wantsAnswer);
		}
		if (!session.isFree || agenda.isBusy || isLast) return;
		this.settle();
		// Asleep it could not keep the session, and the broker would tell that it is gone.
		if (this.isSleepy) session.leave(nowMs);
	}

	/** The connection has failed, or is gone; CLIENT_…. */
	lost(code: number, nowMs: number): void {
		const session = this.#session;
		if (session === undefined) this.fail(connectFailure(code), this.#retryMs, nowMs);
		else {
			session.lost();
			this.work(nowMs);
		}
	}

	private get isWanted(): boolean {
		if (!this.#hasNetwork) return false;
		const hasNothing = this.isSleepy && !this.#agenda.hasNews && this.#tests === undefined;
		return this.#farewells > 0 || (this.#world.config.get(MQTT_ENABLED) && !hasNothing);
	}

	/** The device sleeps between two readings. */
	private get isSleepy(): boolean {
		const { saving } = this.#world;
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
		const owner = this.#owner;
		const broker = parseBrokerURL(this.#world.config.get(MQTT_URL));
		if (broker === undefined) this.fail(BAD_URL, OWNER_MS, nowMs);
		else if (broker.secure && !owner.hasCertificate) this.fail(NO_CERTIFICATE, OWNER_MS, nowMs);
		else if (broker.secure && !owner.askTurn()) this.#endMs = Number.POSITIVE_INFINITY;
		else if (this.claim(nowMs)) {
			this.#endMs = Number.POSITIVE_INFINITY;
			this.#broker = broker;
			this.#step = MQTT_OPENING;
			this.turn++;
		} else owner.giveBackTurn();
	}

	/** False: it is tried again in MEMORY_MS. */
	private claim(nowMs: number): boolean {
		this.#isClaimed ||= this.#world.ledger.claim(PUBLISH_COST);
		if (!this.#isClaimed) this.#endMs = nowMs + MEMORY_MS;
		return this.#isClaimed;
	}

	private release(): void {
		if (this.#isClaimed) this.#world.ledger.release(PUBLISH_COST);
		this.#isClaimed = false;
	}

	/** All is sent. */
	private settle(): void {
		this.release();
		this.report(undefined);
		this.tested(undefined);
	}

	private ended(end: number, nowMs: number): void {
		if (end === END_WELL) {
			this.#farewells = 0;
			this.close();
			this.networkChanged(this.#hasNetwork, nowMs);
			return;
		}
		if (nowMs - this.#sinceMs >= STABLE_MS) this.#retryMs = RETRY_FIRST_MS;
		this.fail(sessionFailure(end), needsOwner(end) ? OWNER_MS : this.#retryMs, nowMs);
	}

	private fail(failure: OutputFailure, restMs: number, nowMs: number): void {
		this.failures++;
		if (this.#farewells > 0) this.#farewells--;
		this.close();
		if (this.isWanted) {
			this.enter(MQTT_RESTING, nowMs);
			this.#endMs += restMs * (0.8 + (0.4 * this.#world.crypto.random(1)[0]) / 255);
			this.#retryMs = Math.min(this.#retryMs * 2, this.isSleepy ? RETRY_LONGEST_SLEEPY_MS : RETRY_LONGEST_MS);
		}
		this.report(failure);
		this.tested(failure);
	}

	/** There is no network: nobody can be told. */
	private drop(): void {
		this.close();
		this.tested(NO_NETWORK);
	}

	/** Whatever there is of a connection is over. */
	private close(): void {
		this.#agenda.end();
		this.#session = this.#broker = undefined;
		this.#step = MQTT_OFF;
		this.#leave = STAY;
		this.#endMs = this.#birthMs = Number.POSITIVE_INFINITY;
		this.release();
		this.#owner.giveBackTurn();
		this.turn++;
	}

	private report(failure: OutputFailure | undefined): void {
		const isAnother = failure !== this.failure;
		this.failure = failure;
		if (isAnother) this.#owner.failureChanged(failure);
	}

	private tested(failure: OutputFailure | undefined): void {
		const tests = this.#tests;
		this.#tests = undefined;
		this.#testEndMs = Number.POSITIVE_INFINITY;
		for (const test of tests ?? []) test.finished(failure);
	}
}
