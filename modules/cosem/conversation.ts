/**
 * One readout in DLMS/COSEM, from the first character on the line to the last, as one conversation under a Link that was
 * opened at 300 Bd in 7E1 (IEC 62056-21, annex E; IEC 62056-46; IEC 62056-53).
 *
 *   PAUSED      time over: SIGNING_ON, or TALKING where HDLC begins at a fixed speed
 *   SIGNING_ON  handed over: TALKING          not: PAUSED, SIGNING_ON or TALKING again, or ENDED
 *   TALKING     the list is read: ENDED       the counter is known: TALKING, about the list
 *               the counter is refused: TALKING, about the counter        failed: as above
 *   any         abort: ENDED, by way of a disconnection where there is a connection
 *
 * What is talked about is the invocation counter, in an association as the public client, where ciphering needs one that
 * is not known, or once when the meter seems to refuse ours; else the list of objects, as the settings have it.
 *
 * After a failure all of it is repeated, TRIES at most: with DISC in front where the meter may still hold a connection,
 * at a lower speed where the speed may be to blame, by the other opening where that is to be found out, fewer
 * attributes a request, then one, where the meter fell silent on several. `failure` is that of the try that came furthest.
 *
 * Under the protocol iec62056 it is offered only: taken up if the meter announces mode E; else the sign-on goes on to its
 * own end, whose readout and failure are this one's. Where it is not even offered this is an inquiry: the meter has been
 * silent in mode C, has mode E alone if it answers in HDLC, and is let go of again.
 */
import type { CounterSink } from "../dlms/counter.js";
import { DLMS_COUNTER } from "../dlms/failures.js";
import { SHORT_LIST } from "../dlms/reading.js";
import { EVENT_END as EVENT_DISCONNECTED } from "../hdlc/events.js";
import { HDLC_DISCONNECTED, HDLC_LOST, isLostAfterSignOn } from "../hdlc/failures.js";
import { Attempts } from "../iec62056-21/attempts.js";
import { IEC_CUT, IEC_MODE_E_ALONE } from "../iec62056-21/failures.js";
import { baudNumber, getBaudRate, MODE_E } from "../iec62056-21/ident.js";
import { IECConversation, SIGN_ON_LINE } from "../iec62056-21/protocol.js";
import { HAND_OVER_ALWAYS, HAND_OVER_ANNOUNCED, OUTCOME_HAND_OVER } from "../iec62056-21/session.js";
import { FORMAT_7E1, FORMAT_8N1, type LineSettings } from "../io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "../io/machine.js";
import { type Failure, furthest, PROGRESS_HEARD } from "../readout/failure.js";
import { type Conversation, EVENT_END, EVENT_POOR, type Opening } from "../readout/protocol.js";
import { type Readout, STATUS_CUT, statusOf } from "../readout/readout.js";
import { FAILURE_NO_MODE_E, FAILURE_UNANSWERED, mayBeCounter } from "./failures.js";
import { DLMSOpening } from "./opening.js";
import type { Carrier, DLMSSession } from "./session.js";
import { type COSEMSettings, OPENING_AUTO, OPENING_DIRECT, OPENING_MODE_E } from "./settings.js";
import { DLMSTalks } from "./talks.js";

const TRIES = 4;
/** Between two tries, with or without a sign-on: a meter needs a second after DISC. */
const PAUSE_MS = 1000;
const QUIET_MS = 2000;

const STATE_PAUSED = 0;
const STATE_SIGNING_ON = 1;
const STATE_TALKING = 2;
const STATE_ENDED = 3;

/** What is known of the meter's mode E: nothing; its identification announces it; it has shown that it has none. */
const MODE_E_UNKNOWN = 0;
const MODE_E_ANNOUNCED = 1;
const MODE_E_LACKING = 2;

/** The name of the API. */
export const PROTOCOL_DLMS = "DLMS/COSEM";

