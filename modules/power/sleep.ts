/**
 * Decides when the device sleeps between two readings (power_mode; docs/power.md). For app/power-saving.ts.
 *
 *              starts as     its time    nothing      somebody    may not      may sleep   cells are
 *              such          is over     left to do   is there    sleep (b)    again       empty
 *   AWAKE      mains         -           -            -           -            ATTENDED    LOW
 *   ATTENDED   a person (a)  ROUTINE     -            ATTENDED    AWAKE        -           LOW
 *   ROUTINE    the timer     ASLEEP (c)  ASLEEP       ATTENDED    AWAKE        -           LOW
 *   LOW        empty cells   ASLEEP      -            -           -            -           -
 *   ASLEEP     -             -           -            -           -            -           -
 *
 *   (a) Power, button, USB, a restart that was asked for. A start after a fault is nobody's wish, as one by the timer.
 *   (b) On USB in mode 0, in mode 2, in safe mode. Supply and mode are looked at every LOOK_MS.
 *   (c) What has gone on for WORK_MS is given up, and what was to be sent for SEND_MS.
 *
 * ATTENDED lasts HAND_MS from a start, a press, or USB being plugged in (SETUP_MS while no network is configured), and
 * REQUEST_MS from each request with a token, but by requests alone no longer than LIMIT_MS after the start or the press,
 * HAND_MS after a start by the timer: a program that asks again and again must not empty the cells.
 * ROUTINE does what is due and sleeps until the next reading, LONGEST_MS at most; the radio stays off until there is
 * something to send. LOW shows that it is for SHOW_MS and sleeps for EMPTY_MS, whatever the mode; nothing else is done.
 */
import type { Drive, Driven, Driver } from "../io/driver.js";
import type { Supply } from "./supply.js";

/** Values of `power_mode`. */
const MODE_AUTO = 0;
const MODE_ALWAYS = 1;
export const MODE_NEVER = 2;

/** What the policy decides for. */
export interface Sleeper {
	/** `power_mode`; in safe mode one that never sleeps. */
	readonly powerMode: number;
	/** Nobody has told it its network yet. */
	readonly isNew: boolean;
	/** The meter is being read, a readout is being kept, somebody is being served. */
	readonly isWorking: boolean;
	/** Something is to be sent, for which the radio is needed; false where there is no network to send it in. */
	readonly isSending: boolean;
	/** When the meter is read next, monotonic ms; Infinity: never by itself. */
	readonly nextRunMs: number;
	/** Radio and server are wanted from now on; told once. */
	connect(): void;
	/** What goes on takes too long. */
	giveUp(): void;
	/** The cells are empty: it will sleep for long. */
	emptied(): void;
	/** Sleeps soon; the policy does nothing any more. */
	fallAsleep(ms: number): void;
}

/** Kinds of a start. */
export const START_BY_TIMER = 0;
export const START_BY_PERSON = 1;

export const HAND_MS = 600_000;
export const SETUP_MS = 1_800_000;
export const REQUEST_MS = 120_000;
export const LIMIT_MS = 3_600_000;
/** Beyond the longest conversation with the meter. */
export const WORK_MS = 720_000;
/** Joining the network may take half of it. */
export const SEND_MS = 60_000;
/** It measures the cells then, if nothing else. */
export const LONGEST_MS = 86_400_000;
export const EMPTY_MS = 21_600_000;
/** Less is not worth a start. */
export const SHORTEST_MS = 10_000;
const LOOK_MS = 10_000;
const POLL_MS = 250;
const SHOW_MS = 3000;

export const STATE_AWAKE = 0;
export const STATE_ATTENDED = 1;
export const STATE_ROUTINE = 2;
export const STATE_LOW = 3;
export const STATE_ASLEEP = 4;

export class SleepPolicy implements Driven {
	readonly #sleeper: Sleeper;
	readonly #supply: Supply;
	readonly #drive: Drive;
	#state = STATE_ASLEEP;
	/** When LOW, or the work of ROUTINE, is over. */
	#endMs = 0;
	/** When sending is over; Infinity: it has not begun. */
	#sendEndMs = Number.POSITIVE_INFINITY;
	/** Until then somebody is there. */
	#attendedMs = 0;
	/** From then on requests count no more. */
	#limitMs = 0;
	#lookMs = 0;
	#isConnected = false;
	/** For the driver. */
	deadlineMs = Number.POSITIVE_INFINITY;

	constructor(driver: Driver, supply: Supply, sleeper: Sleeper) {
		this.#sleeper = sleeper;
		this.#supply = supply;
		this.#drive = driver.drive("sleep", this);
	}

