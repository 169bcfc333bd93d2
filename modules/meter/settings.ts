/** What the meter reader is given: its world, and the settings that it goes by. */
import type { Crypto, SerialPort, Storage } from "../io/host.js";
import type { LinkWorld } from "../io/link.js";
import type { DLMSSettings } from "./dlms-settings.js";

/** The settings the reader goes by, as they are at the moment. */
export interface MeterSettings {
	readonly modeD: boolean;
	readonly modeDBaud: number;
	readonly baudMax: number;
	readonly battery: boolean;
	/** ASCII. */
	readonly deviceAddress: Uint8Array;
	readonly simulator: boolean;
	/** The protocol is DLMS/COSEM. */
	readonly isDLMS: boolean;
	/** It is not, but the meter's mode E is taken up. */
	readonly handsOver: boolean;
	readonly dlms: DLMSSettings;
	/** The remembered lower speed, Bd (0: none), and the identification of the meter it is for. */
	readonly learnedBaud: number;
	readonly learnedFor: Uint8Array;
	/** Remembers a lower speed for a meter, printable ASCII; 0 forgets it. */
	learn(baud: number, meterId: Uint8Array): void;
}

/** Shows what goes on with the meter. */
export interface MeterLight {
	reading(on: boolean): void;
	/** A readout has come. */
	flash(): void;
}

export interface MeterWorld extends LinkWorld {
	readonly storage: Storage;
	readonly crypto: Crypto;
}

export interface MeterReaderOptions {
	readonly world: MeterWorld;
	readonly port: SerialPort;
	readonly settings: MeterSettings;
	readonly light?: MeterLight | undefined;
	trace(message: string): void;
}
