/**
 * Sends a frame (frame.ts) in pieces: header, information, check value. The information is not copied, and a frame may
 * be longer than what a link accepts in one call.
 */
import { CRC16_START, crc16, stepCRC16 } from "../bytes/crc16.js";
import { OUTPUT_TRANSMIT, type Output } from "../io/machine.js";
import {
	ADDRESS_BAD,
	ADDRESS_LIMIT,
	encodeClientAddress,
	encodeServerAddress,
	type HDLCAddress,
	isAllStations,
} from "./address.js";
import {
	ADDRESS_AT,
	CHECK_LENGTH,
	FLAG,
	FORMAT_SEGMENTED,
	FORMAT_TYPE,
	LLC_COMMAND,
	LLC_DESTINATION,
	LLC_LENGTH,
} from "./frame.js";

/** Maximum length of a piece, bytes. It is small, because the link copies each piece. */
const PIECE_LIMIT = 128;
/** Length of the longest head: flag, format, two addresses, control, header check, LLC header. */
const HEAD_LIMIT = 1 + 2 + ADDRESS_LIMIT + 1 + 1 + 2 + LLC_LENGTH;
/** Length of frame check and closing flag, bytes. */
const TAIL_LENGTH = 3;

const STAGE_NONE = 0;
const STAGE_HEAD = 1;
const STAGE_INFO = 2;
const STAGE_TAIL = 3;

/** Flag in `kind`: more segments follow. */
export const WITH_MORE = 1;
/** Flag in `kind`: the information begins an APDU. */
export const WITH_LLC = 2;

export class FrameSender {
	readonly toAllStations: boolean;
	control = 0;
	/** End of the server address in `head`; the address begins at ADDRESS_AT. ADDRESS_BAD if it is invalid. */
	readonly sourceStart: number;
	/** End of the client address in `head`; ADDRESS_BAD if one of the two addresses is invalid. */
	readonly sourceEnd: number;
	/** Buffer for the bytes before the information and then for those after it. */
	readonly head = new Uint8Array(HEAD_LIMIT + TAIL_LENGTH);
	#stage = STAGE_NONE;
	#headEnd = 0;
	#info: Uint8Array = this.head;
	#infoAt = 0;
	#infoEnd = 0;

	constructor(address: HDLCAddress) {
		this.sourceStart = encodeServerAddress(this.head, ADDRESS_AT, address);
		this.sourceEnd =
			this.sourceStart === ADDRESS_BAD ? ADDRESS_BAD : encodeClientAddress(this.head, this.sourceStart, address);
		this.toAllStations = isAllStations(address);
	}

	get unaddressable(): boolean {
		return this.sourceEnd === ADDRESS_BAD;
	}

	get busy(): boolean {
		return this.#stage !== STAGE_NONE;
	}

	/** Returns the length of a frame, bytes. `info` is the length of its information with the LLC header. */
	frameLength(info: number): number {
		return this.sourceEnd + 1 + (info > 0 ? info + CHECK_LENGTH : 0) + TAIL_LENGTH;
	}

	/** Sets the information for the next frame. The bytes must not change until they are sent. */
	carry(bytes: Uint8Array, start: number, end: number): void {
		this.#info = bytes;
		this.#infoAt = start;
		this.#infoEnd = end;
	}

	/** Begins a frame. It has information only if `carry` was called since the last frame. */
	begin(control: number, kind: number): void {
		const { head } = this;
		const info = this.#infoEnd - this.#infoAt + (kind & WITH_LLC ? LLC_LENGTH : 0);
		const length = this.frameLength(info) - 2;
		head[0] = FLAG;
		head[1] = FORMAT_TYPE | (kind & WITH_MORE ? FORMAT_SEGMENTED : 0) | (length >> 8);
		head[2] = length & 0xff;
		this.control = control;
		head[this.sourceEnd] = control;
		let end = this.sourceEnd + 1;
		if (info > 0) end = putCheck(head, end, crc16(head, 1, end));
		if (kind & WITH_LLC) {
			head[end++] = LLC_DESTINATION;
			head[end++] = LLC_COMMAND;
			head[end++] = 0;
		}
		let register = CRC16_START;
		for (let i = 1; i < end; i++) register = stepCRC16(register, head[i]);
		for (let i = this.#infoAt; i < this.#infoEnd; i++) register = stepCRC16(register, this.#info[i]);
		this.#headEnd = end;
		head[putCheck(head, end, register ^ 0xffff)] = FLAG;
		this.#stage = STAGE_HEAD;
	}

	/** Puts the next piece into `output`; call it only while `busy`. */
	next(output: Output): void {
		output.kind = OUTPUT_TRANSMIT;
		if (this.#stage === STAGE_INFO) {
			output.bytes = this.#info;
			output.start = this.#infoAt;
			output.end = Math.min(this.#infoEnd, this.#infoAt + PIECE_LIMIT);
			this.#infoAt = output.end;
			this.#stage = this.#infoAt < this.#infoEnd ? STAGE_INFO : STAGE_TAIL;
			return;
		}
		const hasInfo = this.#infoAt < this.#infoEnd;
		output.bytes = this.head;
		output.start = this.#stage === STAGE_HEAD ? 0 : this.#headEnd;
		output.end = hasInfo ? this.#headEnd : this.#headEnd + TAIL_LENGTH;
		this.#stage = hasInfo ? STAGE_INFO : STAGE_NONE;
	}
}

function putCheck(into: Uint8Array, at: number, check: number): number {
	into[at] = check & 0xff;
	into[at + 1] = check >> 8;
	return at + CHECK_LENGTH;
}
