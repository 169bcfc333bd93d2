/**
 * Interface of a meter protocol: a row of meter/protocols.ts that opens sessions. A session is a machine connected to a
 * Link; its `readout` returns the result at EVENT_READOUT, EVENT_POOR or EVENT_END. It decides how to react to a
 * failure and what to remember about the meter.
 */
import type { Crypto } from "../io/crypto.js";
import type { LineSettings, Storage } from "../io/host.js";
import type { Machine } from "../io/machine.js";
import type { Failure } from "./failure.js";
import type { Readout } from "./readout.js";
import type { RecordWriter } from "./record-writer.js";

/** Events of all sessions; protocols may add their own. */
/** Data that must not be kept as good; shown if nothing better follows. */
export const EVENT_POOR = 2;
/** End of the session, always the last event. */
export const EVENT_END = 3;
/** Readout from a meter that keeps sending unsolicited. */
export const EVENT_READOUT = 4;

export interface ReadSession extends Machine {
	readonly line: LineSettings;
	/** True if the meter may use either 7E1 or 8N1; default false. */
	readonly anyFraming?: boolean;
	/**
	 * True while the session neither sends nor expects an answer, so that received data is unsolicited; default false.
	 */
	readonly isIdle?: boolean;
	/** Reason for the failure or for EVENT_POOR; undefined at EVENT_END after success. */
	readonly failure: Failure | undefined;
	/** Returns the data; called once at each of these events. `utcMs`: 0 if the clock was never set. */
	readout(event: number, utcMs: number): Readout | undefined;
	/** Ends the session promptly; data received so far counts as truncated. No effect after the end. */
	abort(nowMs: number): void;
	/**
	 * Called once after EVENT_END: stores what was learned, and returns the next session worth trying, if any. `quietMs`:
	 * as in Opening.
	 */
	next?(quietMs: number, nowMs: number): ReadSession | undefined;
	/**
	 * Returns the bytes that a log may show for `bytes[start..end)`: the array itself (default), or a copy with the same
	 * offsets and hidden secrets.
	 */
	shown?(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array;
}

/** Session that only checks for the meter. */
export interface Probing extends Machine, Pick<ReadSession, "line" | "anyFraming" | "isIdle" | "failure" | "abort"> {
	/** ASCII; empty if unknown. */
	readonly meterId: Uint8Array;
	/** Numbers of received and of damaged characters. Default 0: an 8-bit line has no parity. */
	readonly received: number;
	readonly damaged?: number;
	/** Called once after a failure; returns the next probe. */
	nextProbe?(nowMs: number): Probing;
}

/** Data kept in RAM between sessions until a meter setting changes. */
export interface ProtocolMemory {
	kept: object | undefined;
	/** Negotiated speed, shared by all protocols with a sign-on. */
	speed: object | undefined;
}

export interface ProfileRequest {
	/** Groups A to F of the code. */
	readonly code: Uint8Array;
	/** Number of latest rows, 1 to ROWS_LIMIT. */
	readonly entries: number;
}

export interface Opening<Settings> {
	readonly settings: Settings;
	readonly records: RecordWriter;
	readonly memory: ProtocolMemory;
	readonly storage: Storage;
	readonly crypto: Crypto;
	/** Silence to wait for, ms: the meter may still be in the previous session. */
	readonly quietMs: number;
	readonly nowMs: number;
	/** Profile to read instead; only for protocols with `asksForProfiles`. */
	readonly profile?: ProfileRequest | undefined;
	/** Writes to the developer's log; no secrets. */
	trace(message: string): void;
}

export interface MeterProtocol<Settings> {
	/** True if the settings select this protocol. Rows are checked in order; the last accepts all settings unchecked. */
	isChosen(settings: Settings): boolean;
	/** Returns the speed of unsolicited data, Bd. Without this method the gateway requests data. */
	listenBaud?(settings: Settings): number;
	/** Failure of a caller after its time limit, for protocols that listen. */
	readonly late?: Failure;
	/** True if a profile is requested by its code rather than extracted from a readout. */
	readonly asksForProfiles?: true;
	open(opening: Opening<Settings>): ReadSession;
	/** Checks the position of the optical head. A listening probe ends with EVENT_READOUT or by `abort`. */
	probe(opening: Opening<Settings>): Probing;
	/** Forgets what was learned about the meter. */
	forget?(settings: Settings): void;
	readonly simulate?: undefined;
}

/** Simulated meter: needs no line and returns a readout at once. */
export interface SimulatedProtocol<Settings> {
	isChosen(settings: Settings): boolean;
	readonly listenBaud?: undefined;
	readonly late?: undefined;
	readonly asksForProfiles?: undefined;
	readonly forget?: undefined;
	simulate(opening: Opening<Settings>, utcMs: number): Readout;
}

export type ProtocolRow<Settings> = MeterProtocol<Settings> | SimulatedProtocol<Settings>;