export class DLMSConversation implements Conversation {
	/** Failure of the try that came furthest, if all failed. Final with EVENT_END. */
	failure: Failure | undefined;
	readonly #opening: Opening<COSEMSettings>;
	/** Attempts of a sign-on that need not lead here; undefined: only DLMS/COSEM is wanted. */
	readonly #attempts: Attempts | undefined;
	readonly #talks: DLMSTalks;
	readonly #output: Output;
	#state = STATE_PAUSED;
	/** Bit n: EVENT_n waits to be told. */
	#events = 0;
	#nowMs: number;
	/** When PAUSED is over. */
	#pauseEndsMs: number;
	#aborted = false;
	/** In SIGNING_ON. */
	#signOn: DLMSOpening | undefined;
	/** The sign-on that goes on to its own end; also after it. */
	#session: IECConversation | undefined;
	/** In TALKING. */
	#talk: DLMSSession | undefined;
	/** Why the counter is asked for in the middle, if it is. */
	#suspicion: Failure | undefined;
	#counterAsked = false;
	/** Opening of this try: OPENING_DIRECT or OPENING_MODE_E; the speed of HDLC, and who signed on. */
	#way: number;
	#baud = 0;
	#ident: Uint8Array = new Uint8Array(0);
	#tries = 0;
	/** Highest speed of a try at a lowered one, Bd. */
	#baudCeiling = Number.POSITIVE_INFINITY;
	#listing: number;
	/** Objects read in the best try that failed. */
	#kept = 0;
	/** The meter took an HDLC connection. */
	#connected = false;
	#modeE = MODE_E_UNKNOWN;
	/** The connection before was on the same line: the meter may have left HDLC since. */
	#follows = false;
	/** The line as it is, and as it is to be before anything else goes over it. */
	#line = SIGN_ON_LINE;
	#wanted = SIGN_ON_LINE;

	/**
	 * Begins when it is advanced: who asks for a readout has used up too much of the stack for all that is made then.
	 * `attempts`: it is only offered; these are the attempts of the sign-on.
	 */
	constructor(opening: Opening<COSEMSettings>, attempts?: Attempts) {
		const { settings, nowMs } = opening;
		const { opening: wanted, learnedOpening } = settings.dlms;
		this.#opening = opening;
		this.#attempts = attempts;
		this.#talks = new DLMSTalks(opening);
		this.#listing = this.#talks.scalers.listing;
		this.#nowMs = this.#pauseEndsMs = nowMs;
		const bytes = this.#talks.buffer;
		this.#output = { kind: OUTPUT_NONE, bytes, start: 0, end: 0, baud: 0, format: FORMAT_7E1, code: 0 };
		const way = wanted === OPENING_AUTO ? learnedOpening : wanted;
		this.#way = attempts !== undefined || way === OPENING_AUTO ? OPENING_MODE_E : way;
	}

	get line(): LineSettings {
		return SIGN_ON_LINE;
	}

	/** Between two tries, or before a sign-on. */
	get isIdle(): boolean {
		return this.#state === STATE_PAUSED || (this.#signOn !== undefined && this.#session?.isIdle === true);
	}

	private get meterId(): Uint8Array {
		const { name } = this.#talks.scalers;
		return name.length > 0 ? name : this.#ident;
	}

