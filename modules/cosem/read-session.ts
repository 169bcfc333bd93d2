/**
 * Reads a meter once with DLMS/COSEM, in one session on a Link that was opened with 300 Bd and 7E1 (IEC 62056-21, annex
 * E; IEC 62056-46; IEC 62056-53).
 *
 *   PAUSED      pause over: SIGNING_ON, or IN_HDLC if HDLC starts at a fixed speed
 *   SIGNING_ON  meter changes to HDLC: IN_HDLC       otherwise: PAUSED, SIGNING_ON or IN_HDLC again, or ENDED
 *   IN_HDLC     list read: ENDED                     counter read: IN_HDLC, reads the list
 *               counter rejected: IN_HDLC, reads the counter              failed: as in SIGNING_ON
 *   any         abort: ENDED, after a disconnection if there is a connection
 *
 * IN_HDLC reads the configured list of objects. If ciphering needs an invocation counter that is unknown, an
 * association as the public client reads the counter first. The same is done if the meter seems to reject the current
 * counter, but only once in a session.
 *
 * After a failure the whole sequence is repeated, up to TRIES tries in total. A repetition may differ from the previous
 * try:
 * - it sends DISC first, if the connection of the previous try may still be open in the meter;
 * - it uses a lower speed, if the speed may be the cause of the failure;
 * - it uses the other opening (mode E, or HDLC without a sign-on), if it is unknown which opening works;
 * - it requests fewer attributes in one request, in the end only one, if the meter has not replied.
 *
 * `failure` is the failure of the try that got furthest.
 *
 * A live session keeps the association open, reads its own list of objects again and again, and reports each of these
 * rounds. Any failure, or a refused value, ends the session.
 *
 * With the protocol iec62056, mode E is used only if the meter announces it. If the meter does not announce it, the
 * sign-on continues as a session without mode E, whose readout or failure is the result. If the settings forbid mode E,
 * the session only probes whether the meter answers in HDLC.
 */
import type { CounterSink } from "../dlms/counter.js";
import { DLMS_COUNTER } from "../dlms/failures.js";
import { SHORT_LIST } from "../dlms/reading.js";
import { EVENT_END as EVENT_DISCONNECTED } from "../hdlc/events.js";
import { HDLC_DISCONNECTED, HDLC_LOST, isLostAfterSignOn } from "../hdlc/failures.js";
import { Attempts } from "../iec62056-21/attempts.js";
import { IEC_CUT, IEC_MODE_E_ALONE } from "../iec62056-21/failures.js";
import { baudNumber, getBaudRate, MODE_E } from "../iec62056-21/ident.js";
import { IECReadSession, SIGN_ON_LINE } from "../iec62056-21/protocol.js";
import { HAND_OVER_ALWAYS, HAND_OVER_ANNOUNCED, OUTCOME_HAND_OVER } from "../iec62056-21/session.js";
import { FORMAT_7E1, FORMAT_8N1, type LineSettings } from "../io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "../io/machine.js";
import { type Failure, furthest, PROGRESS_HEARD } from "../readout/failure.js";
import { EVENT_END, EVENT_POOR, EVENT_READOUT, type ReadSession, type SessionContext } from "../readout/protocol.js";
import { type Readout, STATUS_CUT, statusOf } from "../readout/readout.js";
import { AssociationFactory } from "./association-factory.js";
import { type AssociationSession, type Carrier, RESUME } from "./association-session.js";
import { FAILURE_NO_MODE_E, FAILURE_UNANSWERED, mayBeCounter } from "./failures.js";
import { type COSEMSettings, OPENING_AUTO, OPENING_DIRECT, OPENING_MODE_E } from "./settings.js";
import { ModeESignOn } from "./sign-on.js";

const TRIES = 4;
/** Pause between two tries, ms. A meter needs one second after DISC. */
const PAUSE_MS = 1000;
const QUIET_MS = 2000;

