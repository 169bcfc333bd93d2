/**
 * Client side of an HDLC connection in normal response mode: it connects, exchanges APDUs one at a time, and
 * disconnects (IEC 62056-46, 6; ISO/IEC 13239). It is a sans-io machine (io/machine.ts) for a line with 8N1.
 *
 *   IDLE           connect: RELEASING, CONNECTING, or ENDED without an address
 *   RELEASING      UA, DM, timeout: CONNECTING
 *   CONNECTING     UA: READY           refused or no answer: ENDED
 *                  the late answer to DISC is ignored
 *   READY          send, awaitAPDU: EXCHANGING
 *   EXCHANGING     answered: READY     failed: DISCONNECTING
 *   DISCONNECTING  UA, DM, no answer: ENDED
 *   READY and EXCHANGING change to ENDED on DM, and to DISCONNECTING on FRMR. `disconnect` changes every state after
 *   IDLE to DISCONNECTING.
 *
 * Only the client starts exchanges and repeats frames. The window of the client is 1; the window of the server is
 * negotiated. There are three timeouts: `receiveTimeoutMs` until the first byte of a response, GAP_MS between the bytes
 * of a frame, and for a whole frame the duration of the longest frame.
 */
import { FORMAT_8N1 } from "../io/host.js";
import { type Machine, OUTPUT_EVENT, OUTPUT_NONE, type Output } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import type { HDLCAddress } from "./address.js";
import { FrameDecoder, ROOM } from "./decoder.js";
import { EVENT_APDU, EVENT_CONNECTED, EVENT_END } from "./events.js";
import {
	HDLC_BAD_ANSWER,
	HDLC_BUSY,
	HDLC_DAMAGED,
	HDLC_DISCONNECTED,
	HDLC_ECHO_ONLY,
	HDLC_FRAME_REJECTED,
	HDLC_GARBAGE,
	HDLC_LATE,
	HDLC_LOST,
	HDLC_NO_ADDRESS,
	HDLC_OTHER_ADDRESS,
	HDLC_REFUSED,
	HDLC_SILENCE,
	HDLC_TOO_LONG,
} from "./failures.js";
import {
	CONTROL_DISC,
	CONTROL_DM,
	CONTROL_FRMR,
	CONTROL_RR,
	CONTROL_SNRM,
	CONTROL_UA,
	controlKind,
	FRAME_LIMIT,
	LLC_LENGTH,
	POLL_FINAL,
} from "./frame.js";
import {
	InformationTransfer,
	NEXT_AWAIT,
	NEXT_BAD_ANSWER,
	NEXT_BUSY,
	NEXT_NOTHING,
	NEXT_PAUSE,
	NEXT_RR,
	NEXT_SEGMENT,
	NEXT_TOO_LONG,
	NEXT_WHOLE,
	RETRIES,
} from "./information-transfer.js";
import { ORIGIN_OTHER, ORIGIN_SELF, originOf } from "./origin.js";
import {
	encodeParameters,
	INFO_DEFAULT,
	INFO_MAX,
	INFO_MIN,
	PARAMETER_RECEIVED_INFO,
	PARAMETER_SENT_WINDOW,
	PARAMETERS_LENGTH,
	parameterOf,
	WINDOW_DEFAULT,
} from "./parameters.js";
import { FrameSender, WITH_LLC, WITH_MORE } from "./sender.js";

export interface ConnectionOptions {
	readonly address: HDLCAddress;
	readonly baud: number;
	/** Maximum time from the last bit that was sent to the first byte of the response, ms. */
	readonly receiveTimeoutMs: number;
	/** True to close an earlier connection first. The meter may keep it open for minutes. */
	readonly releaseFirst: boolean;
	/**
	 * Proposed maximum length of an information field in both directions, bytes. It is reduced to the room in `apdu`.
	 */
	readonly info: number;
	/** Proposed window of the meter: number of frames that it sends in a row. */
	readonly window: number;
	/**
	 * Buffer for responses and for frames that are still being received. The caller may use its bytes only while it
	 * handles an event.
	 */
	readonly apdu: Uint8Array;
}

