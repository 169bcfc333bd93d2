/**
 * One APDU there and one back: segments, their numbers, the window, the gathering of the answer. It knows no time and
 * sends nothing: it tells the connection what to do next. IEC 62056-46, 6.4.4; ISO/IEC 13239.
 *
 * A frame out of sequence is dropped and never answered by itself, so that a late answer can't breed a second
 * conversation; what is missing is asked for when its time is over. Some servers never count up their N(R) or set no
 * final bit: an I frame with the N(S) expected is the answer all the same.
 *
 * Limits: an answer of at most the length of the owner's buffer less ROOM (decoder.ts); RETRIES repetitions of a frame
 * that is not answered, BUSY_POLLS askings of a meter that is not ready.
 */
import { type FrameDecoder, ROOM } from "./decoder.js";
import {
	CONTROL_I,
	CONTROL_REJ,
	CONTROL_RNR,
	CONTROL_RR,
	controlKind,
	LLC_DESTINATION,
	LLC_LENGTH,
	LLC_RESPONSE,
	POLL_FINAL,
	receiveNumber,
	sendNumber,
} from "./frame.js";
import { INFO_DEFAULT, WINDOW_DEFAULT } from "./parameters.js";

/** What to do next. */
/** Nothing: the frame was of no use. */
export const NEXT_NOTHING = 0;
/** Send the segment, for the first time or again. */
export const NEXT_SEGMENT = 1;
/** Send RR: for more of the answer, or for what did not come. */
export const NEXT_RR = 2;
/** Wait: more frames of the window follow. */
export const NEXT_AWAIT = 3;
/** Ask again by RR after a pause: the meter is not ready. */
export const NEXT_PAUSE = 4;
/** The answer is whole. */
export const NEXT_WHOLE = 5;
/** Give up: no answer; never ready; an answer without LLC header; one that is longer than the buffer. */
export const NEXT_LOST = 6;
export const NEXT_BUSY = 7;
export const NEXT_BAD_ANSWER = 8;
export const NEXT_TOO_LONG = 9;

export const RETRIES = 3;
const BUSY_POLLS = 50;

export class Exchange {
	/** Most bytes of information that the meter takes; frames that it sends in a row. */
	sendInfo = INFO_DEFAULT;
	window = WINDOW_DEFAULT;
	/** N(S) of the segment; N(S) expected. */
	sendNumber = 0;
	receiveNumber = 0;
	/** The segment is `request[segmentStart..segmentEnd)`. */
	request: Uint8Array;
	segmentStart = 0;
	segmentEnd = 0;
	/** Bytes of the answer that are there. */
	length = 0;
	/** Repetitions since it last went on. */
	tries = 0;
	readonly #decoder: FrameDecoder;
	#requestStart = 0;
	#requestEnd = 0;
	/** The meter has the segment. */
	#acknowledged = true;
	/** A first segment of the answer has come. */
	#answered = false;
	/** Frames of the meter's window that have come. */
	#inWindow = 0;
	/** Askings of a meter that is not ready since it last went on. */
	#polls = 0;

	constructor(decoder: FrameDecoder) {
		this.#decoder = decoder;
		this.request = decoder.bytes;
	}

	/** The segment is the first of its APDU. */
	get isFirst(): boolean {
		return this.segmentStart === this.#requestStart;
	}

	/** More segments follow. */
	get hasMore(): boolean {
		return this.segmentEnd < this.#requestEnd;
	}

	/** Begins with the first segment of `bytes[start..end)`. */
	begin(bytes: Uint8Array, start: number, end: number): void {
		this.request = bytes;
		this.#requestStart = start;
		this.#requestEnd = end;
		this.segmentEnd = start;
		this.forgetAnswer();
		this.nextSegment();
	}

	/** What came was not the answer: goes on waiting for it; NEXT_…. */
	waitOn(): number {
		this.forgetAnswer();
		return this.hasMore ? this.nextSegment() : NEXT_RR;
	}

	/** Takes the frame of the meter that is ready; NEXT_…. */
	take(): number {
		const kind = controlKind(this.#decoder.control);
		if (kind === CONTROL_I) return this.takeInformation();
		return kind === CONTROL_RR || kind === CONTROL_RNR || kind === CONTROL_REJ ? this.takeNumber(kind) : NEXT_NOTHING;
	}

	/** What the meter did not answer is due once more. */
	repeat(): number {
		if (this.tries === RETRIES) return NEXT_LOST;
		this.tries++;
		this.#inWindow = 0;
		return this.#acknowledged ? NEXT_RR : NEXT_SEGMENT;
	}

	private takeNumber(kind: number): number {
		const expected = receiveNumber(this.#decoder.control);
		if (!this.#acknowledged && expected === ((this.sendNumber + 1) & 7)) this.goOn();
		else if (expected !== this.sendNumber) return NEXT_NOTHING;
		else if (!this.#acknowledged && kind !== CONTROL_RNR) return this.repeat();
		if (this.#acknowledged && kind !== CONTROL_RNR && this.hasMore) return this.nextSegment();
		if (this.#polls === BUSY_POLLS) return NEXT_BUSY;
		this.#polls++;
		this.tries = 0;
		return NEXT_PAUSE;
	}

	private takeInformation(): number {
		const { bytes, control, infoEnd, segmented, tooLong } = this.#decoder;
		if (sendNumber(control) !== this.receiveNumber) return NEXT_NOTHING;
		if (tooLong) return NEXT_TOO_LONG;
		let { infoStart } = this.#decoder;
		if (!this.#answered) {
			const isResponse = bytes[infoStart] === LLC_DESTINATION && bytes[infoStart + 1] === LLC_RESPONSE;
			if (!isResponse || infoEnd - infoStart < LLC_LENGTH) return NEXT_BAD_ANSWER;
			infoStart += LLC_LENGTH;
		}
		// A meter that goes on sending nothing would never come to an end.
		else if (segmented && infoStart === infoEnd) return NEXT_NOTHING;
		if (this.length + infoEnd - infoStart > bytes.length - ROOM) return NEXT_TOO_LONG;
		bytes.copyWithin(this.length, infoStart, infoEnd);
		this.length += infoEnd - infoStart;
		this.receiveNumber = (this.receiveNumber + 1) & 7;
		this.#answered = true;
		this.goOn();
		if (!segmented) return NEXT_WHOLE;
		this.#inWindow++;
		if (this.#inWindow < this.window && (control & POLL_FINAL) === 0) return NEXT_AWAIT;
		this.#inWindow = 0;
		return NEXT_RR;
	}

	private nextSegment(): number {
		this.segmentStart = this.segmentEnd;
		const room = this.isFirst ? this.sendInfo - LLC_LENGTH : this.sendInfo;
		this.segmentEnd = Math.min(this.#requestEnd, this.segmentStart + room);
		this.#acknowledged = false;
		this.tries = 0;
		this.#polls = 0;
		return NEXT_SEGMENT;
	}

	private forgetAnswer(): void {
		this.length = 0;
		this.#answered = false;
		this.#inWindow = 0;
	}

	/** What was sent has arrived. */
	private goOn(): void {
		if (!this.#acknowledged) this.sendNumber = (this.sendNumber + 1) & 7;
		this.#acknowledged = true;
		this.tries = 0;
		this.#polls = 0;
	}
}
