/**
 * What a meter protocol is to the meter reader: a row of one table (meter/protocols.ts), which knows when the settings
 * choose it and opens conversations. A conversation is a machine under a Link; when it says EVENT_READOUT, EVENT_POOR or
 * EVENT_END, `readout` is what it has. What comes of a failure, and what is remembered of the meter, it decides itself.
 */
import type { Crypto } from "../io/crypto.js";
import type { LineSettings, Storage } from "../io/host.js";
import type { Machine } from "../io/machine.js";
import type { Failure } from "./failure.js";
import type { Readout } from "./readout.js";
import type { RecordWriter } from "./record-writer.js";

/** Events of all conversations; what else one tells is its own. */
/** Something was read that must not be kept as good: it is shown when nothing better comes. */
export const EVENT_POOR = 2;
/** It is over. The last event. */
export const EVENT_END = 3;
/** A readout; the meter sends more of them by itself. */
export const EVENT_READOUT = 4;

export interface Conversation extends Machine {
	/** The line as it is opened. */
	readonly line: LineSettings;
	/** The meter frames 7E1 or 8N1, as it likes. Default false. */
	readonly anyFraming?: boolean;
	/** It neither sends nor awaits an answer now: what arrives is no answer to a question of its own. Default false. */
	readonly isIdle?: boolean;
	/** Why it failed, or why EVENT_POOR; undefined at EVENT_END: all went well. */
	readonly failure: Failure | undefined;
	/** What was read, asked for once at each EVENT_… of these; `utcMs` is 0 when the clock was never set. */
	readout(event: number, utcMs: number): Readout | undefined;
	/** Ends it soon, for the owner's reasons; what came so far is kept and counts as cut. After the end: nothing. */
	abort(nowMs: number): void;
	/**
	 * Asked once after EVENT_END: remembers what was learned of the meter, and gives the conversation that is worth trying
	 * next, if one is. `quietMs`: as in Opening. Without it there is never one.
	 */
	next?(quietMs: number, nowMs: number): Conversation | undefined;
	/** The piece `bytes[start..end)` of the line as a log may show it: itself, or a copy up to its end. Default: itself. */
	shown?(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array;
}

/** A conversation that only finds out whether the meter is there. */
export interface Probing extends Machine, Pick<Conversation, "line" | "anyFraming" | "isIdle" | "failure" | "abort"> {
	/** What the meter calls itself, ASCII; empty if it has not. */
	readonly meterId: Uint8Array;
	/** Characters received, and those of them that were damaged. Default 0: a line of eight bits shows no damage. */
	readonly received: number;
	readonly damaged?: number;
	/** Asked once after it has failed: what else may find the meter. */
	nextProbe?(nowMs: number): Probing;
}

/** What stays in RAM from one conversation to the next, until the owner changes a setting of the meter. */
export interface ProtocolMemory {
	kept: object | undefined;
	/** What was learned of the speed to agree on, by all protocols that begin with a sign-on. */
	speed: object | undefined;
}

/** Which load profile is asked for, in place of a readout, and how much of it. */
export interface ProfileRequest {
	/** A to F of its code. */
	readonly code: Uint8Array;
	/** So many of its last rows; 1 to ROWS_LIMIT. */
	readonly entries: number;
}

/** What a conversation is opened with. */
export interface Opening<Settings> {
	/** As they are at the moment. */
	readonly settings: Settings;
	/** Where the records go. */
	readonly records: RecordWriter;
	readonly memory: ProtocolMemory;
	readonly storage: Storage;
	readonly crypto: Crypto;
	/** Silence to wait for first, ms: the meter may still be in the conversation before. */
	readonly quietMs: number;
	readonly nowMs: number;
	/** Only given to protocols with `asksForProfiles`: to be read, and nothing else. */
	readonly profile?: ProfileRequest | undefined;
	/** A line for the developer's log; never a secret. */
	trace(message: string): void;
}

export interface MeterProtocol<Settings> {
	/** The settings choose this one. The rows of the table are asked in their order; the last one need not be. */
	isChosen(settings: Settings): boolean;
	/** The speed at which it listens to a meter that sends by itself, Bd. Without it the meter is asked. */
	listenBaud?(settings: Settings): number;
	/** For one that listens: the failure of a caller whose time is over. */
	readonly late?: Failure;
	/** A profile is asked for by its name. Without it a profile is what a readout has of it. */
	readonly asksForProfiles?: true;
	open(opening: Opening<Settings>): Conversation;
	/**
	 * Finds out whether the head sits well, without reading. One that listens ends by EVENT_READOUT, or is aborted.
	 */
	probe(opening: Opening<Settings>): Probing;
	/** Forgets what was learned of the meter. */
	forget?(settings: Settings): void;
	readonly simulate?: undefined;
}

/** A row in place of a protocol, that needs no line: a readout is there at once. */
export interface SimulatedProtocol<Settings> {
	isChosen(settings: Settings): boolean;
	readonly listenBaud?: undefined;
	readonly late?: undefined;
	readonly asksForProfiles?: undefined;
	readonly forget?: undefined;
	simulate(opening: Opening<Settings>, utcMs: number): Readout;
}

/** A row of the table. */
export type ProtocolRow<Settings> = MeterProtocol<Settings> | SimulatedProtocol<Settings>;