/** Number of SNRM frames with parameters; then one without parameters is sent. */
const PROPOSALS = 2;
/** Number of DISC frames. If none of them is answered, the connection ends. */
const RELEASES = 2;
/**
 * Maximum time between two bytes of a frame. The standard allows 25 ms; the rest is for delays in adapters and in a
 * busy chip.
 */
const GAP_MS = 500;
/** Pause before the next poll of a meter that is not ready. */
const BUSY_PAUSE_MS = 200;
const BITS_PER_BYTE = 10;

const RELEASE_NONE = 0;
/** DISC was sent, and its timeout has passed without an answer. */
const RELEASE_OWED = 1;
const RELEASE_LATE = 2;

const STATE_IDLE = 0;
const STATE_RELEASING = 1;
const STATE_CONNECTING = 2;
const STATE_READY = 3;
const STATE_EXCHANGING = 4;
const STATE_DISCONNECTING = 5;
const STATE_ENDED = 6;

const FRAME_NONE = 0;
const FRAME_SNRM = 1;
const FRAME_PLAIN_SNRM = 2;
const FRAME_DISC = 3;
const FRAME_RR = 4;
const FRAME_I = 5;

export class HDLCConnection implements Machine {
	/**
	 * Failure that ended the connection; undefined if the caller has disconnected. It is final when EVENT_END is
	 * reported.
	 */
	failure: Failure | undefined;
	received = 0;
	frames = 0;
	/** Number of frames that came from other stations. */
	foreign = 0;
	echoes = 0;
	repeated = 0;
	readonly #options: ConnectionOptions;
	readonly #decoder: FrameDecoder;
	readonly #transfer: InformationTransfer;
	readonly #sender: FrameSender;
	readonly #output: Output;
	readonly #info: number;
	#state = STATE_IDLE;
	#nextFrame = FRAME_NONE;
	/** Pending events: bit n is EVENT_n. */
	#events = 0;
	/** Whether the first DISC was answered in time. A late answer must not be taken for the answer to SNRM. */
	#release = RELEASE_NONE;
	/** Number of repetitions of SNRM or DISC. */
	#tries = 0;
	/** Value of the decoder's counter of damaged frames when the exchange last made progress. */
	#badBefore = 0;
	#isPausing = false;
	/** End of our last transmission, monotonic ms. */
	#sentByMs = 0;
	/** Latest time at which the response may begin, monotonic ms. */
	#answerByMs = Number.POSITIVE_INFINITY;
	/** Latest time at which the response may end, monotonic ms. */
	#endMs = Number.POSITIVE_INFINITY;
	/** Latest time at which the next byte of a frame may arrive, monotonic ms. */
	#gapByMs = 0;

	constructor(options: ConnectionOptions) {
		const bytes = options.apdu;
		this.#options = options;
		this.#decoder = new FrameDecoder(bytes);
		this.#transfer = new InformationTransfer(this.#decoder);
		this.#sender = new FrameSender(options.address);
		this.#info = Math.max(INFO_MIN, Math.min(options.info, INFO_MAX, bytes.length - ROOM));
		this.#output = { kind: OUTPUT_NONE, bytes, start: 0, end: 0, baud: 0, format: FORMAT_8N1, code: 0 };
	}

	get ended(): boolean {
		return this.#state === STATE_ENDED;
	}

	get apduLength(): number {
		return this.#transfer.length;
	}

	/** Length of the longest APDU that fits one frame, bytes. Valid after EVENT_CONNECTED. */
	get requestLimit(): number {
		return this.#transfer.sendInfo - LLC_LENGTH;
	}

	get bad(): number {
		return this.#decoder.bad;
	}

