/**
 * Sleep of the whole gateway: tells the policy (power/sleep.ts) how things stand, does what it decides, and keeps over a sleep
 * what the next start must know. For gateway.ts, on hosts that can sleep.
 *
 * A sleep ends the program, and all in memory with it. In flash are the settings, the history, the events, and what was
 * learned of the meter; sessions and the last readout are lost. In the front of retained memory, little-endian:
 *
 *   offset  bytes  what
 *   0       1      1: the cells are empty
 *   1       2      as many minutes until the time is asked for, u16
 *   3       24     the schedule (Schedule.keep)
 *   27      36     code of the last failure of the meter, ASCII, zeros behind
 *
 * Anything may stand there at a start; it counts only after a sleep.
 */

import type { NetworkSettings } from "../config/network.js";
import { POWER_MODE } from "../config/power-fields.js";
import type { ConfigStore } from "../config/store.js";
import type { EventLog } from "../diagnostics/event-log.js";
import { EVENT_BATTERY_EMPTY } from "../diagnostics/events.js";
import type { History } from "../history/history.js";
import type { Driver } from "../io/driver.js";
import { type Flash, type Sleep, WAKE_BUTTON, WAKE_NONE, WAKE_TIMER } from "../io/flash.js";
import type { Clock, Ending, Host, Storage, TextCodec } from "../io/host.js";
import type { MeterReader } from "../meter/reader.js";
import type { Schedule } from "../meter/schedule.js";
import { FlashGate, type FlashGuard, StorageGate } from "../power/flash-gate.js";
import type { Light } from "../power/light.js";
import { MODE_NEVER, type Sleeper, SleepPolicy, START_BY_PERSON, START_BY_TIMER } from "../power/sleep.js";
import { Supply } from "../power/supply.js";
import type { Output } from "../publish/output.js";
import type { Occurrences } from "./occurrences.js";
import type { Serving } from "./serving.js";
import { FRONT_LENGTH, SharedRetained } from "./shared-retained.js";
import type { Starts } from "./starts.js";

const EMPTY_OFFSET = 0;
const SYNC_OFFSET = 1;
const SCHEDULE_OFFSET = 3;
const CODE_OFFSET = 27;

const MINUTE_MS = 60_000;
const MINUTES_LIMIT = 0xffff;
/** The chip's clock may be wrong by some seconds an hour while it sleeps. */
const SYNC_MS = 6 * 60 * MINUTE_MS;
/** A clock that was never set. */
const UNSET_MS = 60 * MINUTE_MS;

/** The gateway, as far as this asks it. */
export interface SavingUser {
	readonly config: Pick<ConfigStore, "get">;
	readonly schedule: Schedule;
	readonly safeMode: string;
	readonly reader: Pick<MeterReader, "running">;
	/** Undefined where there is no radio. */
	readonly network: object | undefined;
	/** Opens server and radio. */
	connect(): void;
	stop(): void;
	restart(): void;
}

/** Parts of it. */
export interface SavingParts {
	readonly history: Pick<History, "isBusy"> | undefined;
	readonly networkSettings: Pick<NetworkSettings, "station" | "wifiEnabled">;
	readonly starts: Pick<Starts, "askedFor"> | undefined;
	readonly events: Pick<EventLog, "note">;
	readonly occurrences: Pick<Occurrences, "meterFailure">;
	readonly light: Pick<Light, "empty"> | undefined;
	readonly serving: Pick<Serving, "isBusy">;
	readonly outputs: readonly Pick<Output, "busy">[];
}

export interface SavingWorld {
	readonly driver: Driver;
	readonly clock: Clock;
	readonly text: TextCodec;
	guard(part: string, run: () => void): void;
}

