/** Dependencies and settings of the meter reader and its protocols. */

import type { COSEMSettings } from "../cosem/settings.js";
import type { Crypto } from "../io/crypto.js";
import type { Driver } from "../io/driver.js";
import type { Clock, SerialPort, Storage } from "../io/host.js";
import type { MemoryLedger } from "../io/memory.js";
import type { MBusSettings } from "../mbus/protocol.js";
import type { SessionContext } from "../readout/protocol.js";
import type { ReadOutcomesListener } from "./outcomes.js";

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
	/** Number of characters that have come. */
	readonly light?: number;
	/** Makes the borrower give the line back soon. One without this method gives it back when it has finished. */
	release?(): void;
	/** Makes the borrower stop using the line. The borrower does not call back. */
	stop(): void;
}

/** Gives the line back. `freeMs`: time for which `isFree` stays false, ms; default 0. */
export type GiveBack = (freeMs?: number) => void;

/** Begins to use the line. Returns its borrower; undefined if it was given back already. */
export type Borrow = (
	driver: Driver,
	port: SerialPort,
	context: SessionContext<MeterSettings>,
	giveBack: GiveBack,
) => LineBorrower | undefined;

export interface MeterReaderOptions {
	readonly deps: MeterDeps;
	readonly port: SerialPort;
	readonly settings: MeterSettings;
	readonly ledger: MemoryLedger;
	readonly listener: ReadOutcomesListener;
	readonly light?: MeterLight | undefined;
	/** Age limit of momentary values that the gateway asks for, s; 0: none. */
	readonly freshness?: { readonly freshSecs: number };
}