const STATE_PAUSED = 0;
const STATE_SIGNING_ON = 1;
const STATE_IN_HDLC = 2;
const STATE_ENDED = 3;

const MODE_E_UNKNOWN = 0;
const MODE_E_ANNOUNCED = 1;
const MODE_E_LACKING = 2;

export const DLMS_COSEM = "DLMS/COSEM";

export class DLMSReadSession implements ReadSession {
	/** Failure of the try that got furthest. It is final when EVENT_END is reported. */
	failure: Failure | undefined;
	readonly #context: SessionContext<COSEMSettings>;
	readonly #attempts: Attempts | undefined;
	readonly #associations: AssociationFactory;
	readonly #output: Output;
	#state = STATE_PAUSED;
	#events = 0;
	#nowMs: number;
	#pauseEndsMs: number;
	#aborted = false;
	#signOn: ModeESignOn | undefined;
	/** Sign-on. If it continues as a session without mode E, it is kept after its end. */
	#session: IECReadSession | undefined;
	#association: AssociationSession | undefined;
	/** Failure that may have been caused by a counter that is too low. */
	#counterFailure: Failure | undefined;
	/**
	 * True if the counter has been read, or taken from an exception of the meter. This is done at most once in a
	 * session.
	 */
	#wasCounterRead = false;
	#method: number;
	#baud = 0;
	#ident: Uint8Array = new Uint8Array(0);
	#tries = 0;
	/** Highest speed that may be used after failures at higher speeds, Bd. */
	#baudCeiling = Number.POSITIVE_INFINITY;
	#listing: number;
	#kept = 0;
	#connected = false;
	#modeE = MODE_E_UNKNOWN;
	/** True if another connection has preceded this one. The meter may have left HDLC after it. */
	#hasPrior = false;
	#line = SIGN_ON_LINE;
	#nextLine = SIGN_ON_LINE;

	#roundMs = 0;

	/**
	 * The session starts at the first `advance`, because at this call too little stack is left. `attempts` are the
	 * attempts of the sign-on of the protocol iec62056; if they are defined, mode E is optional.
	 */
	constructor(context: SessionContext<COSEMSettings>, attempts?: Attempts) {
		const { settings, nowMs } = context;
		const { opening: configured, learnedOpening } = settings.dlms;
		this.#context = context;
		this.#attempts = attempts;
		this.#associations = new AssociationFactory(context);
		this.#listing = this.#associations.scalers.listing;
		this.#nowMs = this.#pauseEndsMs = nowMs;
		const bytes = this.#associations.buffer;
		this.#output = { kind: OUTPUT_NONE, bytes, start: 0, end: 0, baud: 0, format: FORMAT_7E1, code: 0 };
		const opened = configured === OPENING_AUTO ? learnedOpening : configured;
		this.#method = attempts !== undefined || opened === OPENING_AUTO ? OPENING_MODE_E : opened;
	}

	get line(): LineSettings {
		return SIGN_ON_LINE;
	}

	get isIdle(): boolean {
		return this.#state === STATE_PAUSED || (this.#signOn !== undefined && this.#session?.isIdle === true);
	}

	private get meterId(): Uint8Array {
		const { name } = this.#associations.scalers;
		return name.length > 0 ? name : this.#ident;
	}

