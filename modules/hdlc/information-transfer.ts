/**
 * Exchange of one APDU in each direction, with segmentation, sequence numbers, window and reassembly (IEC 62056-46,
 * 6.4.4; ISO/IEC 13239). The methods return the next action of the connection, NEXT_….
 *
 * A frame out of sequence is ignored, so that a late response does not start a second exchange. Missing frames are
 * requested after the timeout. An I frame with the expected N(S) is accepted even if its N(R) or its final bit is
 * wrong, because some servers never set them.
 *
 * Limits: a response may be as long as the buffer minus ROOM. A frame is repeated at most RETRIES times. A meter that
 * is not ready is polled at most BUSY_POLLS times.
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

export const NEXT_NOTHING = 0;
export const NEXT_SEGMENT = 1;
/** Send RR, to request the next frames of the response or a missing frame. */
export const NEXT_RR = 2;
export const NEXT_AWAIT = 3;
/** Poll with RR after a pause, because the meter is not ready. */
export const NEXT_PAUSE = 4;
export const NEXT_WHOLE = 5;
export const NEXT_LOST = 6;
export const NEXT_BUSY = 7;
export const NEXT_BAD_ANSWER = 8;
export const NEXT_TOO_LONG = 9;

export const RETRIES = 3;
const BUSY_POLLS = 50;

export class InformationTransfer {
	/** Number of information bytes that the meter accepts in a frame. */
	sendInfo = INFO_DEFAULT;
	/** Number of frames that the meter sends in a row. */
	window = WINDOW_DEFAULT;
	/** N(S) of the segment that we send. */
	sendNumber = 0;
	/** N(S) that the meter's next frame must have. */
	receiveNumber = 0;
	request: Uint8Array;
	segmentStart = 0;
	segmentEnd = 0;
	length = 0;
	/** Number of repetitions since the last progress. */
	tries = 0;
	readonly #decoder: FrameDecoder;
	#requestStart = 0;
	#requestEnd = 0;
	#acknowledged = true;
	#hasResponse = false;
	#inWindow = 0;
	#polls = 0;

	constructor(decoder: FrameDecoder) {
		this.#decoder = decoder;
		this.request = decoder.bytes;
	}

	get isFirst(): boolean {
		return this.segmentStart === this.#requestStart;
	}

	get hasMore(): boolean {
		return this.segmentEnd < this.#requestEnd;
	}

	begin(bytes: Uint8Array, start: number, end: number): void {
		this.request = bytes;
		this.#requestStart = start;
		this.#requestEnd = end;
		this.segmentEnd = start;
		this.clearResponse();
		this.nextSegment();
	}

	/** Begins to wait for another APDU, because the last one was not the response. */
	awaitAPDU(): number {
		this.clearResponse();
		return this.hasMore ? this.nextSegment() : NEXT_RR;
	}

	process(): number {
		const kind = controlKind(this.#decoder.control);
		if (kind === CONTROL_I) return this.processInformation();
		return kind === CONTROL_RR || kind === CONTROL_RNR || kind === CONTROL_REJ
			? this.processNumber(kind)
			: NEXT_NOTHING;
	}

	repeat(): number {
		if (this.tries === RETRIES) return NEXT_LOST;
		this.tries++;
		this.#inWindow = 0;
		return this.#acknowledged ? NEXT_RR : NEXT_SEGMENT;
	}

	private processNumber(kind: number): number {
		const expected = receiveNumber(this.#decoder.control);
		if (!this.#acknowledged && expected === ((this.sendNumber + 1) & 7)) this.acknowledge();
		else if (expected !== this.sendNumber) return NEXT_NOTHING;
		else if (!this.#acknowledged && kind !== CONTROL_RNR) return this.repeat();
		if (this.#acknowledged && kind !== CONTROL_RNR && this.hasMore) return this.nextSegment();
		if (this.#polls === BUSY_POLLS) return NEXT_BUSY;
		this.#polls++;
		this.tries = 0;
		return NEXT_PAUSE;
	}

	private processInformation(): number {
		const { bytes, control, infoEnd, segmented, tooLong } = this.#decoder;
		if (sendNumber(control) !== this.receiveNumber) return NEXT_NOTHING;
		if (tooLong) return NEXT_TOO_LONG;
		let { infoStart } = this.#decoder;
		if (!this.#hasResponse) {
			const isResponse = bytes[infoStart] === LLC_DESTINATION && bytes[infoStart + 1] === LLC_RESPONSE;
			if (!isResponse || infoEnd - infoStart < LLC_LENGTH) return NEXT_BAD_ANSWER;
			infoStart += LLC_LENGTH;
		}
		// An empty segment is ignored, because the response of a meter that sends them again and again would never end.
		else if (segmented && infoStart === infoEnd) return NEXT_NOTHING;
		if (this.length + infoEnd - infoStart > bytes.length - ROOM) return NEXT_TOO_LONG;
		bytes.copyWithin(this.length, infoStart, infoEnd);
		this.length += infoEnd - infoStart;
		this.receiveNumber = (this.receiveNumber + 1) & 7;
		this.#hasResponse = true;
		this.acknowledge();
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

	private clearResponse(): void {
		this.length = 0;
		this.#hasResponse = false;
		this.#inWindow = 0;
	}

	private acknowledge(): void {
		if (!this.#acknowledged) this.sendNumber = (this.sendNumber + 1) & 7;
		this.#acknowledged = true;
		this.tries = 0;
		this.#polls = 0;
	}
}