	get deadlineMs(): number {
		if (this.#decoder.inside && this.#state !== STATE_ENDED) return Math.min(this.#gapByMs, this.#endMs);
		return this.#answerByMs;
	}

	/** Connects. EVENT_CONNECTED or EVENT_END follows. Throws if it is called twice. */
	connect(nowMs: number): void {
		if (this.#state !== STATE_IDLE) throw new Error("an HDLC connection is used once");
		if (this.#sender.unaddressable) this.end(HDLC_NO_ADDRESS);
		else if (this.#options.releaseFirst) {
			this.#state = STATE_RELEASING;
			this.transmit(FRAME_DISC, nowMs);
		} else this.propose(nowMs);
	}

	/**
	 * Sends an APDU of at least 1 byte. Call it after EVENT_CONNECTED or EVENT_APDU. `bytes` must not change until
	 * EVENT_APDU or EVENT_END. After the end of the connection it has no effect; during an exchange it throws.
	 */
	send(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state >= STATE_DISCONNECTING) return;
		if (this.#state !== STATE_READY) throw new Error("an APDU is sent before its turn");
		this.#state = STATE_EXCHANGING;
		this.#transfer.begin(bytes, start, end);
		this.#decoder.release(0);
		this.transmit(FRAME_I, nowMs);
	}

	/**
	 * Continues to wait for the response. Call it if the APDU of EVENT_APDU was not the response but an unsolicited
	 * one. There is no overall timeout, so the caller must limit the number of these calls.
	 */
	awaitAPDU(nowMs: number): void {
		if (this.#state >= STATE_DISCONNECTING) return;
		if (this.#state !== STATE_READY) throw new Error("an APDU is waited for already");
		this.#state = STATE_EXCHANGING;
		const next = this.#transfer.awaitAPDU();
		this.#decoder.release(0);
		this.perform(next, nowMs);
	}

	/** Disconnects. EVENT_END follows. */
	disconnect(nowMs: number): void {
		if (this.#state === STATE_IDLE) this.end(undefined);
		else if (this.#state < STATE_DISCONNECTING) this.fail(undefined, nowMs);
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state === STATE_IDLE || this.#state === STATE_ENDED) return;
		this.received += end - start;
		for (let at = start; ; this.processFrame(nowMs)) {
			at = this.#decoder.read(bytes, at, end);
			if (!this.#decoder.ready) break;
		}
		this.#gapByMs = nowMs + GAP_MS;
		// A flag without a frame may be the end of an earlier frame, or the beginning of the response.
		if (this.#decoder.hasFlag && !this.#isPausing) this.extend(GAP_MS, nowMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		if (this.#decoder.inside) {
			this.#decoder.silence();
			while (this.#decoder.ready) {
				this.processFrame(nowMs);
				this.#decoder.silence();
			}
		}
		if (nowMs >= this.#answerByMs) this.timeOut(nowMs);
	}

	poll(): Output {
		const output = this.#output;
		output.kind = OUTPUT_NONE;
		if (!this.#sender.busy && this.#nextFrame !== FRAME_NONE) this.beginFrame();
		if (this.#sender.busy) this.#sender.next(output);
		else if (this.#events !== 0) {
			output.kind = OUTPUT_EVENT;
			output.code = EVENT_CONNECTED;
			while ((this.#events & (1 << output.code)) === 0) output.code++;
			this.#events ^= 1 << output.code;
		}
		return output;
	}

	private propose(nowMs: number): void {
		this.#state = STATE_CONNECTING;
		this.#tries = 0;
		this.transmit(FRAME_SNRM, nowMs);
	}

	private processFrame(nowMs: number): void {
		const origin = originOf(this.#decoder, this.#sender);
		if (origin === ORIGIN_SELF) this.echoes++;
		else if (origin === ORIGIN_OTHER) this.foreign++;
		else {
			this.frames++;
			this.onFrame(nowMs);
		}
		this.#decoder.release(this.#transfer.length);
	}

	private onFrame(nowMs: number): void {
		const kind = controlKind(this.#decoder.control);
		const isEnd = kind === CONTROL_UA || kind === CONTROL_DM;
		if (this.#state === STATE_DISCONNECTING && isEnd) this.end(this.failure);
		else if (this.#state === STATE_RELEASING && isEnd) this.propose(nowMs);
		else if (this.#state === STATE_CONNECTING) {
			if (isEnd && this.isLateRelease(kind)) this.#release = RELEASE_LATE;
			else if (kind === CONTROL_UA) this.onAccepted(nowMs);
			else if (kind === CONTROL_DM || kind === CONTROL_FRMR) this.onRefused(kind, nowMs);
		} else if (this.#state === STATE_READY || this.#state === STATE_EXCHANGING) {
			if (kind === CONTROL_DM) this.end(HDLC_DISCONNECTED);
			else if (kind === CONTROL_FRMR) this.fail(HDLC_FRAME_REJECTED, nowMs);
			else if (this.#state === STATE_EXCHANGING) this.perform(this.#transfer.process(), nowMs);
		}
	}

	/** A meter answers in order: DM or a UA without parameters answers the DISC, if that has had no answer yet. */
	private isLateRelease(kind: number): boolean {
		const { infoEnd, infoStart } = this.#decoder;
		return this.#release === RELEASE_OWED && (kind === CONTROL_DM || infoStart === infoEnd);
	}

	private onAccepted(nowMs: number): void {
		// If our transmission is not over yet, this UA must be the late answer to an earlier DISC.
		if (this.#options.releaseFirst && nowMs < this.#sentByMs) return;
		const isPlain = this.#tries >= PROPOSALS;
		const meterInfo = parameterOf(this.#decoder, PARAMETER_RECEIVED_INFO) || INFO_DEFAULT;
		const meterWindow = parameterOf(this.#decoder, PARAMETER_SENT_WINDOW) || WINDOW_DEFAULT;
		this.#transfer.sendInfo = Math.max(INFO_MIN, Math.min(meterInfo, isPlain ? INFO_DEFAULT : this.#info));
		this.#transfer.window = Math.min(meterWindow, isPlain ? WINDOW_DEFAULT : this.#options.window);
		this.report(EVENT_CONNECTED);
	}

	/** Handles DM or FRMR after SNRM. Some meters send them because they don't support parameters in SNRM. */
	private onRefused(kind: number, nowMs: number): void {
		// If our transmission is not over yet, this frame must be the late answer to an earlier frame.
		if (nowMs < this.#sentByMs) return;
		if (this.#tries >= PROPOSALS) this.end(kind === CONTROL_DM ? HDLC_REFUSED : HDLC_FRAME_REJECTED);
		else {
			this.#tries = PROPOSALS;
			this.transmit(FRAME_PLAIN_SNRM, nowMs);
		}
	}

	private perform(next: number, nowMs: number): void {
		if (next === NEXT_SEGMENT) this.transmit(FRAME_I, nowMs);
		else if (next === NEXT_RR) this.transmit(FRAME_RR, nowMs);
		else if (next === NEXT_WHOLE) this.report(EVENT_APDU);
		else if (next === NEXT_AWAIT) {
			this.#nextFrame = FRAME_NONE;
			this.await(nowMs + this.#options.receiveTimeoutMs);
		} else if (next === NEXT_PAUSE) {
			this.#nextFrame = FRAME_NONE;
			this.await(nowMs + BUSY_PAUSE_MS);
			this.#isPausing = true;
		}
		// The frame is ignored. The expected frame often follows it.
		else if (next === NEXT_NOTHING) this.extend(this.#options.receiveTimeoutMs, nowMs);
		else this.fail(this.failureOf(next), nowMs);
	}

	private failureOf(next: number): Failure {
		if (next === NEXT_BUSY) return HDLC_BUSY;
		if (next === NEXT_BAD_ANSWER) return HDLC_BAD_ANSWER;
		if (next === NEXT_TOO_LONG) return HDLC_TOO_LONG;
		return this.#decoder.bad > this.#badBefore ? HDLC_DAMAGED : HDLC_LOST;
	}

	private report(event: number): void {
		this.#state = STATE_READY;
		this.#tries = 0;
		this.#nextFrame = FRAME_NONE;
		this.#answerByMs = Number.POSITIVE_INFINITY;
		this.#endMs = Number.POSITIVE_INFINITY;
		this.#events |= 1 << event;
	}

	private timeOut(nowMs: number): void {
		if (this.#state === STATE_RELEASING) {
			this.#release = RELEASE_OWED;
			this.propose(nowMs);
		} else if (this.#state === STATE_CONNECTING) {
			if (this.#tries === RETRIES) this.end(this.connectFailure());
			else {
				this.#tries++;
				this.transmit(this.#tries < PROPOSALS ? FRAME_SNRM : FRAME_PLAIN_SNRM, nowMs);
			}
		} else if (this.#state === STATE_EXCHANGING) {
			if (this.#isPausing) this.transmit(FRAME_RR, nowMs);
			else this.perform(this.#transfer.repeat(), nowMs);
		} else if (this.#state === STATE_DISCONNECTING) {
			this.#tries++;
			if (this.#tries === RELEASES) this.end(this.failure);
			else this.transmit(FRAME_DISC, nowMs);
		}
	}

	private connectFailure(): Failure {
		if (this.received === 0) return HDLC_SILENCE;
		if (this.#release === RELEASE_LATE) return HDLC_LATE;
		if (this.frames > 0) return HDLC_REFUSED;
		if (this.foreign > 0) return HDLC_OTHER_ADDRESS;
		return this.echoes > 0 && this.#decoder.bad === 0 ? HDLC_ECHO_ONLY : HDLC_GARBAGE;
	}

	/** Disconnects. `failure` is undefined if the caller has requested the disconnection. */
	private fail(failure: Failure | undefined, nowMs: number): void {
		this.failure = failure;
		this.#state = STATE_DISCONNECTING;
		this.#tries = 0;
		this.transmit(FRAME_DISC, nowMs);
	}

	private end(failure: Failure | undefined): void {
		this.#state = STATE_ENDED;
		this.failure = failure;
		this.#nextFrame = FRAME_NONE;
		this.#answerByMs = Number.POSITIVE_INFINITY;
		this.#events |= 1 << EVENT_END;
	}

	private transmit(frame: number, nowMs: number): void {
		this.#nextFrame = frame;
		const exchange = this.#transfer;
		if (exchange.tries > 0 || this.#tries > 0) this.repeated++;
		else this.#badBefore = this.#decoder.bad;
		let info = 0;
		if (frame === FRAME_SNRM) info = PARAMETERS_LENGTH;
		else if (frame === FRAME_I)
			info = exchange.segmentEnd - exchange.segmentStart + (exchange.isFirst ? LLC_LENGTH : 0);
		const bits = this.#sender.frameLength(info) * BITS_PER_BYTE;
		this.#sentByMs = Math.max(nowMs, this.#sentByMs) + Math.ceil((bits * 1000) / this.#options.baud);
		this.await(this.#sentByMs + this.#options.receiveTimeoutMs);
	}

	private await(answerByMs: number): void {
		this.#isPausing = false;
		this.#answerByMs = answerByMs;
		this.#endMs = answerByMs + Math.ceil((FRAME_LIMIT * BITS_PER_BYTE * 1000) / this.#options.baud);
	}

	/** Extends the wait until `ms` after `nowMs`, but not beyond the latest end of the response. */
	private extend(ms: number, nowMs: number): void {
		this.#answerByMs = Math.max(this.#answerByMs, Math.min(nowMs + ms, this.#endMs));
	}

	private beginFrame(): void {
		const sender = this.#sender;
		const exchange = this.#transfer;
		let control = (exchange.receiveNumber << 5) | POLL_FINAL;
		let kind = 0;
		if (this.#nextFrame === FRAME_RR) control |= CONTROL_RR;
		else if (this.#nextFrame === FRAME_DISC) control = CONTROL_DISC | POLL_FINAL;
		else if (this.#nextFrame === FRAME_I) {
			control |= exchange.sendNumber << 1;
			kind = (exchange.isFirst ? WITH_LLC : 0) | (exchange.hasMore ? WITH_MORE : 0);
			sender.carry(exchange.request, exchange.segmentStart, exchange.segmentEnd);
		} else control = CONTROL_SNRM | POLL_FINAL;
		if (this.#nextFrame === FRAME_SNRM) {
			const parameters = new Uint8Array(PARAMETERS_LENGTH);
			encodeParameters(parameters, 0, { info: this.#info, window: this.#options.window });
			sender.carry(parameters, 0, PARAMETERS_LENGTH);
		}
		this.#nextFrame = FRAME_NONE;
		sender.begin(control, kind);
	}
}
