/** Meter reading: the meter reader, the schedule, and their settings. */
import type { Core, Running } from "../../core/core.js";
import { EVENT_MISSED } from "../../diagnostics/events.js";
import { LineLog } from "../../meter/line-log.js";
import { LiveMode } from "../../meter/live-mode.js";
import { protocolOf } from "../../meter/protocols.js";
import { MeterReader } from "../../meter/reader.js";
import { Schedule } from "../../meter/schedule.js";
import { HISTORY } from "../history/part.js";
import type { DLMSSettingsStore } from "./dlms-store.js";
import { CONTROL_LOG_EN, METER_LIVE_SECS } from "./fields.js";
import { prepareReadingKeys } from "./routes/readings.js";
import { scheduleOf } from "./schedule-settings.js";
import { MeterSettingsStore } from "./settings-store.js";

const NAMES_RESOURCE = "obis-names.bin";

/**
 * Value of `freshSecs` for a meter that sends every few seconds. It is long enough for short interruptions of the
 * reception.
 */
const PUSH_FRESH_S = 300;
/** Time within which nearly every readout ends, including its retries, s. */
const READOUT_S = 300;
const MONTH_MINUTES = 31 * 24 * 60;
const NO_PERIOD = Object.freeze({ minutes: 0, months: 0 });

const NO_CALLBACK = Object.freeze({ finished: () => {} });
const NO_KEYS: readonly Uint8Array[] = Object.freeze([]);

export interface WokenUp {
	readonly keptSchedule: DataView | undefined;
	readonly failureBefore: string | undefined;
	readonly isForPerson: boolean;
}

export class Metering implements Running {
	readonly reader: MeterReader;
	readonly schedule: Schedule;
	live: LiveMode | undefined;
	readonly names: Uint8Array | undefined;
	readonly #core: Core;
	readonly #settings: MeterSettingsStore;
	/** Keys of the JSON for a reading, shared by all replies; empty before `connect()`. */
	readingKeys: readonly Uint8Array[] = NO_KEYS;

	constructor(core: Core) {
		const { clock, config, crypto, driver, events, host, info, ledger, light, live, storage, text, trace, zone } = core;
		this.#core = core;
		this.#settings = new MeterSettingsStore(config, { crypto, info, text });
		this.names = host.resources.get(NAMES_RESOURCE);
		this.reader = new MeterReader({
			deps: { clock, crypto, driver, storage, trace },
			light,
			port: host.serial.meter,
			ledger,
			settings: this.#settings,
			listener: core,
			freshness: this,
		});
		this.schedule = new Schedule({
			deps: { clock, driver },
			zone,
			reader: this.reader,
			plan: () => this.plan(),
			missed: (count) => events.note(EVENT_MISSED, String(count)),
			live,
		});
	}

	start(woken: WokenUp | undefined): void {
		const core = this.#core;
		const { failureBefore, isForPerson, keptSchedule } = woken ?? {};
		this.reconfigure();
		core.guard("schedule", () => {
			this.schedule.start(core.find(HISTORY)?.lastUtcMs ?? 0, keptSchedule, failureBefore);
		});
		// The last readout was lost during the sleep, and a person has woken the gateway to see it.
		if (isForPerson) this.reader.read(NO_CALLBACK);
	}

	get dlms(): DLMSSettingsStore {
		return this.#settings.dlms;
	}

	/**
	 * Age from which momentary values are out of date, s; 0 without such a limit: if the meter is read on request only, or
	 * pushes seldom.
	 */
	get freshSecs(): number {
		if (protocolOf(this.#settings).listenBaud !== undefined) return this.reader.sendsOften ? PUSH_FRESH_S : 0;
		const { minutes, months } = this.plan() ?? NO_PERIOD;
		const periodS = (minutes + months * MONTH_MINUTES) * 60;
		return periodS === 0 ? 0 : 2 * periodS + READOUT_S;
	}

	/**
	 * Returns the schedule. If its period is shorter than the protocol permits, it is lengthened, to spare the batteries
	 * of meters.
	 */
	private plan(): ReturnType<typeof scheduleOf> {
		const plan = scheduleOf(this.#core.config);
		const { restMinutes = 0 } = protocolOf(this.#settings);
		if (plan === undefined || plan.months > 0 || plan.minutes >= restMinutes) return plan;
		return { ...plan, minutes: restMinutes };
	}

	whenConnecting(): void {
		this.readingKeys = prepareReadingKeys(this.#core.writer);
	}

	get isBusy(): boolean {
		return this.reader.running || this.reader.isLent || this.schedule.isRunning;
	}

	/** Applies the settings. In safe mode the meter is not read. */
	reconfigure(): void {
		const { config, safeMode } = this.#core;
		if (safeMode !== "") return;
		if (!config.get(CONTROL_LOG_EN)) this.reader.log = undefined;
		else this.reader.log ??= new LineLog();
		this.reader.reconfigure();
		const liveSecs = config.get(METER_LIVE_SECS);
		if (liveSecs > 0) this.live ??= new LiveMode(this.#core, this.reader);
		if (this.live !== undefined) this.live.periodMs = liveSecs * 1000;
	}

	whenClockChanged(): void {
		const { clock } = this.#core;
		const utcMs = clock.utcMs();
		if (utcMs !== undefined) this.reader.outcomes.dateBack(utcMs, clock.monotonicMs());
		this.schedule.clockChanged();
	}

	whenStopping(): void {
		this.live?.stop();
		this.schedule.stop();
		this.reader.stop();
	}
}