export class PowerSaving implements Sleeper, FlashGuard {
	readonly #world: SavingWorld;
	readonly #user: SavingUser;
	readonly #sleep: Sleep;
	/** In place of the host's: for whoever counts starts. */
	readonly retained: SharedRetained | undefined;
	/** In place of the host's: they take writes as long as the cells can bear them. */
	readonly storage: Storage;
	readonly flash: Flash | undefined;
	readonly #front: Uint8Array;
	readonly #view: DataView;
	readonly #supply: Supply;
	readonly #policy: SleepPolicy;
	/** Undefined until the start. */
	#parts: SavingParts | undefined;
	/** When the time is to be asked for, monotonic ms; Infinity: nobody is asked. */
	#syncMs: number;
	/** The one write that tells of the empty cells. */
	#isNoting = false;

	constructor(
		world: SavingWorld,
		host: Pick<Host, "info" | "power" | "retained" | "storage" | "flash">,
		sleep: Sleep,
		user: SavingUser,
	) {
		this.#world = world;
		this.#user = user;
		this.#sleep = sleep;
		const { power, retained, storage, flash } = host;
		if (retained !== undefined) this.retained = new SharedRetained(retained);
		this.storage = new StorageGate(storage, this);
		this.flash = flash && new FlashGate(flash, this);
		this.#front = this.retained?.front ?? new Uint8Array(FRONT_LENGTH);
		this.#view = new DataView(this.#front.buffer);
		this.#supply = new Supply(power, this.#front[EMPTY_OFFSET] === 1);
		this.#policy = new SleepPolicy(world.driver, this.#supply, this);
		const minutes = sleep.wakeReason === WAKE_NONE ? 0 : this.#view.getUint16(SYNC_OFFSET, true);
		const isAsked = host.info.timeServers !== "";
		this.#syncMs = isAsked ? world.driver.nowMs() + minutes * MINUTE_MS : Number.POSITIVE_INFINITY;
	}

	/** For the gates. */
	get isShut(): boolean {
		return this.#supply.isLow && !this.#isNoting;
	}

	/** It was the timer that woke it: nobody is there, and nothing has happened that is worth an event. */
	get isRoutine(): boolean {
		return this.#sleep.wakeReason === WAKE_TIMER;
	}

	/** Somebody has come: the meter is to be read for him, since the last readout is lost. */
	get isForPerson(): boolean {
		return this.#sleep.wakeReason > WAKE_TIMER;
	}

	/** The button has woken it, which is a short press. */
	get isByButton(): boolean {
		return this.#sleep.wakeReason === WAKE_BUTTON;
	}

