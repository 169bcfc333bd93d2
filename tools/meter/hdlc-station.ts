/**
 * Secondary station of HDLC (IEC 62056-46, 6.4: unbalanced, normal response mode), for the simulator. It opens and
 * closes the link, assembles and segments APDUs, and answers the frames that require an answer.
 */
import { type Frame, makeFrame, partsOf } from "./hdlc-frame.js";

const APDU_LIMIT = 65_536;
const DEFAULT_INFORMATION = 128;
const DEFAULT_WINDOW = 1;
const POLL = 0x10;
const SNRM = 0x83;
const DISC = 0x43;
const UA = 0x63;
const DM = 0x0f;
const FRMR = 0x87;
const UI = 0x03;
const RR = 0x01;
const RNR = 0x05;
const REJ = 0x09;
const UNKNOWN_CONTROL = 1;
const TOO_LONG = 4;
const WRONG_NUMBER = 8;
const FROM_CLIENT = Buffer.of(0xe6, 0xe6, 0x00);
const FROM_SERVER = Buffer.of(0xe6, 0xe7, 0x00);
const ALL_STATIONS = [0x7f, 0x3fff];

/** Values that a handler returns instead of an answering APDU. */
export const SILENCE = 0;
/** No answer; DM answers all further frames of the client. */
export const DROP_LINK = 1;
export type Answer = Buffer | typeof SILENCE | typeof DROP_LINK;

export interface StationOptions {
	logical: number;
	physical: number;
	addressLength?: number;
	clients: readonly number[];
	/** Maximum numbers of information bytes in a sent and in a received frame. */
	transmit: number;
	receive: number;
	window: number;
	/** True if UA has no parameters, which means 128 bytes and a window of 1. */
	bareUA?: boolean;
	faults?: StationFaults;
	answer(apdu: Buffer, client: number): Answer;
	onReset(): void;
	onEvent(code: number): void;
}

export interface StationFaults {
	refuse?: number;
	/** True if DM answers SNRM until a DISC, as if an earlier session had been left open. */
	refuseUntilDisconnect?: boolean;
	/** Number of SNRM frames that are not answered. */
	silence?: number;
	/** Number of RNR frames before the first answer. */
	busy?: number;
	/** Number of I frames that are rejected with REJ. */
	reject?: number;
	/** Number of the I frame, counted from 1, that is answered with FRMR. */
	frameReject?: number;
	/** Number of APDUs after which the link is silently lost. */
	loseAfter?: number;
}

export const LINK_OPENED = 20;
export const LINK_REFUSED = 21;
export const LINK_CLOSED = 22;
export const LINK_LOST = 23;
export const FRAME_REJECTED = 24;
export const FRAME_REPEATED = 25;

interface Parameters {
	transmit: number;
	receive: number;
	transmitWindow: number;
	receiveWindow: number;
}

export class HDLCStation {
	readonly #options: StationOptions;
	readonly #faults: StationFaults;
	#client = -1;
	#agreed: Parameters = standard();
	#expected = 0;
	#oldest = 0;
	#segments: Buffer[] = [];
	#sent = 0;
	#apdu: Buffer = Buffer.alloc(0);
	#isMute = false;
	#busy = 0;
	#count = 0;
	#apdus = 0;
	#to: Buffer = Buffer.alloc(0);
	#from: Buffer = Buffer.alloc(0);

	constructor(options: StationOptions) {
		this.#options = options;
		this.#faults = { ...options.faults };
		this.#busy = this.#faults.busy ?? 0;
	}

	get isOpen(): boolean {
		return this.#client >= 0;
	}

