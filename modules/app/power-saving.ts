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

import type { ConfigStore } from "../config/store.js";
import type { EventLog } from "../diagnostics/event-log.js";
import { EVENT_BATTERY_EMPTY } from "../diagnostics/events.js";
import type { Driver } from "../io/driver.js";
import { type Sleep, WAKE_BUTTON, WAKE_NONE, WAKE_TIMER } from "../io/flash.js";
import type { Clock, Ending, Host, TextCodec } from "../io/host.js";
import type { Schedule } from "../meter/schedule.js";
import { POWER_MODE } from "../power/fields.js";
import { FlashGate, type FlashGuard, StorageGate } from "../power/flash-gate.js";
import type { Light } from "../power/light.js";
import { MODE_NEVER, type Sleeper, SleepPolicy, START_BY_PERSON, START_BY_TIMER } from "../power/sleep.js";
import { Supply } from "../power/supply.js";
import type { NetworkSettings } from "../wifi/settings.js";
import type { Occurrences } from "./occurrences.js";
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

const NOTE_NONE = 0;
const NOTE_BEING_MADE = 1;
/** In this start, or before a sleep. */
const NOTE_MADE = 2;

/** The gateway, as far as this asks it. */
export interface SavingUser {
	readonly config: Pick<ConfigStore, "get">;
	readonly safeMode: string;
	readonly metering: { readonly schedule: Schedule };
	readonly networking: {
		readonly settings: Pick<NetworkSettings, "station" | "wifiEnabled" | "ethernetEnabled">;
		/** Undefined where there is no radio. */
		readonly manager: { readonly cable: { readonly isUsed: boolean } | undefined } | undefined;
	};
	/** As those of Running (core/core.ts), of all parts. */
	readonly isBusy: boolean;
	readonly isSending: boolean;
	readonly staysAwake: boolean;
	/** Opens server and radio. */
	connect(): void;
	stop(): void;
	restart(): void;
}

/** What the gateway has beside its parts. */
export interface SavingParts {
	readonly starts: Pick<Starts, "askedFor"> | undefined;
	readonly events: Pick<EventLog, "note">;
	readonly occurrences: Pick<Occurrences, "meterFailure">;
	readonly light: Pick<Light, "empty"> | undefined;
}

export interface SavingWorld {
	readonly driver: Driver;
	readonly clock: Clock;
	readonly text: TextCodec;
	guard(part: string, run: () => void): void;
}

/** Parts of the host that others get from here. */
export type Gated = Pick<Host, "retained" | "storage" | "flash">;

export class PowerSaving implements Sleeper, FlashGuard {
	readonly #world: SavingWorld;
	readonly #user: SavingUser;
	readonly #sleep: Sleep;
	readonly #retained: SharedRetained | undefined;
	readonly #supply: Supply;
	readonly #policy: SleepPolicy;
	/** Undefined until the start. */
	#parts: SavingParts | undefined;
	/** When the time is to be asked for, monotonic ms; Infinity: nobody is asked. */
	#syncMs: number;
	/** NOTE_… of the empty cells. */
	#note: number;

	constructor(world: SavingWorld, host: Pick<Host, "info" | "power" | "retained">, sleep: Sleep, user: SavingUser) {
		this.#world = world;
		this.#user = user;
		this.#sleep = sleep;
		const { power, retained, info } = host;
		if (retained !== undefined) this.#retained = new SharedRetained(retained);
		const front = this.#retained?.readFront() ?? new Uint8Array(FRONT_LENGTH);
		const wasEmpty = front[EMPTY_OFFSET] === 1;
		this.#note = wasEmpty ? NOTE_MADE : NOTE_NONE;
		this.#supply = new Supply(power, wasEmpty);
		this.#policy = new SleepPolicy(world.driver, this.#supply, this);
		const minutes = sleep.wakeReason === WAKE_NONE ? 0 : viewOf(front).getUint16(SYNC_OFFSET, true);
		this.#syncMs = info.timeServers === "" ? Number.POSITIVE_INFINITY : world.driver.nowMs() + minutes * MINUTE_MS;
	}

