/**
 * Interface of a meter protocol. A protocol is an entry of the table in meter/protocols.ts, and opens sessions. A
 * session is a machine that is connected to a Link. Its `readout` returns the result at EVENT_READOUT, EVENT_POOR or
 * EVENT_END.
 */
import type { Crypto } from "../io/crypto.js";
import type { Storage } from "../io/host.js";
import type { LinkMachine } from "../io/machine.js";
import type { Failure } from "./failure.js";
import type { Readout } from "./readout.js";
import type { RecordWriter } from "./record-writer.js";

/* Events of all sessions; a protocol may add others. */
/**
 * The session has data that failed a check. They are never kept as a good readout, but they are shown if nothing better
 * follows.
 */
export const EVENT_POOR = 2;
/** Always the last event. */
export const EVENT_END = 3;
/** A readout is complete, and the session continues, because the meter sends unsolicited telegrams. */
export const EVENT_READOUT = 4;

export interface ReadSession extends LinkMachine {
	/**
	 * True while the session neither sends nor expects an answer, so that any received data are unsolicited; default
	 * false.
	 */
	readonly isIdle?: boolean;
	/** Reason for the end of the session. It is undefined at EVENT_END after a success. */
	readonly failure: Failure | undefined;
	/** Called once at each of the events above. `utcMs` is 0 if the clock was never set. */
	readout(event: number, utcMs: number): Readout | undefined;
	/** Ends the session soon. Data received before count as truncated. It has no effect after the end. */
	abort(nowMs: number): void;
	/**
	 * Called once after EVENT_END. It stores what the session has learned about the meter, and returns another session if
	 * that is worth trying.
	 */
	next?(quietMs: number, nowMs: number): ReadSession | undefined;
}

/** A session that only checks whether the meter answers. */
export interface Probing extends LinkMachine, Pick<ReadSession, "isIdle" | "failure" | "abort"> {
	readonly meterId: Uint8Array;
	readonly received: number;
	/** Number of damaged characters; default 0, because no damage is detected on a line without parity. */
	readonly damaged?: number;
	nextProbe?(nowMs: number): Probing;
}

/** Data that stay in RAM between sessions, until a meter setting changes. */
export interface ProtocolMemory {
	kept: object | undefined;
	/** Negotiated speed, which all protocols with a sign-on share. */
	speed: object | undefined;
	/** Number of probes in a row that have found nothing, and failure of the last one. */
	missedProbes?: number;
	missedFailure?: Failure | undefined;
}

export interface ProfileRequest {
	/** Groups A to F of the profile's OBIS code. */
	readonly code: Uint8Array;
	/** Number of rows to read, 1 to ROWS_LIMIT: the latest ones, or those in `span`. */
	readonly entries: number;
	/** Span of time; undefined: the latest rows are read. */
	readonly span?: ProfileSpan | undefined;
}

/** Span of time to read, including both ends. The session fills in the members that describe the meter. */
export interface ProfileSpan {
	readonly from: ProfileMoment;
	readonly to: ProfileMoment;
	/** The meter's clock, as local seconds since 1970; NaN if it was not read. */
	clockS: number;
	/** Minutes from the clock's time to UTC; NaN if the meter did not send them. */
	clockDeviation: number;
	/** Season digit of the clock: 0 winter, 1 summer, 2 UTC; -1 if the meter does not send it. */
	clockSeason: number;
	/** Number of rows that the meter has stored; -1 if unknown. */
	rowsInMeter: number;
}

export interface ProfileMoment {
	readonly utcS: number;
	/** Seconds since 1970 in the meter's local time. */
	readonly localS: number;
	/** Season digit as in a time of P.01: 0 winter, 1 summer, 2 UTC. */
	readonly season: number;
}

export interface SessionContext<Settings> {
	readonly settings: Settings;
	readonly records: RecordWriter;
	readonly memory: ProtocolMemory;
	readonly storage: Storage;
	readonly crypto: Crypto;
	/** Silence before the first request, ms, because the meter may not have ended the previous session yet. */
	readonly quietMs: number;
	readonly nowMs: number;
	/** Load profile to read instead of a readout. Only protocols with `hasProfiles` get one. */
	readonly profile?: ProfileRequest | undefined;
	readonly periodMs?: number;
	/** Objects to read in a live session, in a form that the protocol defines. */
	readonly live?: Uint8Array;
	/** Writes a line to the developer's log. `message` must not contain secrets. */
	trace(message: string): void;
}

/** Probe that tries this protocol although another one is configured. */
export interface Suggestion<Settings> {
	/** Failure to report if the meter answers in this protocol. */
	readonly failure: Failure;
	readonly limitMs: number;
	/**
	 * True for a meter that only calls from time to time. After several probes have found nothing, the next probe only
	 * listens for a call.
	 */
	readonly calls?: true;
	probe(context: SessionContext<Settings>): Probing;
}

export interface MeterProtocol<Settings> {
	/** Value of the setting `protocol`. Entries that share a name differ in `isChosen`. */
	readonly name: string;
	/**
	 * Returns true if the settings choose this entry; without this method, its name does. The entries are asked in order;
	 * the last one accepts all settings without being asked.
	 */
	isChosen?(settings: Settings): boolean;
	/** Returns the speed of unsolicited data, Bd. A protocol without this method requests data. */
	listenBaud?(settings: Settings): number;
	/** Longest silence before a telegram while a probe listens, ms; only present if it is longer than usual. */
	readonly listenMs?: number;
	/** Failure that a caller gets if no telegram arrives in time. Only protocols that listen have it. */
	readonly late?: Failure;
	/** Shortest permitted period of automatic readouts, minutes, for meters with a battery; undefined: any period. */
	readonly restMinutes?: number;
	/** True if a load profile is requested by its code, and not extracted from a readout. */
	readonly hasProfiles?: true;
	open(context: SessionContext<Settings>): ReadSession;
	/**
	 * Opens a session that reads the powers in the readout `last` every `periodMs`, until `abort`. It reports
	 * EVENT_READOUT after each round. Returns undefined if `last` has no powers.
	 */
	openLive?(context: SessionContext<Settings>, last: Readout, periodMs: number): ReadSession | undefined;
	/**
	 * Opens a session that checks the position of the optical head. A session that listens ends at EVENT_READOUT or
	 * `abort`.
	 */
	probe(context: SessionContext<Settings>): Probing;
	forget?(settings: Settings): void;
	/** Probe that tries this protocol if nothing was received in the configured one. */
	readonly suggestion?: Suggestion<Settings>;
	readonly simulate?: undefined;
}

/** Entry of a simulated meter. It needs no line, and returns a readout immediately. */
export interface SimulatedProtocol<Settings> {
	readonly name?: undefined;
	isChosen(settings: Settings): boolean;
	readonly listenBaud?: undefined;
	readonly listenMs?: undefined;
	readonly late?: undefined;
	readonly restMinutes?: undefined;
	readonly hasProfiles?: undefined;
	readonly openLive?: undefined;
	readonly forget?: undefined;
	readonly suggestion?: undefined;
	simulate(context: SessionContext<Settings>, utcMs: number): Readout;
}

export type ProtocolRow<Settings> = MeterProtocol<Settings> | SimulatedProtocol<Settings>;
