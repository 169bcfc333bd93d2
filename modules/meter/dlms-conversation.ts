/**
 * One readout in DLMS/COSEM, from the first character on the line to the last, as one machine under a Link that was
 * opened at 300 Bd in 7E1 (IEC 62056-21, annex E; IEC 62056-46; IEC 62056-53). The meter reader starts it and takes its
 * end, as it does with a MeterSession.
 *
 *   opening   the sign-on of IEC 62056-21 and the hand-over to HDLC (mode E), or HDLC at a fixed speed
 *   counter   an association as the public client that reads the invocation counter, where ciphering needs one that is
 *             not known, or once when the meter seems to refuse ours
 *   reading   the association of the settings, and the list of objects
 *
 * After a failure all of it is repeated, ATTEMPTS at most: with DISC in front where the meter may still hold a
 * connection, at a lower speed where the speed may be to blame, by the other opening where that is to be found out, one
 * attribute a request where the meter fell silent on several. `failure` is that of the attempt that came furthest.
 *
 * Events are those of the sign-on (EVENT_END is the last), and EVENT_CUT: what was read of a list is kept by the writer.
 */
import { MECHANISM_HIGH_GMAC, MECHANISM_LOW, MECHANISM_NONE } from "../dlms/aarq.js";
import { type Cipher, KEY_LENGTH } from "../dlms/cipher.js";
import { CounterSink, counterList } from "../dlms/counter.js";
import { DLMS_COUNTER } from "../dlms/failures.js";
import { pollListOf } from "../dlms/poll-list.js";
import { Reading } from "../dlms/reading.js";
import { ScalerCache } from "../dlms/scaler-cache.js";
import { EVENT_END as EVENT_DISCONNECTED } from "../hdlc/events.js";
import { HDLC_DISCONNECTED, HDLC_LOST, isLostAfterSignOn } from "../hdlc/failures.js";
import { IEC_CUT } from "../iec62056-21/failures.js";
import { BASE_BAUD, baudNumber, baudOf } from "../iec62056-21/ident.js";
import {
	EVENT_END,
	HAND_OVER_ALWAYS,
	HAND_OVER_ANNOUNCED,
	type MeterSession,
	OUTCOME_HAND_OVER,
} from "../iec62056-21/session.js";
import { FORMAT_7E1, FORMAT_8N1, type SerialFormat } from "../io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, type Output } from "../io/machine.js";
import { type Failure, furthest, PROGRESS_HEARD } from "../readout/failure.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { InvocationCounters, makeCipher } from "./dlms-counters.js";
import { DLMSOpening } from "./dlms-opening.js";
import { DLMSRecords } from "./dlms-records.js";
import { DLMSSession, SESSION_BUFFER } from "./dlms-session.js";
import { AUTH_HIGH_GMAC, AUTH_LOW, OPENING_AUTO, OPENING_DIRECT, OPENING_MODE_E } from "./dlms-settings.js";
import { FAILURE_NO_MODE_E, FAILURE_UNANSWERED, mayBeCounter } from "./failures.js";
import type { MeterSettings, MeterWorld } from "./settings.js";

/** What was read before the meter fell silent is kept by the writer. */
export const EVENT_CUT = 100;

const ATTEMPTS = 4;
/** Between two attempts, with or without a sign-on: a meter needs a second after DISC. */
const PAUSE_MS = 1000;
const QUIET_MS = 2000;
/** Client address of who may read without being known. */
const PUBLIC_CLIENT = 16;

export interface ConversationOptions {
	readonly settings: MeterSettings;
	readonly world: MeterWorld;
	/** Where the values go; also those of a block, where there is no hand-over. */
	readonly writer: RecordWriter;
	/** Of the objects of the settings. */
	readonly cache: ScalerCache;
	/** `protocol` is iec62056: hand over only if the meter announces it. */
	readonly isOffered: boolean;
	readonly baudCeiling: number;
	/** Silence before the sign-on, ms. */
	readonly quietMs: number;
}