	readout(event: number, utcMs: number): Readout | undefined {
		if (this.#session !== undefined) return this.#session.readout(event, utcMs);
		const isEnd = event === EVENT_END;
		if (isEnd && this.failure !== undefined) return undefined;
		const { kept, overflow } = this.#opening.records;
		return {
			protocol: PROTOCOL_DLMS,
			meterId: this.meterId,
			mode: this.#way === OPENING_DIRECT ? 0 : MODE_E,
			baud: this.#baud,
			utcMs,
			status: isEnd ? statusOf(overflow) : STATUS_CUT,
			records: kept ?? new Uint8Array(0),
			missing: this.#talks.missing,
		};
	}

	next(quietMs: number, nowMs: number): Conversation | undefined {
		const attempts = this.#attempts;
		const opening = { ...this.#opening, quietMs, nowMs };
		if (this.#session !== undefined && !this.isInquiry) {
			const again = this.#session.isWorthAnother();
			return again === undefined ? undefined : new DLMSConversation(opening, again);
		}
		const { dlms } = opening.settings;
		if (attempts === undefined) {
			const isFound = this.failure === undefined && dlms.opening === OPENING_AUTO;
			if (isFound && dlms.learnedOpening !== this.#way) dlms.learnOpening(this.#way);
			return undefined;
		}
		// Then the meter is read as in mode C.
		const isRefused = this.failure !== undefined && !this.#connected && !attempts.exhausted;
		return isRefused ? new IECConversation(opening, attempts) : undefined;
	}

	get deadlineMs(): number {
		if (this.#state === STATE_ENDED) return Number.POSITIVE_INFINITY;
		return this.#state === STATE_PAUSED ? this.#pauseEndsMs : (this.machine?.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#nowMs = nowMs;
		this.machine?.receive(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		this.#nowMs = nowMs;
		if (this.#state !== STATE_PAUSED) this.machine?.advance(nowMs);
		else if (nowMs >= this.#pauseEndsMs) this.open();
	}

	poll(): Output {
		for (;;) {
			if (this.#events !== 0) return this.tell();
			if (this.#wanted !== this.#line) return this.changeLine();
			const machine = this.machine;
			if (machine === undefined) break;
			const inner = machine.poll();
			if (inner.kind === OUTPUT_LINE) this.#line = this.#wanted = { baud: inner.baud, format: inner.format };
			if (inner.kind === OUTPUT_TRANSMIT) this.#talk?.noteSecret(inner);
			if (this.isInquiry) this.#talk?.letGo(this.#nowMs);
			if (inner.kind !== OUTPUT_EVENT) return inner;
			if (this.#talk === undefined) {
				if (inner.code !== EVENT_END) return inner;
				this.signedOn();
			} else if (inner.code === EVENT_DISCONNECTED) this.talked();
			else if (!this.isInquiry) this.#talk.goOn(inner.code, this.#nowMs);
		}
		this.#output.kind = OUTPUT_NONE;
		return this.#output;
	}

	/** Ends it now, for the owner's reasons; what came so far is kept and counts as cut. */
	abort(nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.#nowMs = nowMs;
		this.#aborted = true;
		if (this.#talk !== undefined) this.#talk.disconnect(nowMs);
		else if (this.#signOn !== undefined) this.#signOn.abort(nowMs);
		else this.end(this.failure ?? HDLC_LOST);
	}

	/** The piece `bytes[start..end)` of the line as a log may show it: itself, or a copy up to its end. */
	shown(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
		return this.#talk?.shown(direction, bytes, start, end) ?? bytes;
	}

	private get machine(): Machine | undefined {
		return this.#talk?.connection ?? this.#signOn;
	}

	/** It is to find out only whether the meter has mode E alone. */
	private get isInquiry(): boolean {
		return this.#attempts !== undefined && !this.#opening.settings.handsOver;
	}

	private tell(): Output {
		const output = this.#output;
		output.kind = OUTPUT_EVENT;
		output.code = EVENT_POOR;
		while ((this.#events & (1 << output.code)) === 0) output.code++;
		this.#events ^= 1 << output.code;
		return output;
	}

	private changeLine(): Output {
		const output = this.#output;
		output.kind = OUTPUT_LINE;
		output.baud = this.#wanted.baud;
		output.format = this.#wanted.format;
		this.#line = this.#wanted;
		return output;
	}

	private want(line: LineSettings): void {
		const { baud, format } = this.#line;
		this.#wanted = line.baud === baud && line.format === format ? this.#line : line;
	}

	/** Begins a try. */
	private open(): void {
		const { settings, quietMs } = this.#opening;
		this.#follows = false;
		this.#talk = undefined;
		if (this.#way === OPENING_DIRECT) {
			this.#ident = new Uint8Array(0);
			this.#baud = settings.dlms.directBaud;
			this.want({ baud: this.#baud, format: FORMAT_8N1 });
			this.converse();
			return;
		}
		this.#state = STATE_SIGNING_ON;
		this.want(SIGN_ON_LINE);
		// What was asked in vain was asked at full speed: so is this.
		const given = this.isInquiry ? undefined : this.#attempts;
		const attempts = given ?? new Attempts(this.#opening, this.#baudCeiling);
		const opening = { ...this.#opening, nowMs: this.#nowMs, quietMs: this.#tries === 0 ? quietMs : QUIET_MS };
		const handOver = this.#attempts === undefined ? HAND_OVER_ALWAYS : HAND_OVER_ANNOUNCED;
		this.#session = new IECConversation(opening, attempts, handOver);
		this.#signOn = new DLMSOpening(this.#session, this.#nowMs);
	}

	/** The sign-on has come to its end. */
	private signedOn(): void {
		const session = this.#session;
		const failure = this.#signOn?.failure;
		this.#signOn = undefined;
		if (session === undefined) return;
		const isHandedOver = session.outcome === OUTCOME_HAND_OVER;
		if (this.#attempts !== undefined && !isHandedOver) {
			this.end(session.failure);
			return;
		}
		this.#session = undefined;
		if (isHandedOver && failure === undefined && !this.#aborted) {
			this.#ident = session.meterId;
			this.#modeE = session.ident.announcesModeE ? MODE_E_ANNOUNCED : MODE_E_UNKNOWN;
			this.#baud = session.baud;
			this.converse();
			return;
		}
		// A sign-on that nothing came of is a try, too.
		this.#tries++;
		this.failed(failure ?? IEC_CUT);
	}

	/** The line stands at HDLC's speed: what is to be talked about? */
	private converse(): void {
		this.#state = STATE_TALKING;
		this.#tries++;
		this.#talks.begin();
		const { counters } = this.#talks;
		if (counters !== undefined && !counters.known && !this.#counterAsked) this.askCounter();
		else this.read();
	}

	/** Reads the invocation counter as the public client. */
	private askCounter(): void {
		this.#counterAsked = true;
		// The one before is let go of first: two of them are more than the chip should hold.
		this.#talk = undefined;
		this.#talk = this.#talks.aboutCounter(this.carrier, this.#nowMs);
	}

	private read(): void {
		this.#talk = undefined;
		this.#talk = this.#talks.aboutList(this.#listing, this.carrier, this.#nowMs);
	}

	private get carrier(): Carrier {
		const isDirect = this.#way === OPENING_DIRECT;
		// After a sign-on there is no connection of ours, and some meters would leave HDLC again.
		return { baud: this.#baud, isSignedOn: !isDirect, releaseFirst: isDirect && this.#tries > 1 };
	}

	/** A talk has come to its end. */
	private talked(): void {
		const talk = this.#talk;
		if (talk === undefined) return;
		const { cipher, reading } = talk;
		reading.end();
		const isKept = cipher !== undefined && reading.requests === 0;
		const isDropped = talk.failure === HDLC_LOST || talk.failure === HDLC_DISCONNECTED;
		const failure = isKept && isDropped ? FAILURE_UNANSWERED : talk.failure;
		if (cipher !== undefined) this.#talks.counters?.raise(cipher.counter);
		if (cipher?.unchecked === true) this.#opening.trace("meter: without auth_key the answers can't be checked");
		if (talk.connected) this.#connected = true;
		if (this.isInquiry) {
			this.#connected = talk.connection.frames > 0;
			this.end(failure);
			return;
		}
		const { counterSink } = this.#talks;
		if (counterSink !== undefined) this.counterAnswered(counterSink, failure);
		else if (failure === undefined) {
			this.#talks.keep();
			// What it takes all the same need not be found out again, but silence may have had other reasons.
			this.#talks.scalers.listing = Math.max(this.#listing, SHORT_LIST);
			this.end(undefined);
		} else if (this.#follows && isUnheard(failure) && !this.#aborted) {
			this.#tries--;
			this.pause();
		} else if (!this.isCounterRefused(talk, failure)) this.fallenSilent(talk, failure);
	}

	private counterAnswered(sink: CounterSink, failure: Failure | undefined): void {
		const { counters } = this.#talks;
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
		const { counters } = this.#talks;
		const began = talk.reading.requests > 0 && failure !== DLMS_COUNTER;
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
		const { read, listed, fewer } = talk.reading;
		if (read > this.#kept) {
			this.#kept = read;
			this.#talks.keep();
			this.#events |= 1 << EVENT_POOR;
		}
		if (listed && talk.connected) this.#listing = fewer;
		this.failed(failure);
	}

	/** The try has failed. */
	private failed(failure: Failure): void {
		const lost = this.#modeE !== MODE_E_ANNOUNCED && isLostAfterSignOn(failure) && !this.#connected;
		const known = lost ? FAILURE_NO_MODE_E : failure;
		this.failure = furthest(this.failure, known);
		if (known === FAILURE_NO_MODE_E) this.#modeE = MODE_E_LACKING;
		const isOver = this.#aborted || failure.isFinal || this.#tries >= TRIES;
		if (isOver || !this.chooseNext(known)) this.end(this.failure);
		// Where nothing was heard there is nothing to wait for; a sign-on waits for silence by itself.
		else if (isUnheard(known)) this.open();
		else this.pause();
	}

	/** How is the next try made? False: not at all. */
	private chooseNext(failure: Failure): boolean {
		if (this.#connected || !isUnheard(failure)) return true;
		// Under iec62056 the meter's block is still to be had.
		if (this.#attempts !== undefined) return false;
		const { settings } = this.#opening;
		if (isLostAfterSignOn(failure)) this.#baudCeiling = getBaudRate(Math.max(0, baudNumber(this.#baud) - 1));
		else if (settings.dlms.opening === OPENING_AUTO)
			this.#way = this.#way === OPENING_DIRECT ? OPENING_MODE_E : OPENING_DIRECT;
		return !(this.#way === OPENING_MODE_E && this.#modeE === MODE_E_LACKING);
	}

	private pause(): void {
		this.#state = STATE_PAUSED;
		this.#talk = undefined;
		this.#pauseEndsMs = this.#nowMs + PAUSE_MS;
	}

	private end(failure: Failure | undefined): void {
		this.failure = this.isInquiry ? IEC_MODE_E_ALONE : failure;
		this.#talk = undefined;
		this.#state = STATE_ENDED;
		this.#events |= 1 << EVENT_END;
	}
}

/** Nothing was heard that a meter would say: another opening may be the right one. */
function isUnheard(failure: Failure): boolean {
	return failure.progress < PROGRESS_HEARD;
}