	/** What others use in place of the host's: flash takes writes as long as the cells can bear them. */
	gate({ storage, flash, power }: Host): Gated {
		const retained = this.#retained;
		// An optional member that is there and undefined would be another type.
		const rest = retained === undefined ? {} : { retained };
		if (power === undefined || power.cells === 0) return { ...rest, storage, ...(flash && { flash }) };
		return { ...rest, storage: new StorageGate(storage, this), ...(flash && { flash: new FlashGate(flash, this) }) };
	}

	/** For the gates. */
	get isShut(): boolean {
		return this.#supply.isLow && this.#note !== NOTE_BEING_MADE;
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
		const front = this.frontBefore;
		return front && viewOf(front, SCHEDULE_OFFSET);
	}

	/** Code of what was wrong with the meter before the sleep; undefined: it was no sleep that ended. */
	get failureBefore(): string | undefined {
		const front = this.frontBefore;
		if (front === undefined) return undefined;
		const end = front.indexOf(0, CODE_OFFSET);
		try {
			return this.#world.text.decode(front, CODE_OFFSET, end < 0 ? FRONT_LENGTH : end);
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
		this.#policy.begin(isPerson || this.#user.staysAwake ? START_BY_PERSON : START_BY_TIMER);
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
		const { manager, settings } = this.#user.networking;
		const isCabled = manager?.cable?.isUsed === true;
		return manager !== undefined && !isCabled && settings.station === undefined;
	}

	/** For SleepPolicy. */
	get isWorking(): boolean {
		// A trial is over before work takes too long.
		return this.#user.staysAwake || this.#user.isBusy;
	}

	/** For SleepPolicy. */
	get isSending(): boolean {
		return this.hasNetwork && (this.isSyncDue || this.#user.isSending);
	}

	/** For SleepPolicy. */
	get nextRunMs(): number {
		return this.#user.metering.schedule.deadlineMs;
	}

	/** For SleepPolicy. */
	connect(): void {
		this.#user.connect();
	}

	/** For SleepPolicy. */
	giveUp(): void {
		this.#user.metering.schedule.giveUp();
	}

	/** For SleepPolicy. */
	emptied(): void {
		const { events, light } = this.#parts ?? {};
		if (this.#note === NOTE_NONE) {
			// The one write that there still is.
			this.#note = NOTE_BEING_MADE;
			events?.note(EVENT_BATTERY_EMPTY);
		}
		this.#note = NOTE_MADE;
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

	/** The front of retained memory as the last sleep has left it; undefined: it was no sleep that ended. */
	private get frontBefore(): Uint8Array | undefined {
		return this.#sleep.wakeReason === WAKE_NONE ? undefined : this.#retained?.readFront();
	}

	private get hasNetwork(): boolean {
		const { manager, settings } = this.#user.networking;
		if (manager === undefined) return false;
		// Whether a cable is in is not known before the port is open.
		if (manager.cable !== undefined && settings.ethernetEnabled) return true;
		return settings.station !== undefined && settings.wifiEnabled;
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
		const front = this.#retained?.readFront();
		if (front === undefined) return;
		viewOf(front).setUint16(SYNC_OFFSET, Math.min(Math.max(0, minutes), MINUTES_LIMIT), true);
		front[EMPTY_OFFSET] = Number(this.isEmpty);
		// While the cells were empty nothing else was done: what stands there is still so.
		if (!this.isEmpty) {
			this.#user.metering.schedule.keep(viewOf(front, SCHEDULE_OFFSET));
			const code = text.encode(this.#parts?.occurrences.meterFailure ?? "");
			front.fill(0, CODE_OFFSET);
			front.set(code.subarray(0, FRONT_LENGTH - CODE_OFFSET), CODE_OFFSET);
		}
		this.#retained?.writeFront(front);
	}
}

function viewOf(front: Uint8Array, offset = 0): DataView {
	return new DataView(front.buffer, front.byteOffset + offset, front.length - offset);
}