	/** The schedule as it was when it went to sleep; undefined: it was no sleep that ended. */
	get keptSchedule(): DataView | undefined {
		if (this.#sleep.wakeReason === WAKE_NONE) return undefined;
		return new DataView(this.#front.buffer, SCHEDULE_OFFSET, CODE_OFFSET - SCHEDULE_OFFSET);
	}

	/** Code of what was wrong with the meter before the sleep; undefined: it was no sleep that ended. */
	get failureBefore(): string | undefined {
		if (this.#sleep.wakeReason === WAKE_NONE) return undefined;
		const end = this.#front.indexOf(0, CODE_OFFSET);
		try {
			return this.#world.text.decode(this.#front, CODE_OFFSET, end < 0 ? FRONT_LENGTH : end);
		} catch {
			return "";
		}
	}

	/** The cells are empty: nothing is started but this. */
	get isEmpty(): boolean {
		return this.#supply.isLow;
	}

	/** Until then it does not sleep, monotonic ms; Infinity: it stays awake. */
	get awakeUntilMs(): number {
		return this.#policy.awakeUntilMs;
	}

	/** The gateway has started; `ending` is that of the program before. */
	start(parts: SavingParts, ending: Ending | undefined): void {
		this.#parts = parts;
		const isPerson = this.#sleep.wakeReason !== WAKE_TIMER && ending?.isFault !== true;
		this.#policy.begin(isPerson ? START_BY_PERSON : START_BY_TIMER);
	}

	stop(): void {
		this.#policy.stop();
	}

	/** The button was pressed. */
	pressed(): void {
		this.#policy.pressed();
	}

	/** Somebody with a token has asked for something. */
	asked(): void {
		this.#policy.asked();
	}

	/** The clock was set. */
	clockChanged(): void {
		this.#syncMs = this.#world.driver.nowMs() + SYNC_MS;
	}

	/** For SleepPolicy. */
	get powerMode(): number {
		const { safeMode, config } = this.#user;
		return safeMode === "" ? config.get(POWER_MODE) : MODE_NEVER;
	}

	/** For SleepPolicy. */
	get isNew(): boolean {
		return this.#user.network !== undefined && this.#parts?.networkSettings.station === undefined;
	}

	/** For SleepPolicy. */
	get isWorking(): boolean {
		const { reader, schedule } = this.#user;
		const { history, serving } = this.#parts ?? {};
		return reader.running || schedule.isRunning || history?.isBusy === true || serving?.isBusy === true;
	}

	/** For SleepPolicy. */
	get isSending(): boolean {
		return this.hasNetwork && (this.isSyncDue || this.#parts?.outputs.some(({ busy }) => busy) === true);
	}

	/** For SleepPolicy. */
	get nextRunMs(): number {
		return this.#user.schedule.deadlineMs;
	}

	/** For SleepPolicy. */
	connect(): void {
		this.#user.connect();
	}

	/** For SleepPolicy. */
	giveUp(): void {
		this.#user.schedule.giveUp();
	}

	/** For SleepPolicy. */
	emptied(): void {
		const { events, light } = this.#parts ?? {};
		this.#isNoting = true;
		if (this.#front[EMPTY_OFFSET] !== 1) events?.note(EVENT_BATTERY_EMPTY);
		this.#isNoting = false;
		this.#front[EMPTY_OFFSET] = 1;
		light?.empty();
	}

	/** For SleepPolicy. */
	fallAsleep(ms: number): void {
		const { guard } = this.#world;
		guard("sleep", () => this.keep(ms));
		guard("sleep", () => {
			// The end that comes is asked for.
			this.#parts?.starts?.askedFor();
			this.#user.stop();
		});
		try {
			this.#sleep.begin(ms);
		} catch (error) {
			// Awake for ever with the radio off helps nobody.
			guard("sleep", () => {
				throw error;
			});
			this.#user.restart();
		}
	}

	private get hasNetwork(): boolean {
		const settings = this.#parts?.networkSettings;
		return this.#user.network !== undefined && settings?.station !== undefined && settings.wifiEnabled;
	}

	private get isSyncDue(): boolean {
		return this.#world.driver.nowMs() >= this.#syncMs;
	}

	/** What the start after a sleep of `ms` must know. */
	private keep(ms: number): void {
		const { driver, clock, text } = this.#world;
		const nowMs = driver.nowMs();
		// One that was due was asked for, if it could be: the next time is as far off as after an answer.
		if (this.hasNetwork && this.isSyncDue) this.#syncMs = nowMs + (clock.utcMs() === undefined ? UNSET_MS : SYNC_MS);
		const minutes = Math.round((this.#syncMs - nowMs - ms) / MINUTE_MS);
		this.#view.setUint16(SYNC_OFFSET, Math.min(Math.max(0, minutes), MINUTES_LIMIT), true);
		if (!this.isEmpty) {
			this.#front[EMPTY_OFFSET] = 0;
			this.#user.schedule.keep(new DataView(this.#front.buffer, SCHEDULE_OFFSET, CODE_OFFSET - SCHEDULE_OFFSET));
			const code = text.encode(this.#parts?.occurrences.meterFailure ?? "").subarray(0, FRONT_LENGTH - CODE_OFFSET);
			this.#front.fill(0, CODE_OFFSET);
			this.#front.set(code, CODE_OFFSET);
		}
		this.retained?.keep();
	}
}