	take(frame: Frame): Buffer[] {
		const client = partsOf(frame.source);
		if (!this.#isForUs(frame.destination) || client === undefined) return [];
		this.#to = frame.source;
		this.#from = frame.destination;
		const { control } = frame;
		const isPoll = (control & POLL) !== 0;
		const kind = control & ~POLL;
		if (kind === SNRM) return this.#open(frame, client.upper);
		if (kind === DISC) return this.#close();
		if (this.#isMute || kind === UI) return [];
		if (this.#client !== client.upper) return isPoll ? [this.#frame(DM | POLL)] : [];
		if ((control & 1) === 0) return this.#takeInformation(frame);
		if ((control & 3) === 1 && frame.information.length === 0) return this.#takeSupervisory(control);
		return this.#reject(control, UNKNOWN_CONTROL);
	}

	reset(): void {
		this.#client = -1;
		this.#isMute = false;
		this.#expected = 0;
		this.#oldest = 0;
		this.#segments = [];
		this.#sent = 0;
		this.#apdu = Buffer.alloc(0);
		this.#options.onReset();
	}

	unnumbered(apdu: Buffer): Buffer | undefined {
		return this.isOpen ? this.#frame(UI, Buffer.concat([FROM_SERVER, apdu])) : undefined;
	}

	#isForUs(address: Buffer): boolean {
		const { logical, physical, addressLength } = this.#options;
		const parts = partsOf(address);
		if (parts === undefined || (addressLength !== undefined && addressLength !== address.length)) return false;
		const { upper, lower } = parts;
		const isLower = lower === undefined || lower === physical || ALL_STATIONS.includes(lower);
		return (upper === logical || ALL_STATIONS.includes(upper)) && isLower;
	}

	#open({ information }: Frame, client: number): Buffer[] {
		const faults = this.#faults;
		if (faults.silence) {
			faults.silence--;
			return [];
		}
		const isTaken = this.isOpen && this.#client !== client;
		if (isTaken || faults.refuse || faults.refuseUntilDisconnect || !this.#options.clients.includes(client)) {
			if (faults.refuse) faults.refuse--;
			this.#options.onEvent(LINK_REFUSED);
			return [this.#frame(DM | POLL)];
		}
		this.reset();
		this.#client = client;
		this.#agreed = this.#options.bareUA ? standard() : agree(readParameters(information), this.#options);
		this.#options.onEvent(LINK_OPENED);
		return [this.#frame(UA | POLL, this.#options.bareUA ? undefined : writeParameters(this.#agreed))];
	}

	#close(): Buffer[] {
		this.#faults.refuseUntilDisconnect = false;
		const answer = this.#frame((this.isOpen ? UA : DM) | POLL);
		if (this.isOpen) this.reset();
		this.#options.onEvent(LINK_CLOSED);
		return [answer];
	}

	#takeInformation(frame: Frame): Buffer[] {
		const { control, information, isSegmented } = frame;
		const isPoll = (control & POLL) !== 0;
		if (++this.#count === this.#faults.frameReject) return this.#reject(control, UNKNOWN_CONTROL);
		if (information.length > this.#agreed.receive) return this.#reject(control, TOO_LONG);
		if (this.#faults.reject) {
			this.#faults.reject--;
			return [this.#supervisory(REJ)];
		}
		if (!this.#acknowledge(control >> 5)) return this.#reject(control, WRONG_NUMBER);
		if (((control >> 1) & 7) !== this.#expected) {
			this.#options.onEvent(FRAME_REPEATED);
			if (!isPoll) return [];
			// An answer was lost, so the client repeats a frame.
			const isOld = ((control >> 1) & 7) === ((this.#expected + 7) & 7);
			if (!isOld) return [this.#supervisory(REJ)];
			this.#sent = 0;
			return this.#send();
		}
		this.#expected = (this.#expected + 1) & 7;
		this.#apdu = Buffer.concat([this.#apdu, information]);
		if (this.#apdu.length > APDU_LIMIT) return this.#reject(control, TOO_LONG);
		if (isSegmented) return isPoll ? [this.#supervisory(RR)] : [];
		return this.#answer();
	}

	#answer(): Buffer[] {
		const apdu = this.#apdu;
		this.#apdu = Buffer.alloc(0);
		const lost = this.#faults.loseAfter !== undefined && ++this.#apdus > this.#faults.loseAfter;
		if (lost) delete this.#faults.loseAfter;
		const isOurs = apdu.length > 3 && apdu.subarray(0, 3).equals(FROM_CLIENT);
		const answer = lost ? DROP_LINK : isOurs ? this.#options.answer(apdu.subarray(3), this.#client) : SILENCE;
		if (answer === DROP_LINK) {
			this.reset();
			this.#options.onEvent(LINK_LOST);
			return [this.#frame(DM | POLL)];
		}
		if (answer === SILENCE) {
			this.#isMute = true;
			return [];
		}
		const whole = Buffer.concat([FROM_SERVER, answer]);
		this.#oldest = (this.#oldest + this.#sent) & 7;
		this.#segments = [];
		this.#sent = 0;
		for (let at = 0; at < whole.length; at += this.#agreed.transmit)
			this.#segments.push(whole.subarray(at, at + this.#agreed.transmit));
		return this.#send();
	}

	#takeSupervisory(control: number): Buffer[] {
		if (!this.#acknowledge(control >> 5)) return this.#reject(control, WRONG_NUMBER);
		const kind = control & 0x0f;
		if (kind !== RR && kind !== RNR && kind !== REJ) return this.#reject(control, UNKNOWN_CONTROL);
		if ((control & POLL) === 0) return [];
		// Unacknowledged frames were lost and are sent again.
		this.#sent = 0;
		return kind === RNR ? [this.#supervisory(RR)] : this.#send();
	}

	/** Drops acknowledged frames. Returns false if the number acknowledges frames that were never sent. */
	#acknowledge(number: number): boolean {
		const count = (number - this.#oldest) & 7;
		if (count > this.#sent) return false;
		this.#segments.splice(0, count);
		this.#sent -= count;
		this.#oldest = number;
		return true;
	}

	#send(): Buffer[] {
		if (this.#busy > 0) {
			this.#busy--;
			return [this.#supervisory(RNR)];
		}
		if (this.#segments.length === 0) return [this.#supervisory(RR)];
		const frames: Buffer[] = [];
		const count = Math.min(this.#segments.length, this.#agreed.transmitWindow);
		for (; this.#sent < count; this.#sent++) {
			const number = (this.#oldest + this.#sent) & 7;
			const final = this.#sent === count - 1 ? POLL : 0;
			const control = (this.#expected << 5) | final | (number << 1);
			const isSegmented = this.#sent < this.#segments.length - 1;
			frames.push(this.#frame(control, this.#segments[this.#sent], isSegmented));
		}
		return frames;
	}

	#supervisory(kind: number): Buffer {
		return this.#frame((this.#expected << 5) | POLL | kind);
	}

	#reject(control: number, reason: number): Buffer[] {
		const numbers = (this.#expected << 5) | (((this.#oldest + this.#sent) & 7) << 1);
		this.#options.onEvent(FRAME_REJECTED);
		this.#isMute = true;
		return [this.#frame(FRMR | POLL, Buffer.of(control, numbers, reason))];
	}

	#frame(control: number, information: Buffer = Buffer.alloc(0), isSegmented = false): Buffer {
		return makeFrame({ isSegmented, destination: this.#to, source: this.#from, control, information });
	}
}

function standard(): Parameters {
	return {
		transmit: DEFAULT_INFORMATION,
		receive: DEFAULT_INFORMATION,
		transmitWindow: DEFAULT_WINDOW,
		receiveWindow: DEFAULT_WINDOW,
	};
}

/** Reads the client's parameters. The client transmits the frames that the station receives, and vice versa. */
function readParameters(information: Buffer): Parameters {
	const wanted = standard();
	if (information[0] !== 0x81 || information[1] !== 0x80) return wanted;
	for (let at = 3; at + 1 < information.length; at += 2 + information[at + 1]) {
		const value = information.subarray(at + 2, at + 2 + information[at + 1]).reduce((all, byte) => all * 256 + byte, 0);
		if (value === 0) continue;
		if (information[at] === 0x05) wanted.receive = value;
		if (information[at] === 0x06) wanted.transmit = value;
		if (information[at] === 0x07) wanted.receiveWindow = value;
		if (information[at] === 0x08) wanted.transmitWindow = value;
	}
	return wanted;
}

function agree(wanted: Parameters, own: StationOptions): Parameters {
	return {
		transmit: Math.min(wanted.transmit, own.transmit),
		receive: Math.min(wanted.receive, own.receive),
		transmitWindow: Math.min(wanted.transmitWindow, own.window),
		receiveWindow: Math.min(wanted.receiveWindow, own.window),
	};
}

function writeParameters({ transmit, receive, transmitWindow, receiveWindow }: Parameters): Buffer {
	const size = (value: number) => (value < 256 ? [1, value] : [2, value >> 8, value & 0xff]);
	const parameters = [0x05, ...size(transmit), 0x06, ...size(receive)];
	parameters.push(0x07, 4, 0, 0, 0, transmitWindow, 0x08, 4, 0, 0, 0, receiveWindow);
	return Buffer.of(0x81, 0x80, parameters.length, ...parameters);
}
