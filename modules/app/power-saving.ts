/**
 * Puts the gateway to sleep when power/sleep.ts decides so, and saves its state for the next start.
 *
 * A sleep ends the program, so sessions and the last readout are lost. The front of retained memory
 * (shared-retained.ts) holds the saved state, little-endian:
 *
 *   offset  bytes  content
 *   0       1      1 if the battery cells are empty
 *   1       2      minutes until the next time synchronization, u16
 *   3       24     the schedule (Schedule.keep)
 *   27      36     code of the meter's last failure, ASCII, padded with zeros
 *
 * The front is valid only if the start follows a sleep.
 */

import type { ConfigStore } from "../config/store.js";
import type { Light } from "../core/light.js";
import type { EventLog } from "../diagnostics/event-log.js";
import { EVENT_BATTERY_EMPTY } from "../diagnostics/events.js";
import type { Driver } from "../io/driver.js";
import { type Sleep, WAKE_BUTTON, WAKE_NONE, WAKE_TIMER } from "../io/flash.js";
import type { Clock, Ending, Host, TextCodec } from "../io/host.js";
import type { Schedule } from "../meter/schedule.js";
import type { NetworkSettings } from "../parts/network/settings.js";
import { POWER_MODE } from "../parts/power/fields.js";
import { FlashGate, type FlashGuard, StorageGate } from "../power/flash-gate.js";
import { MODE_NEVER, type Sleeper, SleepPolicy, START_BY_PERSON, START_BY_TIMER } from "../power/sleep.js";
import { Supply } from "../power/supply.js";
import type { CrashLoopGuard } from "./crash-loop-guard.js";
import type { EdgeEvents } from "./edge-events.js";
import { FRONT_LENGTH, SharedRetained } from "./shared-retained.js";

const EMPTY_OFFSET = 0;
const SYNC_OFFSET = 1;
const SCHEDULE_OFFSET = 3;
const CODE_OFFSET = 27;

const MINUTE_MS = 60_000;
const MINUTES_LIMIT = 0xffff;
/** Interval between two time synchronizations. During sleep the clock may drift by some seconds per hour. */
const SYNC_MS = 6 * 60 * MINUTE_MS;
/** Interval between two attempts to synchronize the time while the clock is not set. */
const UNSET_MS = 60 * MINUTE_MS;

const NOTE_NONE = 0;
const NOTE_BEING_MADE = 1;
/** The event "battery empty" was logged, since this start or before the last sleep. */
const NOTE_MADE = 2;

export interface SavingUser {
	readonly config: Pick<ConfigStore, "get">;
	readonly safeMode: string;
	readonly metering: { readonly schedule: Schedule };
	readonly networking: {
		readonly settings: Pick<NetworkSettings, "station" | "wifiEnabled" | "ethernetEnabled">;
		readonly manager: { readonly cable: { readonly isUsed: boolean } | undefined } | undefined;
	};
	/**
	 * Each of the next three members is true if the member of the same name is true in any part (Running,
	 * core/core.ts).
	 */
	readonly isBusy: boolean;
	readonly isSending: boolean;
	readonly staysAwake: boolean;
	connect(): void;
	stop(): void;
	restart(): void;
}

export interface SavingParts {
	readonly crashLoop: Pick<CrashLoopGuard, "plannedRestart"> | undefined;
	readonly events: Pick<EventLog, "note">;
	readonly edgeEvents: Pick<EdgeEvents, "meterFailure">;
	readonly light: Pick<Light, "empty"> | undefined;
}

export interface SavingDeps {
	readonly driver: Driver;
	readonly clock: Clock;
	readonly text: TextCodec;
	guard(part: string, run: () => void): void;
}

/**
 * Members of the host through which the gateway writes. Storage and flash refuse writes while the battery cells are
 * empty.
 */
export type WriteGuarded = Pick<Host, "retained" | "storage" | "flash">;

