/**
 * Records the HDLC frames of gateway and DLMS meter, and calculates the traffic of an ideal client with a single
 * request. It assumes the simulator's defaults: frames with INFO_BYTES, a window of 1 and no block transfer.
 */
import { BITS_PER_CHARACTER } from "../../hosts/node/wire-character.js";
import { type Machine, OUTPUT_TRANSMIT, type Output } from "../../modules/io/machine.js";
import { type Frame, FrameFinder } from "../meter/hdlc-frame.js";

export const REACTION_MS = 20;
const INFO_BYTES = 128;
const SNRM = 0x93;
const RR = 0x01;
const LLC_BYTES = 3;
/** Length of a frame without information: flags, format, addresses (2 bytes and 1 byte), control, FCS. */
const FRAME_BYTES = 10;
/** Length of the HCS that a frame with information also has. */
const CHECK_BYTES = 2;
const GET = [0xc0, 0xc8];
const GLO_GET = [0xc8, 0xcc];
/** Number of bytes that ciphering adds: security control, invocation counter, tag. */
const SEALING_BYTES = 5 + 12;
/** Number of bytes before the payload of GET and response, for one attribute. */
const NORMAL_HEAD = 3;
/** Number of bytes before the payload of GET and response, for several attributes. */
const LIST_HEAD = 4;
const ATTRIBUTE_BYTES = 10;

export interface Load {
	readonly bytes: number;
	/** Number of frames that the client sends. The meter answers each after its reaction time. */
	readonly exchanges: number;
}

export interface Traffic extends Load {
	readonly information: number;
	readonly ready: number;
	readonly sent: number;
	readonly received: number;
	readonly ideal: Load;
}

interface Piece {
	readonly fromMeter: boolean;
	readonly frame: Frame;
}

interface APDU {
	readonly fromMeter: boolean;
	readonly bytes: Buffer;
}

export function loadMs({ bytes, exchanges }: Load, baud: number): number {
	return (bytes * BITS_PER_CHARACTER * 1000) / baud + exchanges * REACTION_MS;
}

export class DLMSTap implements Machine {
	readonly #meter: Machine;
	#client = new FrameFinder();
	#server = new FrameFinder();
	#pieces: Piece[] = [];
	#bytes = 0;

	constructor(meter: Machine) {
		this.#meter = meter;
	}

	get deadlineMs(): number {
		return this.#meter.deadlineMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#record(this.#client, false, bytes.subarray(start, end));
		this.#meter.receive(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		this.#meter.advance(nowMs);
	}

	poll(): Output {
		const output = this.#meter.poll();
		if (output.kind === OUTPUT_TRANSMIT)
			this.#record(this.#server, true, output.bytes.subarray(output.start, output.end));
		return output;
	}

	take(): Traffic {
		const pieces = this.#pieces;
		const bytes = this.#bytes;
		this.#pieces = [];
		this.#bytes = 0;
		const own = pieces.filter(({ fromMeter }) => !fromMeter).map(({ frame }) => frame.control);
		const load = { bytes, exchanges: own.length };
		const apdus = apdusOf(pieces);
		const sum = (ofMeter: boolean) =>
			apdus.filter(({ fromMeter }) => fromMeter === ofMeter).reduce((all, apdu) => all + apdu.bytes.length, 0);
		const last = pieces.findLastIndex(({ frame }) => frame.control === SNRM);
		return {
			...load,
			information: own.filter((control) => (control & 1) === 0).length,
			ready: own.filter((control) => (control & 0x0f) === RR).length,
			sent: sum(false),
			received: sum(true),
			ideal: improve(load, apdusOf(pieces.slice(last))),
		};
	}

	#record(finder: FrameFinder, fromMeter: boolean, bytes: Uint8Array): void {
		this.#bytes += bytes.length;
		for (const byte of bytes) {
			// All characters get the same time, because gaps do not matter here.
			const frame = finder.take(byte, 0);
			if (typeof frame !== "number") this.#pieces.push({ fromMeter, frame });
		}
	}
}

function apdusOf(pieces: readonly Piece[]): APDU[] {
	const apdus: APDU[] = [];
	let parts: Buffer[] = [];
	for (const { fromMeter, frame } of pieces) {
		if ((frame.control & 1) !== 0) continue;
		parts.push(frame.information);
		if (frame.isSegmented) continue;
		apdus.push({ fromMeter, bytes: Buffer.concat(parts).subarray(LLC_BYTES) });
		parts = [];
	}
	return apdus;
}

function improve(load: Load, apdus: readonly APDU[]): Load {
	let { bytes, exchanges } = load;
	let requested = 0;
	let answered = 0;
	let isSealed = false;
	apdus.forEach((request, i) => {
		if (request.fromMeter || !GET.includes(request.bytes[0])) return;
		const response = apdus[i + 1].bytes;
		isSealed = GLO_GET.includes(request.bytes[0]);
		const plain = unsealed(request.bytes);
		const head = (plain - NORMAL_HEAD) % ATTRIBUTE_BYTES === 0 ? NORMAL_HEAD : LIST_HEAD;
		if ((plain - head) % ATTRIBUTE_BYTES !== 0) throw new Error("a request that is not a GET of attributes");
		requested += plain - head;
		answered += unsealed(response) - head;
		const part = exchange(request.bytes.length, response.length);
		bytes -= part.bytes;
		exchanges -= part.exchanges;
	});
	const merged = exchange(sealed(LIST_HEAD + requested, isSealed), sealed(LIST_HEAD + answered, isSealed));
	return { bytes: bytes + merged.bytes, exchanges: exchanges + merged.exchanges };
}

/** Counts the segments of request and response, and an RR for each of them except the last. */
function exchange(request: number, response: number): Load {
	const there = Math.ceil((request + LLC_BYTES) / INFO_BYTES);
	const back = Math.ceil((response + LLC_BYTES) / INFO_BYTES);
	const frames = (there + back) * (FRAME_BYTES + CHECK_BYTES) + (there + back - 2) * FRAME_BYTES;
	return { bytes: frames + request + response + 2 * LLC_BYTES, exchanges: there + back - 1 };
}

function unsealed(apdu: Buffer): number {
	if (!GLO_GET.includes(apdu[0])) return apdu.length;
	return apdu.length - 1 - lengthBytes(apdu.length - 2) - SEALING_BYTES;
}

function sealed(length: number, isSealed: boolean): number {
	return isSealed ? 1 + lengthBytes(length + SEALING_BYTES) + SEALING_BYTES + length : length;
}

function lengthBytes(length: number): number {
	if (length < 0x80) return 1;
	return length < 0x100 ? 2 : 3;
}
