/** The peaks part with the history, in virtual time and on virtual flash, with readings of a modelled meter. */
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import type { SettingField } from "../../modules/config/schema.js";
import type { Core } from "../../modules/core/core.js";
import { History } from "../../modules/history/history.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { PEAKS_INTERVAL_MINS } from "../../modules/parts/peaks/fields.js";
import { RANKS, STARTS, WATTS } from "../../modules/parts/peaks/month.js";
import { Peaks } from "../../modules/parts/peaks/peaks.js";
import type { Readout } from "../../modules/readout/readout.js";
import type { TimeZone } from "../../modules/time/zone.js";
import { guard } from "../faults.js";
import { type Meter, readoutOf, zoneOf } from "../history/unit.js";

/** Key of the stored intervals. */
export const PEAKS_KEY = "peaks_month";
/** Time to store a readout and scan the history, ms. */
const PROCESS_MS = 3000;

export interface Shape {
	readonly minutes: 15 | 60;
	readonly count: 1 | 3;
}
export const FLANDERS: Shape = { minutes: 15, count: 1 };
export const NORWAY: Shape = { minutes: 60, count: 3 };

export class Bed {
	readonly flash = new VirtualFlash();
	readonly storage = new VirtualStorage();
	readonly traced: string[] = [];
	readonly zone: TimeZone;
	shape: Shape;
	time = new VirtualTime();
	history!: History;
	peaks!: Peaks;
	/** Mean power of the household in W; the counter follows it. */
	powerW = 0;
	/** True if the meter sends its power in addition to the counter. */
	sendsPower = true;
	meter: Meter = {};
	counterWh = 1_000_000;
	#countedS: number;

	/** `startS`: Unix time. */
	constructor(shape: Shape, zone: string, startS: number) {
		this.shape = shape;
		this.zone = zoneOf(zone);
		this.#countedS = startS;
		this.restart(startS);
	}

	/** Starts the gateway as after a power cut, with the clock at `utcS`; undefined: it is not set. */
	restart(utcS: number | undefined = this.nowS): void {
		this.flash.powerUp();
		this.time = new VirtualTime();
		if (utcS !== undefined) this.time.setUTC(utcS * 1000);
		const driver = new Driver({ clock: this.time, timers: this.time, guard });
		const { flash, storage, zone, time: clock } = this;
		const trace = (message: string) => this.traced.push(message);
		const ledger = new MemoryLedger(undefined);
		const history = History.open({ deps: { driver, storage, trace }, ledger, zone, flash })!;
		this.history = history;
		const config = {
			get: (field: SettingField) => (field === PEAKS_INTERVAL_MINS ? this.shape.minutes : this.shape.count),
		};
		const live = { changed() {} };
		const core = { clock, config, driver, find: () => history, ledger, live, storage, text: new NodeText(), zone };
		this.peaks = new Peaks(core as unknown as Core);
	}

	/** The gateway's clock, seconds. */
	get nowS(): number {
		return Math.floor((this.time.utcMs() ?? 0) / 1000);
	}

	get values(): { peakW: number; meanW: number; forecastW: number } {
		const [peakW, meanW, forecastW] = this.peaks.values;
		return { peakW, meanW, forecastW };
	}

	/** Start and watts of the month's highest intervals. */
	get highest(): [number, number][] {
		const { highest } = this.peaks;
		const list = Array.from({ length: RANKS }, (_, rank): [number, number] => [
			highest[STARTS + rank],
			highest[WATTS + rank],
		]);
		return list.filter(([startS]) => startS !== 0);
	}

	/** Lets the time pass up to `timeS` without a reading. */
	wait(timeS: number): void {
		this.count(timeS);
		if (timeS > this.nowS) this.time.advance((timeS - this.nowS) * 1000);
	}

	/** Sets the clock to `utcS`. The counter goes on as if no time had passed. */
	setClock(utcS: number): void {
		this.time.setUTC(utcS * 1000);
		this.#countedS = utcS;
	}

	/** Counts the household's energy up to `timeS`. */
	private count(timeS: number): void {
		this.counterWh += (this.powerW * Math.max(0, timeS - this.#countedS)) / 3600;
		this.#countedS = timeS;
	}

	/** Reads the meter at `timeS`. */
	read(timeS: number): void {
		this.wait(timeS);
		const power = this.sendsPower ? `1.7.0(${(this.powerW / 1000).toFixed(3)}*kW)\r\n` : "";
		const kWh = (Math.floor(this.counterWh + 1e-6) / 1000).toFixed(3);
		this.take(readoutOf(`1.8.0(${kWh}*kWh)\r\n${power}`, timeS, this.meter));
	}

	take(readout: Readout): void {
		this.history.whenMeasured(readout);
		this.peaks.whenMeasured(readout);
		this.time.advance(PROCESS_MS);
	}

	/** Reads the meter every `stepS` seconds up to `untilS` with this power. */
	run(untilS: number, powerW: number, stepS = 60): void {
		this.powerW = powerW;
		for (let timeS = this.nowS - (this.nowS % stepS) + stepS; timeS <= untilS; timeS += stepS) this.read(timeS);
	}
}
