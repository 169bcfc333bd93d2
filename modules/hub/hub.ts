/**
 * Publishes what was read to Home Assistant by its REST API, and notices when that has lost it (decisions 44, 45): POST
 * /api/states/<entity_id> for each entity (entities.ts), one after the other over one connection, which ends with them.
 * Nobody waits for it but who has asked for a test.
 *
 *              a readout       meter fails     its time      turn given   all taken    failed    401, 403   a test
 *   OFF        -               -               -             -            -            -         -          refused
 *   RESTING    WAITING (a)     WAITING (a)     begins (b)    -            -            -         -          begins
 *   WAITING    the newer one   the same        begins        -            -            -         -          begins
 *   REFUSED    the newer one   the same        begins        -            -            -         -          begins
 *   QUEUED     the newer one   the same        WAITING (c)   SENDING      -            -         -          joins
 *   SENDING    goes next       goes next       WAITING (c)   -            RESTING (d)  WAITING   REFUSED    joins
 *
 *   begins: SENDING; QUEUED where the turn for TLS is another's; WAITING for a moment where memory is short.
 *   (a) at once, but PAUSE_MS after the last beginning at the earliest.  (b) one entity only, to see whether the hub still
 *   knows it; a hub that has restarted does not, says 201, and gets everything again.  (c) it has failed: longer than
 *   TURN_MS or BATCH_MS.  (d) WAITING where something new has come meanwhile.
 *   Settings that have changed end what goes on: WAITING, or OFF. A network that is there again ends the WAITING.
 *
 * There is no queue: what is sent is the last good readout at that moment. After a failure it is tried again, later each
 * time (RETRY_S); REFUSED tries once an hour, since a hub may ban who comes with a wrong token. On battery nothing is
 * sent between readouts, and a failure is followed by one more attempt.
 */

import type { ConfigStore } from "../config/store.js";
import type { TrustedCertificates } from "../config/trusted-certificates.js";
import { HTTP_CONNECT_MS, HTTP_NO_REPLY } from "../http/client.js";
import { type HubURL, parseHubURL } from "../http/url.js";
import { CLIENT_ENDED } from "../io/client.js";
import type { Crypto } from "../io/crypto.js";
import type { Drive, Driven, Driver } from "../io/driver.js";
import type { Power, TextCodec } from "../io/host.js";
import { HUB_COST, type MemoryLedger } from "../io/memory.js";
import type { JSONWriter } from "../json/writer.js";
import { languageOf } from "../obis/names.js";
import { isOnBattery } from "../power/supply.js";
import { type OutputFailure, RETCODE_REFUSED } from "../publish/connect-failures.js";
import type { Turn, TurnHolder } from "../publish/turn.js";
import type { Readout } from "../readout/readout.js";
import { Batch, type BatchWorld, SEND_ALL, SEND_ONE, SEND_OWN } from "./batch.js";
import { FRESH_MS, type Snapshot } from "./entities.js";
import {
	HUB_BAD_URL,
	HUB_FORBIDDEN,
	HUB_NO_CERTIFICATE,
	HUB_NO_NETWORK,
	HUB_NO_TURN,
	HUB_UNAUTHORIZED,
	hubFailure,
} from "./failures.js";
import { HUB_ENABLED, HUB_LANG, HUB_TOKEN, HUB_URL } from "./fields.js";

/** Who is told how it stands. */
export interface HubUser {
	/** The first failure; undefined: it works again. */
	hubChanged(failure: OutputFailure | undefined): void;
}

/** What came of a test. */
export interface HubTest {
	/** `status`: what the hub has answered last, 0 for nothing. */
	finished(failure: OutputFailure | undefined, status: number): void;
}

export interface HubWorld extends BatchWorld {
	readonly driver: Driver;
	readonly crypto: Pick<Crypto, "random">;
	readonly text: TextCodec;
	readonly writer: JSONWriter;
	readonly config: Pick<ConfigStore, "get">;
	readonly certificates: Pick<TrustedCertificates, "isSet" | "lend">;
	readonly ledger: MemoryLedger;
	readonly turn: Turn;
	readonly reader: { readonly outcomes: { readonly measured: Readout | undefined; readonly failure: unknown } };
	/** Undefined: there is no radio, and always a network. */
	readonly radio: { readonly address: unknown; readonly station: { readonly rssi: number } | undefined } | undefined;
	readonly networkSettings: { readonly hostname: string };
	readonly power: Power | undefined;
	/** Table of OBIS names (obis/names.ts). */
	readonly names: Uint8Array | undefined;
	readonly user: HubUser;
	/** Is told of each change of what the status shows. */
	readonly live?: { changed(): void };
}