	/** STATE_… */
	get state(): number {
		return this.#state;
	}

	/** Until then it does not sleep, monotonic ms; Infinity: it stays awake. */
	get awakeUntilMs(): number {
		return this.#state === STATE_AWAKE ? Number.POSITIVE_INFINITY : this.#attendedMs;
	}

	/** The program has started. `start`: START_… */
	begin(start: number): void {
		this.#drive.tell((nowMs) => {
			this.#limitMs = nowMs + HAND_MS;
			this.#lookMs = nowMs + LOOK_MS;
			this.enter(STATE_ROUTINE, nowMs);
			if (start === START_BY_PERSON) this.takeHand(nowMs);
		});
	}

	/** The button was pressed. */
	pressed(): void {
		this.#drive.tell((nowMs) => this.takeHand(nowMs));
	}

	/** Somebody with a token has asked for something. */
	asked(): void {
		this.#drive.tell((nowMs) => this.attend(Math.min(nowMs + REQUEST_MS, this.#limitMs)));
	}

	stop(): void {
		this.#drive.stop();
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.#lookMs) return;
		this.#lookMs = nowMs + LOOK_MS;
		if (this.#supply.measure()) this.takeHand(nowMs);
	}

	/** For the driver: does what follows from supply, mode, and who is there. */
	drain(nowMs: number): void {
		if (this.#state < STATE_LOW) this.settle(nowMs);
		if (this.#state === STATE_ROUTINE) this.finish(nowMs);
		else if (this.#state === STATE_LOW && nowMs >= this.#endMs) this.sleep(EMPTY_MS);
		if (this.#state === STATE_AWAKE) this.deadlineMs = this.#lookMs;
		else if (this.#state === STATE_ATTENDED) this.deadlineMs = Math.min(this.#lookMs, this.#attendedMs);
		else if (this.#state === STATE_ROUTINE) this.deadlineMs = nowMs + POLL_MS;
		else this.deadlineMs = this.#state === STATE_LOW ? this.#endMs : Number.POSITIVE_INFINITY;
	}

	private get maySleep(): boolean {
		const { powerMode } = this.#sleeper;
		return powerMode === MODE_ALWAYS || (powerMode === MODE_AUTO && this.#supply.isOnBattery);
	}

	private settle(nowMs: number): void {
		if (this.#supply.isLow) this.enter(STATE_LOW, nowMs);
		else if (!this.maySleep) this.enter(STATE_AWAKE, nowMs);
		else {
			// The owner who pulled the plug, or changed the mode, may want to see the result.
			if (this.#state === STATE_AWAKE) this.attend(nowMs + REQUEST_MS);
			this.enter(nowMs < this.#attendedMs ? STATE_ATTENDED : STATE_ROUTINE, nowMs);
		}
	}

	/** The only way from one state to another. */
	private enter(state: number, nowMs: number): void {
		if (state === this.#state) return;
		this.#state = state;
		this.#endMs = nowMs + (state === STATE_LOW ? SHOW_MS : WORK_MS);
		this.#sendEndMs = Number.POSITIVE_INFINITY;
		if (state === STATE_LOW) this.#sleeper.emptied();
		else if (state !== STATE_ROUTINE) this.connect();
	}

	/** A person is there. */
	private takeHand(nowMs: number): void {
		this.#limitMs = nowMs + LIMIT_MS;
		this.attend(nowMs + (this.#sleeper.isNew ? SETUP_MS : HAND_MS));
	}

	private attend(untilMs: number): void {
		this.#attendedMs = Math.max(this.#attendedMs, untilMs);
	}

	private connect(): void {
		if (this.#isConnected) return;
		this.#isConnected = true;
		this.#sleeper.connect();
	}

	/** Nobody is there: sleeps when nothing is left to do. */
	private finish(nowMs: number): void {
		const sleeper = this.#sleeper;
		if (sleeper.isWorking) {
			if (nowMs < this.#endMs) return;
			sleeper.giveUp();
		} else if (sleeper.isSending) {
			if (this.#sendEndMs === Number.POSITIVE_INFINITY) {
				this.#sendEndMs = nowMs + SEND_MS;
				this.connect();
			}
			if (nowMs < this.#sendEndMs) return;
		}
		const ms = Math.min(sleeper.nextRunMs - nowMs, LONGEST_MS);
		if (ms >= SHORTEST_MS) this.sleep(ms);
	}

	private sleep(ms: number): void {
		this.#state = STATE_ASLEEP;
		this.#sleeper.fallAsleep(ms);
	}
}
