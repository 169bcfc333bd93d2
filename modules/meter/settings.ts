/** What the meter reader is given: its world, and the settings that it and the protocols go by. */

import type { COSEMSettings } from "../cosem/settings.js";
import type { Crypto } from "../io/crypto.js";
import type { Driver } from "../io/driver.js";
import type { Clock, SerialPort, Storage } from "../io/host.js";
import type { MemoryLedger } from "../io/memory.js";
import type { ReadStatisticsListener } from "./read-statistics.js";

/** The settings as they are at the moment; those of a protocol in its own words. */
export interface MeterSettings extends COSEMSettings {
	readonly simulator: boolean;
}

/** Shows what goes on with the meter. */
export interface MeterLight {
	reading(on: boolean): void;
	/** A readout has come. */
	flash(): void;
}

export interface MeterDeps {
	readonly driver: Driver;
	readonly storage: Storage;
	readonly crypto: Crypto;
	readonly clock: Pick<Clock, "utcMs">;
	trace(message: string): void;
}

/** Has the line of the meter reader for a while. */
export interface LineBorrower {
	/** What a probe tries at the moment, as `meter_trying` of the API has it. */
	readonly trying?: string;
	/** Ends it; nobody is told. */
	stop(): void;
}

export interface MeterReaderOptions extends ReadStatisticsListener {
	readonly deps: MeterDeps;
	readonly port: SerialPort;
	readonly settings: MeterSettings;
	/** What a readout is promised of the machine's memory. */
	readonly ledger: MemoryLedger;
	readonly light?: MeterLight | undefined;
}