	readout(event: number, utcMs: number): Readout | undefined {
		if (this.#session !== undefined) return this.#session.readout(event, utcMs);
		const isWhole = event !== EVENT_POOR;
		if (isWhole && this.failure !== undefined) return undefined;
		const { kept, overflow } = this.#context.records;
		return {
			protocol: DLMS_COSEM,
			meterId: this.meterId,
			mode: this.#method === OPENING_DIRECT ? 0 : MODE_E,
			baud: this.#baud,
			utcMs,
			status: isWhole ? statusOf(overflow) : STATUS_CUT,
			records: kept ?? new Uint8Array(0),
			missing: this.#associations.missing,
		};
	}

	next(quietMs: number, nowMs: number): ReadSession | undefined {
		const attempts = this.#attempts;
		const context = { ...this.#context, quietMs, nowMs };
		if (this.#session !== undefined && !this.isProbing) {
			const nextAttempts = this.#session.isWorthAnother();
			return nextAttempts === undefined ? undefined : new DLMSReadSession(context, nextAttempts);
		}
		const { dlms } = context.settings;
		if (attempts === undefined) {
			const isFound = this.failure === undefined && dlms.opening === OPENING_AUTO;
			if (isFound && dlms.learnedOpening !== this.#method) dlms.learnOpening(this.#method);
			return undefined;
		}
		// If mode E was refused, the next session uses mode C.
		const isRefused = this.failure !== undefined && !this.#connected && !attempts.exhausted;
		return isRefused ? new IECReadSession(context, attempts) : undefined;
	}

	get deadlineMs(): number {
		if (this.#state === STATE_ENDED) return Number.POSITIVE_INFINITY;
		if (this.#association?.isPaused) return this.#roundMs;
		return this.#state === STATE_PAUSED ? this.#pauseEndsMs : (this.machine?.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#nowMs = nowMs;
		this.machine?.receive(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		this.#nowMs = nowMs;
		const association = this.#association;
		if (association?.isPaused) {
			if (nowMs < this.#roundMs) return;
			this.#roundMs = nowMs + (this.#context.periodMs ?? 0);
			association.reading.again?.();
			association.onEvent(RESUME, nowMs);
		} else if (this.#state !== STATE_PAUSED) this.machine?.advance(nowMs);
		else if (nowMs >= this.#pauseEndsMs) this.open();
	}

	poll(): Output {
		for (;;) {
			if (this.#events !== 0) return this.nextEvent();
			if (this.#nextLine !== this.#line) return this.changeLine();
			const machine = this.machine;
			if (machine === undefined) break;
			const inner = machine.poll();
			if (inner.kind === OUTPUT_LINE) this.#line = this.#nextLine = { baud: inner.baud, format: inner.format };
			if (inner.kind === OUTPUT_TRANSMIT) this.#association?.noteSecret(inner);
			if (this.isProbing) this.#association?.endProbe(this.#nowMs);
			if (inner.kind !== OUTPUT_EVENT) return inner;
			if (this.#association === undefined) {
				if (inner.code !== EVENT_END) return inner;
				this.onSignOnEnd();
			} else if (inner.code === EVENT_DISCONNECTED) this.onEnd();
			else if (!this.isProbing) {
				const association = this.#association;
				association.onEvent(inner.code, this.#nowMs);
				if (!association.isPaused) continue;
				this.#associations.keep();
				if (association.reading.refused === 0) this.#events |= 1 << EVENT_READOUT;
				else association.disconnect(this.#nowMs);
			}
		}
		this.#output.kind = OUTPUT_NONE;
		return this.#output;
	}

	/** Aborts the session. The data that were read so far are kept, and the readout is marked as cut. */
	abort(nowMs: number): void {
		if (this.#state === STATE_ENDED) return;
		this.#nowMs = nowMs;
		this.#aborted = true;
		if (this.#association !== undefined) this.#association.disconnect(nowMs);
		else if (this.#signOn !== undefined) this.#signOn.abort(nowMs);
		else this.end(this.failure ?? HDLC_LOST);
	}

	shown(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
		return this.#association?.shown(direction, bytes, start, end) ?? bytes;
	}

	private get machine(): Machine | undefined {
		return this.#association?.connection ?? this.#signOn;
	}

	private get isProbing(): boolean {
		return this.#attempts !== undefined && !this.#context.settings.usesModeE;
	}

	private nextEvent(): Output {
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
		output.baud = this.#nextLine.baud;
		output.format = this.#nextLine.format;
		this.#line = this.#nextLine;
		return output;
	}

	private needLine(line: LineSettings): void {
		const { baud, format } = this.#line;
		this.#nextLine = line.baud === baud && line.format === format ? this.#line : line;
	}

	private open(): void {
		const { settings, quietMs } = this.#context;
		this.#hasPrior = false;
		this.#association = undefined;
		if (this.#method === OPENING_DIRECT) {
			this.#ident = new Uint8Array(0);
			this.#baud = settings.dlms.directBaud;
			this.needLine({ baud: this.#baud, format: FORMAT_8N1 });
			this.startHDLC();
			return;
		}
		this.#state = STATE_SIGNING_ON;
		this.needLine(SIGN_ON_LINE);
		// A probe uses new attempts, so it signs on at full speed, as the failed sign-on did at first.
		const shared = this.isProbing ? undefined : this.#attempts;
		const attempts = shared ?? new Attempts(this.#context, this.#baudCeiling);
		const context = { ...this.#context, nowMs: this.#nowMs, quietMs: this.#tries === 0 ? quietMs : QUIET_MS };
		const handOver = this.#attempts === undefined ? HAND_OVER_ALWAYS : HAND_OVER_ANNOUNCED;
		this.#session = new IECReadSession(context, attempts, handOver);
		this.#signOn = new ModeESignOn(this.#session, this.#nowMs);
	}

	private onSignOnEnd(): void {
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
			this.startHDLC();
			return;
		}
		this.#tries++;
		this.failed(failure ?? IEC_CUT);
	}

	private startHDLC(): void {
		this.#state = STATE_IN_HDLC;
		this.#tries++;
		this.#associations.begin();
		const { counters } = this.#associations;
		if (counters !== undefined && !counters.known && !this.#wasCounterRead) this.readCounter();
		else this.read();
	}

	private readCounter(): void {
		this.#wasCounterRead = true;
		// The previous association is freed first, because two at the same time need too much memory.
		this.#association = undefined;
		this.#association = this.#associations.openCounter(this.carrier, this.#nowMs);
	}

	private read(): void {
		this.#association = undefined;
		this.#association = this.#associations.openReading(this.#listing, this.carrier, this.#nowMs);
		this.#roundMs = this.#nowMs + (this.#context.periodMs ?? 0);
	}

	private get carrier(): Carrier {
		const isDirect = this.#method === OPENING_DIRECT;
		// DISC is not sent after a sign-on, because the meter has no open connection then, and because some meters
		// leave HDLC when they receive DISC.
		return { baud: this.#baud, isSignedOn: !isDirect, releaseFirst: isDirect && this.#tries > 1 };
	}

	private onEnd(): void {
		const association = this.#association;
		if (association === undefined) return;
		const { cipher, reading } = association;
		reading.end();
		const hasNoReply = cipher !== undefined && reading.requests === 0;
		const isDropped = association.failure === HDLC_LOST || association.failure === HDLC_DISCONNECTED;
		const failure = hasNoReply && isDropped ? FAILURE_UNANSWERED : association.failure;
		if (cipher !== undefined) this.#associations.counters?.raise(cipher.counter);
		if (cipher?.unchecked === true) this.#context.trace("meter: without auth_key the answers can't be checked");
		if (association.connected) this.#connected = true;
		if (this.isProbing) {
			this.#connected = association.connection.frames > 0;
			this.end(failure);
			return;
		}
		const { counterSink } = this.#associations;
		if (counterSink !== undefined) this.onCounter(counterSink, failure);
		else if (failure === undefined) {
			this.#associations.keep();
			// The limit for later sessions is at least SHORT_LIST, because the meter may have been silent for another
			// reason than the length of the list.
			this.#associations.scalers.listing = Math.max(this.#listing, SHORT_LIST);
			this.end(undefined);
		} else if (this.#hasPrior && isUnanswered(failure) && !this.#aborted) {
			this.#tries--;
			this.pause();
		} else if (!this.isCounterRefused(association, failure)) this.keepAndFail(association, failure);
	}

	private onCounter(sink: CounterSink, failure: Failure | undefined): void {
		const { counters } = this.#associations;
		const counterFailure = this.#counterFailure;
		const wasLow = counters !== undefined && sink.counter >= counters.next;
		if (wasLow) counters.raise(sink.counter + 1);
		this.#counterFailure = undefined;
		this.#hasPrior = failure === undefined || !isUnanswered(failure);
		if (counterFailure !== undefined && !wasLow) this.failed(counterFailure);
		else if (this.#aborted) this.failed(failure ?? HDLC_LOST);
		else this.read();
	}

	/**
	 * If the meter seems to have rejected the counter, obtains a new counter, reads again, and returns true. This is
	 * done at most once.
	 */
	private isCounterRefused(association: AssociationSession, failure: Failure): boolean {
		const { counters } = this.#associations;
		const began = association.reading.requests > 0 && failure !== DLMS_COUNTER;
		if (counters === undefined || this.#wasCounterRead || this.#aborted || began || !mayBeCounter(failure))
			return false;
		const { exception } = association.association;
		this.#hasPrior = true;
		if (failure === DLMS_COUNTER && exception.counter >= counters.next) {
			this.#wasCounterRead = true;
			counters.raise(exception.counter);
			this.read();
		} else {
			this.#counterFailure = failure;
			this.readCounter();
		}
		return true;
	}

	private keepAndFail(association: AssociationSession, failure: Failure): void {
		const { read, listed, fewer } = association.reading;
		if (read > this.#kept) {
			this.#kept = read;
			this.#associations.keep();
			this.#events |= 1 << EVENT_POOR;
		}
		if (listed && association.connected) this.#listing = fewer;
		this.failed(failure);
	}

	private failed(failure: Failure): void {
		const isLost = this.#modeE !== MODE_E_ANNOUNCED && isLostAfterSignOn(failure) && !this.#connected;
		const cause = isLost ? FAILURE_NO_MODE_E : failure;
		this.failure = furthest(this.failure, cause);
		if (cause === FAILURE_NO_MODE_E) this.#modeE = MODE_E_LACKING;
		const isOver = this.#aborted || failure.isFinal || this.#context.live !== undefined || this.#tries >= TRIES;
		if (isOver || !this.chooseNext(cause)) this.end(this.failure);
		// No pause is needed, because the sign-on itself waits for silence.
		else if (isUnanswered(cause)) this.open();
		else this.pause();
	}

	/** Chooses the opening and the speed of the next try. Returns false if there is no next try. */
	private chooseNext(failure: Failure): boolean {
		if (this.#connected || !isUnanswered(failure)) return true;
		// There is no next try, because the caller can still read the meter in mode C.
		if (this.#attempts !== undefined) return false;
		const { settings } = this.#context;
		if (isLostAfterSignOn(failure)) this.#baudCeiling = getBaudRate(Math.max(0, baudNumber(this.#baud) - 1));
		else if (settings.dlms.opening === OPENING_AUTO)
			this.#method = this.#method === OPENING_DIRECT ? OPENING_MODE_E : OPENING_DIRECT;
		return !(this.#method === OPENING_MODE_E && this.#modeE === MODE_E_LACKING);
	}

	private pause(): void {
		this.#state = STATE_PAUSED;
		this.#association = undefined;
		this.#pauseEndsMs = this.#nowMs + PAUSE_MS;
	}

	private end(failure: Failure | undefined): void {
		this.failure = this.isProbing ? IEC_MODE_E_ALONE : failure;
		this.#association = undefined;
		this.#state = STATE_ENDED;
		this.#events |= 1 << EVENT_END;
	}
}

/** True if the meter has not answered in HDLC, so another opening may work. */
function isUnanswered(failure: Failure): boolean {
	return failure.progress < PROGRESS_HEARD;
}
