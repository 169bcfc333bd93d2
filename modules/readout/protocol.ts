/**
 * Interface of a meter protocol: a row of meter/protocols.ts that opens sessions. A session is a machine connected to a
 * Link; its `readout` returns the result at EVENT_READOUT, EVENT_POOR or EVENT_END.
 */
import type { Crypto } from "../io/crypto.js";
import type { LineSettings, Storage } from "../io/host.js";
import type { Machine } from "../io/machine.js";
import type { Failure } from "./failure.js";
import type { Readout } from "./readout.js";
import type { RecordWriter } from "./record-writer.js";

/* Events of all sessions; protocols may add their own. */
/** The session has data that failed a check. They must not be kept as good, but are shown if nothing better follows. */
export const EVENT_POOR = 2;
/** Always the last event. */
export const EVENT_END = 3;
/** A readout from a meter that keeps sending unsolicited telegrams. */
export const EVENT_READOUT = 4;

export interface ReadSession extends Machine {
	readonly line: LineSettings;
	readonly anyFraming?: boolean;
	/**
	 * True while the session neither sends nor expects an answer, so that received data are unsolicited; default false.
	 */
	readonly isIdle?: boolean;
	/** Undefined at EVENT_END after success. */
	readonly failure: Failure | undefined;
	/** Called once at each of the events above. `utcMs` is 0 if the clock was never set. */
	readout(event: number, utcMs: number): Readout | undefined;
	/** Ends the session promptly; data received so far count as truncated. Has no effect after the end. */
	abort(nowMs: number): void;
	/**
	 * Called once after EVENT_END: stores what was learned, and returns the next session worth trying, if there is one.
	 */
	next?(quietMs: number, nowMs: number): ReadSession | undefined;
	/**
	 * Bytes that a log may show: a copy with the same offsets in which secrets are hidden; by default the array itself.
	 */
	shown?(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array;
}

/** A session that only checks for the meter. */
export interface Probing extends Machine, Pick<ReadSession, "line" | "anyFraming" | "isIdle" | "failure" | "abort"> {
	readonly meterId: Uint8Array;
	readonly received: number;
	/** Number of damaged characters; default 0, because an 8-bit line has no parity. */
	readonly damaged?: number;
	nextProbe?(nowMs: number): Probing;
}

/** Data stay in RAM between sessions, until a meter setting changes. */
export interface ProtocolMemory {
	kept: object | undefined;
	/** Negotiated speed, shared by all protocols with a sign-on. */
	speed: object | undefined;
	/** Probes in a row that have found nothing, and the failure of the last one. */
	missedProbes?: number;
	missedFailure?: Failure | undefined;
}

export interface ProfileRequest {
	/** Groups A to F. */
	readonly code: Uint8Array;
	/** 1 to ROWS_LIMIT: the latest ones, or those in `span`. */
	readonly entries: number;
	/** Undefined: the latest rows. */
	readonly span?: ProfileSpan | undefined;
}

/** Requested span of time, with both ends; the session fills in what it learns about the meter. */
export interface ProfileSpan {
	readonly from: ProfileMoment;
	readonly to: ProfileMoment;
	/** The meter's clock, as local seconds since 1970; NaN if it was not read. */
	clockS: number;
	/** Minutes from the clock's time to UTC; NaN if not sent. */
	clockDeviation: number;
	/** Season digit of the clock: 0 winter, 1 summer, 2 UTC; -1 if the meter does not send it. */
	clockSeason: number;
	/** Number of rows that the meter has; -1 if unknown. */
	rowsInMeter: number;
}

export interface ProfileMoment {
	readonly utcS: number;
	/** Seconds since 1970 in the meter's local time. */
	readonly localS: number;
	/** Season as in a time of P.01: 0 winter, 1 summer, 2 UTC. */
	readonly season: number;
}

export interface Opening<Settings> {
	readonly settings: Settings;
	readonly records: RecordWriter;
	readonly memory: ProtocolMemory;
	readonly storage: Storage;
	readonly crypto: Crypto;
	/** Silence before sending: the meter may still be in the previous session. */
	readonly quietMs: number;
	readonly nowMs: number;
	/** Profile to read instead of a readout; only for protocols with `hasProfiles`. */
	readonly profile?: ProfileRequest | undefined;
	readonly periodMs?: number;
	/** Objects of a live session, in the form of its protocol. */
	readonly live?: Uint8Array;
	/** Writes a line to the developer's log. `message` must not contain secrets. */
	trace(message: string): void;
}

/** A probe tries this protocol although another one is configured. */
export interface Suggestion<Settings> {
	/** Reported if the meter answers in this protocol. */
	readonly failure: Failure;
	readonly limitMs: number;
	/**
	 * True for a meter that only calls once in a while. After several probes have found nothing, one probe only listens
	 * for it.
	 */
	readonly calls?: true;
	probe(opening: Opening<Settings>): Probing;
}

export interface MeterProtocol<Settings> {
	/** Rows are checked in order; the last one accepts all settings unchecked. */
	isChosen(settings: Settings): boolean;
	/** Speed of unsolicited data, Bd. Without this method the gateway requests data. */
	listenBaud?(settings: Settings): number;
	/** Longest silence before a telegram while a probe listens, ms, if it is longer than usual. */
	readonly listenMs?: number;
	/** Failure that a caller gets after its time limit, for protocols that listen. */
	readonly late?: Failure;
	/** Shortest period of automatic readouts, minutes, for meters on battery; undefined: any period. */
	readonly restMinutes?: number;
	/** True if a profile is requested by its code rather than extracted from a readout. */
	readonly hasProfiles?: true;
	open(opening: Opening<Settings>): ReadSession;
	/**
	 * Every `periodMs`, reads the powers that the readout `last` contains, until `abort`, with EVENT_READOUT after each
	 * round. Returns undefined if `last` has no powers.
	 */
	openLive?(opening: Opening<Settings>, last: Readout, periodMs: number): ReadSession | undefined;
	/** Checks the position of the optical head. A session that listens ends with EVENT_READOUT, or by `abort`. */
	probe(opening: Opening<Settings>): Probing;
	forget?(settings: Settings): void;
	/** How a probe tries this protocol if it has received nothing in the configured one. */
	readonly suggestion?: Suggestion<Settings>;
	readonly simulate?: undefined;
}

/** A simulated meter, which needs no line and returns a readout at once. */
export interface SimulatedProtocol<Settings> {
	isChosen(settings: Settings): boolean;
	readonly listenBaud?: undefined;
	readonly listenMs?: undefined;
	readonly late?: undefined;
	readonly restMinutes?: undefined;
	readonly hasProfiles?: undefined;
	readonly openLive?: undefined;
	readonly forget?: undefined;
	readonly suggestion?: undefined;
	simulate(opening: Opening<Settings>, utcMs: number): Readout;
}

export type ProtocolRow<Settings> = MeterProtocol<Settings> | SimulatedProtocol<Settings>;
