/**
 * Interface of a meter protocol for the meter reader: a row of the table in meter/protocols.ts, which knows whether the
 * settings select it and opens sessions. A session is a machine connected to a Link. At EVENT_READOUT, EVENT_POOR or
 * EVENT_END its `readout` returns the result. The session decides how to react to a failure and which facts about the meter
 * to remember.
 */
import type { Crypto } from "../io/crypto.js";
import type { LineSettings, Storage } from "../io/host.js";
import type { Machine } from "../io/machine.js";
import type { Failure } from "./failure.js";
import type { Readout } from "./readout.js";
import type { RecordWriter } from "./record-writer.js";

/** Events of all sessions; each protocol may add its own. */
/** Data was read that must not be kept as good; it is shown if nothing better follows. */
export const EVENT_POOR = 2;
/** The session has ended. Always the last event. */
export const EVENT_END = 3;
/** A readout arrived from a meter that keeps sending unsolicited. */
export const EVENT_READOUT = 4;

export interface ReadSession extends Machine {
	readonly line: LineSettings;
	/** True if the meter may use either 7E1 or 8N1. Default false. */
	readonly anyFraming?: boolean;
	/** True while the session neither sends nor expects an answer, so that received data is unsolicited. Default false. */
	readonly isIdle?: boolean;
	/** Reason for the failure or for EVENT_POOR; undefined at EVENT_END after success. */
	readonly failure: Failure | undefined;
	/** Returns the data read; called once at each of these events. `utcMs` is 0 if the clock was never set. */
	readout(event: number, utcMs: number): Readout | undefined;
	/**
	 * Ends the session promptly at the caller's request; data received so far is kept and counts as truncated. No effect
	 * after the end.
	 */
	abort(nowMs: number): void;
	/**
	 * Called once after EVENT_END. Stores what was learned about the meter, and returns the next session worth trying, if
	 * any. `quietMs`: as in Opening. Without this method there is no next session.
	 */
	next?(quietMs: number, nowMs: number): ReadSession | undefined;
	/**
	 * Returns the bytes that a log may show for `bytes[start..end)`: the array itself, or a copy with the same offsets and
	 * hidden secrets. Default: the array itself.
	 */
	shown?(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array;
}

/** Session that only checks whether the meter is there. */
export interface Probing extends Machine, Pick<ReadSession, "line" | "anyFraming" | "isIdle" | "failure" | "abort"> {
	/** Identification of the meter, ASCII; empty if unknown. */
	readonly meterId: Uint8Array;
	/** Number of characters received; `damaged`: damaged ones. Default 0, because an 8-bit line has no parity to check. */
	readonly received: number;
	readonly damaged?: number;
	/** Called once after a failure; returns the next probe to try. */
	nextProbe?(nowMs: number): Probing;
}

/** Data kept in RAM between sessions, until a setting of the meter changes. */
export interface ProtocolMemory {
	kept: object | undefined;
	/** Results of speed negotiation, shared by all protocols that begin with a sign-on. */
	speed: object | undefined;
}

/** Request for a load profile instead of a readout. */
export interface ProfileRequest {
	/** Groups A to F of its code. */
	readonly code: Uint8Array;
	/** Number of latest rows to read, 1 to ROWS_LIMIT. */
	readonly entries: number;
}

export interface Opening<Settings> {
	readonly settings: Settings;
	readonly records: RecordWriter;
	readonly memory: ProtocolMemory;
	readonly storage: Storage;
	readonly crypto: Crypto;
	/** Initial silence to wait for, ms: the meter may still be in the previous session. */
	readonly quietMs: number;
	readonly nowMs: number;
	/** Profile to read instead of a readout; only given to protocols with `asksForProfiles`. */
	readonly profile?: ProfileRequest | undefined;
	/** Writes a line to the developer's log; must not contain secrets. */
	trace(message: string): void;
}

export interface MeterProtocol<Settings> {
	/**
	 * Tells whether the settings select this protocol. The rows are checked in order; the last row accepts all settings and
	 * is not checked.
	 */
	isChosen(settings: Settings): boolean;
	/** Returns the speed for listening to unsolicited data, Bd. Without this method the meter is polled. */
	listenBaud?(settings: Settings): number;
	/** For protocols that listen: failure reported to a caller after its time limit. */
	readonly late?: Failure;
	/** True if a profile is requested by its code. Otherwise a profile is extracted from a readout. */
	readonly asksForProfiles?: true;
	open(opening: Opening<Settings>): ReadSession;
	/** Checks the position of the optical head without reading. A listening probe ends with EVENT_READOUT or by `abort`. */
	probe(opening: Opening<Settings>): Probing;
	/** Forgets what was learned about the meter. */
	forget?(settings: Settings): void;
	readonly simulate?: undefined;
}

/** Row of a simulated meter: needs no line and returns a readout at once. */
export interface SimulatedProtocol<Settings> {
	isChosen(settings: Settings): boolean;
	readonly listenBaud?: undefined;
	readonly late?: undefined;
	readonly asksForProfiles?: undefined;
	readonly forget?: undefined;
	simulate(opening: Opening<Settings>, utcMs: number): Readout;
}

export type ProtocolRow<Settings> = MeterProtocol<Settings> | SimulatedProtocol<Settings>;
