/** Dependencies and settings of the meter reader and its protocols. */

import type { COSEMSettings } from "../cosem/settings.js";
import type { Crypto } from "../io/crypto.js";
import type { Driver } from "../io/driver.js";
import type { Clock, SerialPort, Storage } from "../io/host.js";
import type { MemoryLedger } from "../io/memory.js";
import type { MBusSettings } from "../mbus/protocol.js";
import type { Failure } from "../readout/failure.js";
import type { ReadStatisticsListener } from "./read-statistics.js";

export interface MeterSettings extends COSEMSettings, MBusSettings {
	readonly simulator: boolean;
	/** True if a line is low when idle, unless the board inverts it. */
	readonly rxInverted: boolean;
	readonly txInverted: boolean;
	/** GPIOs of the lines; -1: those of the board. */
	readonly rxPin: number;
	readonly txPin: number;
}

export interface MeterLight {
	reading(on: boolean): void;
	flash(): void;
}

export interface MeterDeps {
	readonly driver: Driver;
	readonly storage: Storage;
	readonly crypto: Crypto;
	readonly clock: Pick<Clock, "utcMs">;
	trace(message: string): void;
}

export interface LineBorrower {
	readonly trying?: string;
	/** Makes the borrower stop using the line. The borrower does not call back. */
	stop(): void;
}

export interface LiveListener {
	/** Called after each round of live values. `failure` is defined if the meter or the line has ended the session. */
	onRound(failure: Failure | undefined, nowMs: number): void;
}

export interface MeterReaderOptions extends ReadStatisticsListener {
	readonly deps: MeterDeps;
	readonly port: SerialPort;
	readonly settings: MeterSettings;
	readonly ledger: MemoryLedger;
	readonly light?: MeterLight | undefined;
	/** Age limit of momentary values that the gateway asks for, s; 0: none. */
	readonly freshness?: { readonly freshSecs: number };
}
