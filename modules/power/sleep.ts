/**
 * Decides when the device sleeps between readouts (docs/power.md). The columns after the second are events.
 *
 *              initial          deadline    all work   user is    sleep not    sleep     batteries
 *              state after      reached     done       active     allowed (b)  allowed   empty
 *   AWAKE      mains power      –           –          –          –            ATTENDED  LOW
 *   ATTENDED   user (a)         ROUTINE     –          ATTENDED   AWAKE        –         LOW
 *   ROUTINE    timer            ASLEEP (c)  ASLEEP     ATTENDED   AWAKE        –         LOW
 *   LOW        empty batteries  ASLEEP      –          –          –            –         –
 *   ASLEEP     –                –           –          –          –            –         –
 *
 *   (a) Power-on, button, USB, or a requested restart. A restart after a fault counts as a start by the timer.
 *   (b) On USB power in mode 0; always in mode 2 and in safe mode. Supply and mode are checked every LOOK_MS.
 *   (c) Work is abandoned after WORK_MS, sending after SEND_MS.
 *
 * ATTENDED lasts HAND_MS after a start, after a press of the button, or after USB was plugged in; if no network is
 * configured, it lasts SETUP_MS. It also lasts REQUEST_MS after each authenticated request. Requests alone extend it by
 * at most LIMIT_MS, or by HAND_MS after a start by the timer, so that a polling client does not drain the batteries. In
 * ROUTINE, the device does the work that is due, and the radio is off until there is data to send. Then the device
 * sleeps until the next readout, but at most LONGEST_MS. In LOW, the LED shows for SHOW_MS that the batteries are
 * empty; then the device sleeps for EMPTY_MS, in every mode.
 */
import type { Driver, ScheduledMachine, Task } from "../io/driver.js";
import type { Supply } from "./supply.js";

const MODE_AUTO = 0;
const MODE_ALWAYS = 1;
export const MODE_NEVER = 2;

export interface Sleeper {
	/** Power mode that is in effect; MODE_NEVER in safe mode. */
	readonly powerMode: number;
	readonly isNew: boolean;
	/** True while the meter is read, a readout is stored, or a client is served. */
	readonly isWorking: boolean;
	/** True while data wait to be sent. False if no network is configured. */
	readonly isSending: boolean;
	/** Time of the next scheduled readout, monotonic ms; Infinity without a schedule. */
	readonly nextRunMs: number;
	connect(): void;
	/** Cancels work that takes too long. */
	giveUp(): void;
	/** Called when the batteries are empty, before a long sleep. */
	emptied(): void;
	/** Begins the sleep. After this call, the policy does nothing more. */
	fallAsleep(ms: number): void;
}

export const START_BY_TIMER = 0;
export const START_BY_PERSON = 1;

export const HAND_MS = 600_000;
export const SETUP_MS = 1_800_000;
export const REQUEST_MS = 120_000;
export const LIMIT_MS = 3_600_000;
/** Time limit for the work, ms. It is longer than the longest session with the meter. */
export const WORK_MS = 720_000;
/** Time limit for sending, ms. Joining the network may take half of it. */
export const SEND_MS = 60_000;
/** Longest sleep, ms. After it, the device measures the batteries. */
export const LONGEST_MS = 86_400_000;
export const EMPTY_MS = 21_600_000;
/** Shortest sleep, ms. A shorter one would save less than the restart at its end takes. */
export const SHORTEST_MS = 10_000;
const LOOK_MS = 10_000;
const POLL_MS = 250;
const SHOW_MS = 3000;

export const STATE_AWAKE = 0;
export const STATE_ATTENDED = 1;
export const STATE_ROUTINE = 2;
export const STATE_LOW = 3;
export const STATE_ASLEEP = 4;

export class SleepPolicy implements ScheduledMachine {
	readonly #sleeper: Sleeper;
	readonly #supply: Supply;
	readonly #task: Task;
	#state = STATE_ASLEEP;
	#endMs = 0;
	#sendEndMs = Number.POSITIVE_INFINITY;
	#attendedMs = 0;
	#limitMs = 0;
	#lookMs = 0;
	#isConnected = false;
	deadlineMs = Number.POSITIVE_INFINITY;

	constructor(driver: Driver, supply: Supply, sleeper: Sleeper) {
		this.#sleeper = sleeper;
		this.#supply = supply;
		this.#task = driver.register("sleep", this);
	}

	get state(): number {
		return this.#state;
	}

	get awakeUntilMs(): number {
		return this.#state === STATE_AWAKE ? Number.POSITIVE_INFINITY : this.#attendedMs;
	}

	begin(start: number): void {
		this.#task.update((nowMs) => {
			this.#limitMs = nowMs + HAND_MS;
			this.#lookMs = nowMs + LOOK_MS;
			this.enter(STATE_ROUTINE, nowMs);
			if (start === START_BY_PERSON) this.userPresent(nowMs);
		});
	}

	pressed(): void {
		this.#task.update((nowMs) => this.userPresent(nowMs));
	}

	requestReceived(): void {
		this.#task.update((nowMs) => this.attend(Math.min(nowMs + REQUEST_MS, this.#limitMs)));
	}

	stop(): void {
		this.#task.stop();
	}

	advance(nowMs: number): void {
		if (nowMs < this.#lookMs) return;
		this.#lookMs = nowMs + LOOK_MS;
		if (this.#supply.measure()) this.userPresent(nowMs);
	}

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
			// After AWAKE, the next state is ATTENDED, because the user may want to see the effect of unplugging USB or
			// changing the mode.
			if (this.#state === STATE_AWAKE) this.attend(nowMs + REQUEST_MS);
			this.enter(nowMs < this.#attendedMs ? STATE_ATTENDED : STATE_ROUTINE, nowMs);
		}
	}

	/** Changes to any state other than ASLEEP. */
	private enter(state: number, nowMs: number): void {
		if (state === this.#state) return;
		this.#state = state;
		this.#endMs = nowMs + (state === STATE_LOW ? SHOW_MS : WORK_MS);
		this.#sendEndMs = Number.POSITIVE_INFINITY;
		if (state === STATE_LOW) this.#sleeper.emptied();
		else if (state !== STATE_ROUTINE) this.connect();
	}

	private userPresent(nowMs: number): void {
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