/** Between the beginnings of two batches. */
export const HUB_PAUSE_MS = 10_000;
/** After the settings have changed: the reply to who has changed them leaves first. */
const SETTLE_MS = 2000;
/** Seconds after which a failure is followed by another attempt. */
const RETRY_S = Object.freeze([10, 30, 120, 300, 900]);
const REFUSED_MS = 3_600_000;
/** Where memory is short. */
const SHORT_MS = 2000;
/** The hub is asked whether it still knows us; sooner for a while after a failure. */
export const HUB_WATCH_MS = 300_000;
export const HUB_WATCH_SOON_MS = 60_000;
export const HUB_ALERT_MS = 600_000;
/** For all states together, and for the wait for a turn. */
export const HUB_BATCH_MS = 60_000;
const TURN_MS = 20_000;
/** Between the ends of two tests: it shall be of no use to look through a network. */
export const HUB_TEST_PAUSE_MS = 10_000;
/** A device on battery waits with sleep for what is due within this. */
const SOON_MS = 15_000;

/** The longest session of TLS that is kept, bytes: that of a ticket. */
const SESSION_KEPT = 1024;

const STATE_OFF = 0;
const STATE_RESTING = 1;
const STATE_WAITING = 2;
const STATE_REFUSED = 3;
const STATE_QUEUED = 4;
const STATE_SENDING = 5;

/** A test that was asked for. */
interface Asked {
	readonly test: HubTest;
	readonly sinceMs: number;
	/** When its end is told; Infinity: it goes on. */
	tellMs: number;
	failure: OutputFailure | undefined;
	status: number;
}

export class Hub implements TurnHolder, Driven {
	readonly #world: HubWorld;
	readonly #drive: Drive;
	#state = STATE_OFF;
	/** When the time of the state is over. */
	#dueMs = Number.POSITIVE_INFINITY;
	/** SEND_…: what has come since the last batch began. */
	#wanted = SEND_ONE;
	#batch: Batch | undefined;
	/** When the last batch began, the last failure was, the readout came; monotonic. */
	#begunMs = Number.NEGATIVE_INFINITY;
	#failedMs = Number.NEGATIVE_INFINITY;
	#measuredMs = 0;
	/** Failures in a row. */
	#attempts = 0;
	#failure: OutputFailure | undefined;
	/** With these settings the hub has taken something. */
	#isProven = false;
	/** Shortens the next handshake. */
	#session: Uint8Array | undefined;
	#asked: Asked | undefined;
	/** Before this no other test begins. */
	#nextTestMs = Number.NEGATIVE_INFINITY;
	/** Unix ms of the last time that all was taken; 0: never, or the clock was not set. */
	sentUtcMs = 0;
	/** Since the start: states that the hub has taken, and failures. */
	taken = 0;
	failures = 0;

	constructor(world: HubWorld) {
		this.#world = world;
		if (world.config.get(HUB_ENABLED)) this.#state = STATE_RESTING;
		this.#drive = world.driver.drive("hub", this);
	}

	/** A code: off, waiting (nothing was sent yet), ok, or that of the last failure. */
	get state(): string {
		if (this.#state === STATE_OFF) return "off";
		return this.#failure?.code ?? (this.#isProven ? "ok" : "waiting");
	}

	get isSending(): boolean {
		if (this.#state >= STATE_QUEUED) return true;
		return this.#state === STATE_WAITING && this.#dueMs <= this.#world.driver.nowMs() + SOON_MS;
	}

	measured(): void {
		this.#drive.tell((nowMs) => {
			this.#measuredMs = nowMs;
			this.want(SEND_ALL, nowMs);
		});
	}

	/** Attempts to read the meter fail now. */
	meterFailed(): void {
		this.#drive.tell((nowMs) => this.want(SEND_OWN, nowMs));
	}