export class PowerSaving implements Sleeper, FlashGuard {
	readonly #deps: SavingDeps;
	readonly #user: SavingUser;
	readonly #sleep: Sleep;
	readonly #retained: SharedRetained | undefined;
	readonly #supply: Supply;
	readonly #policy: SleepPolicy;
	#parts: SavingParts | undefined;
	/** Time of the next time synchronization, monotonic ms; Infinity without a time server. */
	#syncMs: number;
	#note: number;

	constructor(deps: SavingDeps, host: Pick<Host, "info" | "power" | "retained">, sleep: Sleep, user: SavingUser) {
		this.#deps = deps;
		this.#user = user;
		this.#sleep = sleep;
		const { power, retained, info } = host;
		if (retained !== undefined) this.#retained = new SharedRetained(retained);
		const front = this.#retained?.readFront() ?? new Uint8Array(FRONT_LENGTH);
		const wasEmpty = front[EMPTY_OFFSET] === 1;
		this.#note = wasEmpty ? NOTE_MADE : NOTE_NONE;
		this.#supply = new Supply(power, wasEmpty);
		this.#policy = new SleepPolicy(deps.driver, this.#supply, this);
		const minutes = sleep.wakeReason === WAKE_NONE ? 0 : viewOf(front).getUint16(SYNC_OFFSET, true);
		this.#syncMs = info.timeServers === "" ? Number.POSITIVE_INFINITY : deps.driver.nowMs() + minutes * MINUTE_MS;
	}

	gate({ storage, flash, power }: Host): WriteGuarded {
		const retained = this.#retained;
		// The member is omitted, because exactOptionalPropertyTypes forbids the value undefined.
		const rest = retained === undefined ? {} : { retained };
		if (power === undefined || power.cells === 0) return { ...rest, storage, ...(flash && { flash }) };
		return { ...rest, storage: new StorageGate(storage, this), ...(flash && { flash: new FlashGate(flash, this) }) };
	}

	get isShut(): boolean {
		return this.#supply.isLow && this.#note !== NOTE_BEING_MADE;
	}

	get isRoutine(): boolean {
		return this.#sleep.wakeReason === WAKE_TIMER;
	}

	/**
	 * True if a person has woken the device. The last readout is lost in sleep, so the meter must be read for this
	 * person.
	 */
	get isForPerson(): boolean {
		return this.#sleep.wakeReason > WAKE_TIMER;
	}

	/** True if the button has woken the device. This counts as a short press. */
	get isByButton(): boolean {
		return this.#sleep.wakeReason === WAKE_BUTTON;
	}

	get keptSchedule(): DataView | undefined {
		const front = this.frontBefore;
		return front && viewOf(front, SCHEDULE_OFFSET);
	}

	/** Failure code of the last readout before the sleep; undefined if no sleep precedes this start. */
	get failureBefore(): string | undefined {
		const front = this.frontBefore;
		if (front === undefined) return undefined;
		const end = front.indexOf(0, CODE_OFFSET);
		try {
			return this.#deps.text.decode(front, CODE_OFFSET, end < 0 ? FRONT_LENGTH : end);
		} catch {
			return "";
		}
	}

	/** True if the battery cells are empty. Nothing but PowerSaving runs then. */
	get isEmpty(): boolean {
		return this.#supply.isLow;
	}

	/** Time until which the device stays awake at least, monotonic ms; Infinity if it does not sleep. */
	get awakeUntilMs(): number {
		return this.#policy.awakeUntilMs;
	}

	start(parts: SavingParts, ending: Ending | undefined): void {
		this.#parts = parts;
		const isPerson = this.#sleep.wakeReason !== WAKE_TIMER && ending?.isFault !== true;
		this.#policy.begin(isPerson || this.#user.staysAwake ? START_BY_PERSON : START_BY_TIMER);
	}

	stop(): void {
		this.#policy.stop();
	}

	pressed(): void {
		this.#policy.pressed();
	}

	requestReceived(): void {
		this.#policy.requestReceived();
	}