export class DLMSConversation implements Machine {
	/** The sign-on, while it goes on; after the end, if there was no hand-over. */
	session: MeterSession | undefined;
	/** Of the attempt that came furthest, if all failed. Final with EVENT_END. */
	failure: Failure | undefined;
	/** Identification of the sign-on without `/`; empty without one. */
	ident: Uint8Array = new Uint8Array(0);
	/** Opening of the attempt; OPENING_DIRECT or OPENING_MODE_E. */
	opening: number;
	/** Speed of HDLC, Bd. */
	baud = 0;
	/** The meter took an HDLC connection. */
	connected = false;
	records: DLMSRecords | undefined;
	readonly #options: ConversationOptions;
	readonly #buffer: Uint8Array;
	readonly #output: Output;
	#counters: InvocationCounters | undefined;
	/** What is going on, one of the two; in a pause none. */
	#opening: DLMSOpening | undefined;
	#talk: DLMSSession | undefined;
	#reading: Reading | undefined;
	#cipher: Cipher | undefined;
	/** The talk is about the invocation counter. */
	#counterSink: CounterSink | undefined;
	#counterAsked = false;
	/** Why the counter is asked for in the middle, if it is. */
	#suspicion: Failure | undefined;
	#nowMs: number;
	/** When the pause is over. */
	#pauseEndsMs = 0;
	#attempts = 0;
	#aborted = false;
	#baudCeiling: number;
	#listing = true;
	/** Objects read in the best attempt that failed. */
	#kept = 0;
	/** The meter may hold a connection of ours. */
	#releaseFirst = false;
	/** The meter's identification announced mode E. */
	#isAnnounced = false;
	/** It has shown that it has none. */
	#lacksModeE = false;
	/** The connection before was on the same line: the meter may have left HDLC since. */
	#follows = false;
	/** The line as it is, and as it is to be. */
	#lineBaud = BASE_BAUD;
	#lineFormat: SerialFormat = FORMAT_7E1;
	#nextBaud = BASE_BAUD;
	#nextFormat: SerialFormat = FORMAT_7E1;
	/** Event to be told; 0: none. */
	#event = 0;
	#ended = false;
	#endTold = false;

	/** Begins when it is advanced: who asks for a readout has used up too much of the stack for all that is made then. */
	constructor(options: ConversationOptions, nowMs: number) {
		this.#options = options;
		this.#nowMs = this.#pauseEndsMs = nowMs;
		this.#baudCeiling = options.baudCeiling;
		this.#buffer = new Uint8Array(SESSION_BUFFER);
		const bytes = this.#buffer;
		this.#output = { kind: OUTPUT_NONE, bytes, start: 0, end: 0, baud: 0, format: FORMAT_7E1, code: 0 };
		const { opening, learnedOpening } = options.settings.dlms;
		this.opening = opening === OPENING_AUTO && learnedOpening !== OPENING_AUTO ? learnedOpening : opening;
		if (options.isOffered || this.opening === OPENING_AUTO) this.opening = OPENING_MODE_E;
	}

	private get isKeyed(): boolean {
		const { ciphered, auth } = this.#options.settings.dlms;
		return ciphered || auth === AUTH_HIGH_GMAC;
	}