	/** The owner has changed them, or wants what has failed to be tried again. */
	settingsChanged(): void {
		this.#drive.tell((nowMs) => {
			this.close();
			this.#session = this.#failure = undefined;
			this.#attempts = 0;
			this.#isProven = false;
			const isOn = this.#world.config.get(HUB_ENABLED);
			this.#wanted = isOn ? SEND_ALL : SEND_ONE;
			if (isOn) this.enter(STATE_WAITING, nowMs + SETTLE_MS);
			else {
				this.enter(STATE_OFF, Number.POSITIVE_INFINITY);
				this.answer(hubFailure(CLIENT_ENDED), 0, nowMs);
			}
		});
	}

	/** There is another network; or none, which its requests find out. */
	networkChanged(isUp: boolean): void {
		if (!isUp) return;
		this.#drive.tell((nowMs) => {
			const isDelayed = this.#state === STATE_WAITING || (this.#state === STATE_RESTING && this.#failure !== undefined);
			if (!isDelayed) return;
			this.#attempts = 0;
			this.enter(STATE_WAITING, nowMs + SETTLE_MS);
		});
	}

	/** Sends all there is, now; false: a test is going on, or was a moment ago. Only while the hub is enabled. */
	test(test: HubTest): boolean {
		return this.#drive.tell((nowMs) => {
			if (this.#asked !== undefined || nowMs < this.#nextTestMs) return false;
			this.#asked = { test, sinceMs: nowMs, tellMs: Number.POSITIVE_INFINITY, failure: undefined, status: 0 };
			if (this.#state >= STATE_QUEUED) return true;
			this.#wanted = SEND_ALL;
			// In a turn of its own: with what has led here it would not fit on the chip's stack.
			this.enter(STATE_WAITING, nowMs);
			return true;
		});
	}

	/** Nobody waits for this test any more. What was begun goes on. */
	cancel(test: HubTest): void {
		this.#drive.tell((nowMs) => {
			if (this.#asked?.test === test) this.endTest(nowMs);
		});
	}

	stop(): void {
		this.close();
		this.#drive.stop();
	}

	/** For Turn. */
	turnGiven(): void {
		this.#drive.run((nowMs) => {
			if (this.#state === STATE_QUEUED) this.#dueMs = nowMs;
			else this.#world.turn.giveBack(this);
		});
	}

	/** For Turn: it is never had for long. */
	turnWanted(): void {}

	/** For the driver. */
	get deadlineMs(): number {
		return Math.min(
			this.#dueMs,
			this.#batch?.deadlineMs ?? Number.POSITIVE_INFINITY,
			this.#asked?.tellMs ?? Number.POSITIVE_INFINITY,
		);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		this.#batch?.advance(nowMs);
		if (nowMs < this.#dueMs) return;
		if (this.#state === STATE_QUEUED && !this.#world.turn.isOf(this)) this.fail(HUB_NO_TURN, 0, nowMs);
		else if (this.#state === STATE_SENDING) this.fail(hubFailure(HTTP_NO_REPLY), 0, nowMs);
		else this.begin(nowMs);
	}

	/** For the driver: goes on with what is being sent. */
	drain(nowMs: number): void {
		const batch = this.#batch;
		if (batch?.step(nowMs)) {
			if (batch.failure === undefined) this.succeed(batch, nowMs);
			else this.fail(batch.failure, batch.failure.retcode === RETCODE_REFUSED ? batch.status : 0, nowMs);
		}
		const asked = this.#asked;
		if (asked === undefined || nowMs < asked.tellMs) return;
		this.endTest(nowMs);
		asked.test.finished(asked.failure, asked.status);
	}

	private enter(state: number, dueMs: number): void {
		this.#state = state;
		this.#dueMs = dueMs;
	}

	/** Something new is to be sent. */
	private want(scope: number, nowMs: number): void {
		if (this.#state === STATE_OFF) return;
		this.#wanted = Math.max(this.#wanted, scope);
		if (this.#state === STATE_RESTING) this.rest(nowMs);
	}

	/** Nothing goes on: until when? */
	private rest(nowMs: number): void {
		const { power } = this.#world;
		if (this.#wanted > SEND_ONE) this.enter(STATE_WAITING, Math.max(nowMs, this.#begunMs + HUB_PAUSE_MS));
		else if (isOnBattery(power)) this.enter(STATE_RESTING, Number.POSITIVE_INFINITY);
		else {
			const isAlert = nowMs - this.#failedMs < HUB_ALERT_MS;
			this.enter(STATE_RESTING, nowMs + (isAlert ? HUB_WATCH_SOON_MS : HUB_WATCH_MS));
		}
	}

	private begin(nowMs: number): void {
		const { config, certificates, ledger, radio, turn } = this.#world;
		const url = parseHubURL(config.get(HUB_URL));
		// What only the owner can set right comes first; the clients of the host know names and IPv4.
		if (url === undefined || url.host.startsWith("[")) this.fail(HUB_BAD_URL, 0, nowMs);
		else if (url.secure && !certificates.isSet) this.fail(HUB_NO_CERTIFICATE, 0, nowMs);
		else if (radio !== undefined && radio.address === undefined) this.fail(HUB_NO_NETWORK, 0, nowMs);
		else if (url.secure && !this.hasTurn(nowMs)) return;
		else if (ledger.claim(HUB_COST)) this.open(url, nowMs);
		else {
			turn.giveBack(this);
			const sinceMs = this.#asked?.sinceMs ?? nowMs;
			if (nowMs - sinceMs >= TURN_MS) this.fail(HUB_NO_TURN, 0, nowMs);
			else this.enter(STATE_WAITING, nowMs + SHORT_MS);
		}
	}

	/** False: it is queued; the turn may have been given while it was asked for. */
	private hasTurn(nowMs: number): boolean {
		this.enter(STATE_QUEUED, nowMs + TURN_MS);
		return this.#world.turn.ask(this);
	}

	/** The memory for it is claimed, until `close`. */
	private open(url: HubURL, nowMs: number): void {
		const { config } = this.#world;
		const scope = this.#wanted;
		const snapshot = this.snapshot(nowMs);
		const token = config.get(HUB_TOKEN);
		this.#begunMs = nowMs;
		this.#wanted = SEND_ONE;
		this.enter(STATE_SENDING, nowMs + HUB_BATCH_MS);
		this.#batch = new Batch(this.#world, { drive: this.#drive, url, token, snapshot, scope, session: this.#session });
	}

	private snapshot(nowMs: number): Snapshot {
		const { config, networkSettings, names, power, radio, reader, text, writer } = this.#world;
		const { measured: readout, failure } = reader.outcomes;
		return {
			hostname: networkSettings.hostname,
			language: languageOf(config.get(HUB_LANG)),
			isTest: this.#asked !== undefined,
			readout,
			isOld: nowMs - this.#measuredMs > FRESH_MS,
			hasFailed: failure !== undefined,
			power,
			rssi: radio?.station?.rssi,
			names,
			text,
			writer,
		};
	}

	private succeed({ session, status }: Batch, nowMs: number): void {
		const { clock, user } = this.#world;
		if (session !== undefined && session.length <= SESSION_KEPT) this.#session = session;
		this.close();
		this.#attempts = 0;
		this.#isProven = true;
		this.sentUtcMs = clock.utcMs() ?? 0;
		const wasFailing = this.#failure !== undefined;
		this.#failure = undefined;
		this.rest(nowMs);
		this.answer(undefined, status, nowMs);
		this.#world.live?.changed();
		if (wasFailing) user.hubChanged(undefined);
	}

	private fail(failure: OutputFailure, status: number, nowMs: number): void {
		const { crypto, user, power } = this.#world;
		const wasFailing = this.#failure !== undefined;
		this.#wanted = Math.max(this.#wanted, this.#batch?.scope ?? SEND_ONE);
		this.close();
		this.failures++;
		this.#failure = failure;
		this.#failedMs = nowMs;
		this.#session = undefined;
		const attempt = this.#attempts++;
		if (failure === HUB_UNAUTHORIZED || failure === HUB_FORBIDDEN) this.enter(STATE_REFUSED, nowMs + REFUSED_MS);
		else if (attempt > 0 && isOnBattery(power)) {
			this.#attempts = 0;
			this.enter(STATE_RESTING, Number.POSITIVE_INFINITY);
		} else {
			const jitter = 0.8 + (0.4 * crypto.random(1)[0]) / 255;
			const delayMs = Math.round(RETRY_S[Math.min(attempt, RETRY_S.length - 1)] * 1000 * jitter);
			this.enter(STATE_WAITING, nowMs + delayMs);
		}
		this.answer(failure, status, nowMs);
		this.#world.live?.changed();
		if (!wasFailing) user.hubChanged(failure);
	}

	/** Ends what is being sent, and gives back what it had. */
	private close(): void {
		const { ledger, turn } = this.#world;
		const batch = this.#batch;
		this.#batch = undefined;
		if (batch !== undefined) {
			batch.close();
			this.taken += batch.taken;
			ledger.release(HUB_COST);
		}
		turn.giveBack(this);
	}

	/** Of a test. How a connection failed, a stranger's port scan would tell by the time that it takes. */
	private answer(failure: OutputFailure | undefined, status: number, nowMs: number): void {
		const asked = this.#asked;
		if (asked === undefined) return;
		asked.failure = failure;
		asked.status = status;
		asked.tellMs = failure === undefined || status > 0 ? nowMs : Math.max(nowMs, asked.sinceMs + HTTP_CONNECT_MS);
	}

	private endTest(nowMs: number): void {
		this.#asked = undefined;
		this.#nextTestMs = nowMs + HUB_TEST_PAUSE_MS;
	}
}