	clockChanged(): void {
		this.#syncMs = this.#deps.driver.nowMs() + SYNC_MS;
	}

	get powerMode(): number {
		const { safeMode, config } = this.#user;
		return safeMode === "" ? config.get(POWER_MODE) : MODE_NEVER;
	}

	get isNew(): boolean {
		const { manager, settings } = this.#user.networking;
		const isCabled = manager?.cable?.isUsed === true;
		return manager !== undefined && !isCabled && settings.station === undefined;
	}

	get isWorking(): boolean {
		// The trial of a new firmware (`staysAwake`) ends before the limit in the sleep policy.
		return this.#user.staysAwake || this.#user.isBusy;
	}

	get isSending(): boolean {
		return this.hasNetwork && (this.isSyncDue || this.#user.isSending);
	}

	get nextRunMs(): number {
		return this.#user.metering.schedule.deadlineMs;
	}

	connect(): void {
		this.#user.connect();
	}

	giveUp(): void {
		this.#user.metering.schedule.giveUp();
	}

	emptied(): void {
		const { events, light } = this.#parts ?? {};
		if (this.#note === NOTE_NONE) {
			// The event is the last write that the storage gate permits.
			this.#note = NOTE_BEING_MADE;
			events?.note(EVENT_BATTERY_EMPTY);
		}
		this.#note = NOTE_MADE;
		light?.empty();
	}

	fallAsleep(ms: number): void {
		const { guard } = this.#deps;
		guard("sleep", () => this.saveState(ms));
		guard("sleep", () => {
			// A sleep must not count as a fault.
			this.#parts?.crashLoop?.plannedRestart();
			this.#user.stop();
		});
		try {
			this.#sleep.begin(ms);
		} catch (error) {
			// If the sleep fails, the guard logs the error and the device restarts. It would otherwise stay awake with
			// its radio off.
			guard("sleep", () => {
				throw error;
			});
			this.#user.restart();
		}
	}

	private get frontBefore(): Uint8Array | undefined {
		return this.#sleep.wakeReason === WAKE_NONE ? undefined : this.#retained?.readFront();
	}

	private get hasNetwork(): boolean {
		const { manager, settings } = this.#user.networking;
		if (manager === undefined) return false;
		// The device does not know yet whether a cable is plugged in, because that is detected only when the port is
		// open.
		if (manager.cable !== undefined && settings.ethernetEnabled) return true;
		return settings.station !== undefined && settings.wifiEnabled;
	}

	private get isSyncDue(): boolean {
		return this.#deps.driver.nowMs() >= this.#syncMs;
	}

	private saveState(ms: number): void {
		const { driver, clock, text } = this.#deps;
		const nowMs = driver.nowMs();
		// If a synchronization was due, the next one is scheduled even if no server has answered.
		if (this.hasNetwork && this.isSyncDue) this.#syncMs = nowMs + (clock.utcMs() === undefined ? UNSET_MS : SYNC_MS);
		const minutes = Math.round((this.#syncMs - nowMs - ms) / MINUTE_MS);
		const front = this.#retained?.readFront();
		if (front === undefined) return;
		viewOf(front).setUint16(SYNC_OFFSET, Math.min(Math.max(0, minutes), MINUTES_LIMIT), true);
		front[EMPTY_OFFSET] = Number(this.isEmpty);
		// With empty cells neither the meter nor the schedule has run since the start, so the values saved earlier
		// remain valid.
		if (!this.isEmpty) {
			this.#user.metering.schedule.keep(viewOf(front, SCHEDULE_OFFSET));
			const code = text.encode(this.#parts?.edgeEvents.meterFailure ?? "");
			front.fill(0, CODE_OFFSET);
			front.set(code.subarray(0, FRONT_LENGTH - CODE_OFFSET), CODE_OFFSET);
		}
		this.#retained?.writeFront(front);
	}
}

function viewOf(front: Uint8Array, offset = 0): DataView {
	return new DataView(front.buffer, front.byteOffset + offset, front.length - offset);
}