	get deadlineMs(): number {
		if (this.#ended) return Number.POSITIVE_INFINITY;
		return this.machine?.deadlineMs ?? this.#pauseEndsMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#nowMs = nowMs;
		this.machine?.receive(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		this.#nowMs = nowMs;
		const { machine } = this;
		if (machine !== undefined) machine.advance(nowMs);
		else if (!this.#ended && nowMs >= this.#pauseEndsMs) this.open();
	}

	poll(): Output {
		for (;;) {
			if (this.#event !== 0) return this.tell();
			if (this.#nextBaud !== this.#lineBaud || this.#nextFormat !== this.#lineFormat) return this.changeLine();
			const machine = this.machine;
			if (machine === undefined) break;
			const inner = machine.poll();
			if (inner.kind === OUTPUT_LINE) this.noteLine(inner.baud, inner.format);
			if (inner.kind !== OUTPUT_EVENT) return inner;
			if (this.#talk === undefined) {
				if (inner.code !== EVENT_END) return inner;
				this.signedOn();
			} else if (inner.code === EVENT_DISCONNECTED) this.talked();
			else this.#talk.goOn(inner.code);
		}
		this.#output.kind = OUTPUT_NONE;
		return this.#output;
	}

	/** Something was deciphered that could not be checked, for want of the authentication key. */
	get unchecked(): boolean {
		return this.#cipher?.unchecked === true;
	}

	/** Ends it now, for the owner's reasons; what came so far is kept and counts as cut. */
	abort(nowMs: number): void {
		this.#nowMs = nowMs;
		this.#aborted = true;
		if (this.#ended) return;
		if (this.#talk !== undefined) this.#talk.disconnect(nowMs);
		else if (this.#opening !== undefined) this.#opening.abort();
		else this.end(this.failure ?? HDLC_LOST);
	}

	/** The piece `bytes[start..end)` of the line as a log may show it: itself, or a copy up to its end. */
	shown(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
		return this.#talk?.shown(direction, bytes, start, end) ?? bytes;
	}

	private get machine(): Machine | undefined {
		return this.#talk ?? this.#opening;
	}

	private tell(): Output {
		const output = this.#output;
		output.kind = OUTPUT_EVENT;
		output.code = this.#event;
		this.#event = 0;
		if (this.#ended && !this.#endTold) {
			if (output.code === EVENT_END) this.#endTold = true;
			else this.#event = EVENT_END;
		}
		return output;
	}

	private changeLine(): Output {
		const output = this.#output;
		output.kind = OUTPUT_LINE;
		output.baud = this.#nextBaud;
		output.format = this.#nextFormat;
		this.noteLine(output.baud, output.format);
		return output;
	}

	private noteLine(baud: number, format: SerialFormat): void {
		this.#lineBaud = this.#nextBaud = baud;
		this.#lineFormat = this.#nextFormat = format;
	}

	/** Begins an attempt. */
	private open(): void {
		const { settings, isOffered, writer, quietMs } = this.#options;
		this.#follows = false;
		this.#talk = undefined;
		// After a sign-on there is none, and some meters would leave HDLC again.
		this.#releaseFirst = this.opening === OPENING_DIRECT && this.#attempts > 0;
		if (this.opening === OPENING_DIRECT) {
			this.ident = new Uint8Array(0);
			this.baud = this.#nextBaud = settings.dlms.directBaud;
			this.#nextFormat = FORMAT_8N1;
			this.converse();
			return;
		}
		this.#nextBaud = BASE_BAUD;
		this.#nextFormat = FORMAT_7E1;
		const options = {
			sink: writer,
			address: settings.deviceAddress,
			battery: settings.battery,
			baudCeiling: this.#baudCeiling,
			identOnly: false,
			quietMs: this.#attempts === 0 ? quietMs : QUIET_MS,
			handOver: isOffered ? HAND_OVER_ANNOUNCED : HAND_OVER_ALWAYS,
		};
		this.#opening = new DLMSOpening(options, this.#nowMs);
		this.session = this.#opening.session;
	}

	/** The sign-on has come to its end. */
	private signedOn(): void {
		const { session } = this;
		const failure = this.#opening?.failure;
		this.#opening = undefined;
		if (session === undefined) return;
		const isHandedOver = session.outcome === OUTCOME_HAND_OVER;
		if (isHandedOver && failure === undefined && !this.#aborted) {
			this.ident = session.ident.copy();
			this.#isAnnounced = session.ident.announcesModeE;
			this.baud = session.baud;
			this.session = undefined;
			this.converse();
		} else if (this.#options.isOffered && !isHandedOver) this.end(session.failure);
		else {
			this.session = undefined;
			// A sign-on that nothing came of is an attempt, too.
			this.#attempts++;
			this.failed(failure ?? IEC_CUT);
		}
	}

	/** The line stands at HDLC's speed: what is to be talked about? */
	private converse(): void {
		const { settings, world } = this.#options;
		const { encryptionKey, title } = settings.dlms;
		if (this.isKeyed && encryptionKey.length === KEY_LENGTH)
			this.#counters ??= new InvocationCounters(world.storage, world.crypto, encryptionKey, title);
		const counters = this.#counters;
		this.#attempts++;
		if (counters !== undefined && !counters.known && !this.#counterAsked) this.askCounter();
		else this.read();
	}

	/** Reads the invocation counter as the public client. */
	private askCounter(): void {
		this.#counterAsked = true;
		const sink = new CounterSink();
		const list = counterList();
		const cache = new ScalerCache(list[0]);
		const reading = new Reading({ list, cache, sink, listing: false, named: false, swappedDeviation: false });
		this.#counterSink = sink;
		this.talk(PUBLIC_CLIENT, reading, MECHANISM_NONE);
	}

	private read(): void {
		const { settings, cache, writer } = this.#options;
		const { auth, client, objects } = settings.dlms;
		const records = this.records ?? new DLMSRecords(writer, pollListOf(objects));
		const { list } = records;
		const listing = this.#listing;
		this.records = records;
		records.begin();
		this.#counterSink = undefined;
		const options = { list, cache, sink: records, listing, named: true, swappedDeviation: false };
		const low = auth === AUTH_LOW ? MECHANISM_LOW : MECHANISM_NONE;
		this.talk(client, new Reading(options), auth === AUTH_HIGH_GMAC ? MECHANISM_HIGH_GMAC : low);
	}

	private talk(client: number, reading: Reading, mechanism: number): void {
		const { dlms } = this.#options.settings;
		const { crypto } = this.#options.world;
		const isCounter = this.#counterSink !== undefined;
		// The one before is let go of first: two of them are more than the chip should hold.
		this.#talk = undefined;
		this.#reading = reading;
		const cipher = isCounter || !this.isKeyed ? undefined : makeCipher(dlms, crypto, this.#counters);
		this.#cipher = cipher;
		const options = {
			settings: dlms,
			client,
			baud: this.baud,
			isSignedOn: this.opening !== OPENING_DIRECT,
			releaseFirst: this.#releaseFirst,
			buffer: this.#buffer,
			mechanism,
			ciphered: dlms.ciphered && !isCounter,
			cipher,
			reading,
			crypto,
			keepAhead: () => cipher !== undefined && this.#counters?.extend(cipher) === true,
		};
		this.#talk = new DLMSSession(options, this.#nowMs);
	}

	/** A talk has come to its end. */
	private talked(): void {
		const talk = this.#talk;
		if (talk === undefined) return;
		this.#reading?.end();
		const isKept = this.#cipher !== undefined && this.#reading?.requests === 0;
		const isDropped = talk.failure === HDLC_LOST || talk.failure === HDLC_DISCONNECTED;
		const failure = isKept && isDropped ? FAILURE_UNANSWERED : talk.failure;
		if (this.#cipher !== undefined) this.#counters?.raise(this.#cipher.counter);
		if (talk.connected) this.connected = true;
		if (this.#counterSink !== undefined) this.counterAnswered(this.#counterSink, failure);
		else if (failure === undefined) {
			this.records?.keep();
			this.end(undefined);
		} else if (this.#follows && isUnheard(failure) && !this.#aborted) {
			this.#attempts--;
			this.pause();
		} else if (!this.isCounterRefused(talk, failure)) this.fallenSilent(talk, failure);
	}

	private counterAnswered(sink: CounterSink, failure: Failure | undefined): void {
		const counters = this.#counters;
		const suspicion = this.#suspicion;
		const low = counters !== undefined && sink.counter >= counters.next;
		if (low) counters.raise(sink.counter + 1);
		this.#suspicion = undefined;
		this.#follows = failure === undefined || !isUnheard(failure);
		if (suspicion !== undefined && !low) this.failed(suspicion);
		else if (this.#aborted) this.failed(failure ?? HDLC_LOST);
		else this.read();
	}

	/** Does the meter refuse our invocation counter? Then another is found, once, and the talk begins anew. */
	private isCounterRefused(talk: DLMSSession, failure: Failure): boolean {
		const counters = this.#counters;
		const began = (this.#reading?.requests ?? 0) > 0 && failure !== DLMS_COUNTER;
		if (counters === undefined || this.#counterAsked || this.#aborted || began || !mayBeCounter(failure)) return false;
		const { exception } = talk.association;
		this.#follows = true;
		if (failure === DLMS_COUNTER && exception.counter >= counters.next) {
			this.#counterAsked = true;
			counters.raise(exception.counter);
			this.read();
		} else {
			this.#suspicion = failure;
			this.askCounter();
		}
		return true;
	}

	/** Keeps what was read, and tries again if that is worth it. */
	private fallenSilent(talk: DLMSSession, failure: Failure): void {
		const { read = 0, listed = false } = this.#reading ?? {};
		if (read > this.#kept) {
			this.#kept = read;
			this.records?.keep();
			this.#event = EVENT_CUT;
		}
		if (listed && talk.connected) this.#listing = false;
		this.failed(failure);
	}

	/** The attempt has failed. */
	private failed(failure: Failure): void {
		const lost = !this.#isAnnounced && isLostAfterSignOn(failure) && !this.connected;
		const known = lost ? FAILURE_NO_MODE_E : failure;
		this.failure = furthest(this.failure, known);
		if (known === FAILURE_NO_MODE_E) this.#lacksModeE = true;
		const isOver = this.#aborted || failure.isFinal || this.#attempts >= ATTEMPTS;
		if (isOver || !this.chooseNext(known)) this.end(this.failure);
		// Where nothing was heard there is nothing to wait for; a sign-on waits for silence by itself.
		else if (isUnheard(known)) this.open();
		else this.pause();
	}

	/** How is the next attempt made? False: not at all. */
	private chooseNext(failure: Failure): boolean {
		if (this.connected || !isUnheard(failure)) return true;
		const { settings, isOffered } = this.#options;
		// Under iec62056 the meter's block is still to be had.
		if (isOffered) return false;
		if (isLostAfterSignOn(failure)) this.#baudCeiling = baudOf(Math.max(0, baudNumber(this.baud) - 1));
		else if (settings.dlms.opening === OPENING_AUTO)
			this.opening = this.opening === OPENING_DIRECT ? OPENING_MODE_E : OPENING_DIRECT;
		return !(this.opening === OPENING_MODE_E && this.#lacksModeE);
	}

	private pause(): void {
		this.#talk = undefined;
		this.#pauseEndsMs = this.#nowMs + PAUSE_MS;
	}

	private end(failure: Failure | undefined): void {
		this.failure = failure;
		this.#talk = undefined;
		this.#ended = true;
		if (this.#event === 0) this.#event = EVENT_END;
	}
}

/** Nothing was heard that a meter would say: another opening may be the right one. */
function isUnheard(failure: Failure): boolean {
	return failure.progress < PROGRESS_HEARD;
}
