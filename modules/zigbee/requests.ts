/** Builds requests to the coprocessor, one at a time, stores the bytes to send, and parses the frames from the chip. */
import { hexDigitValue } from "../bytes/hex.js";
import { uint16BE, uint16LE } from "../bytes/integers.js";
import { NO_OUTPUT, OUTPUT_TRANSMIT, type Output } from "../io/machine.js";
import {
	AF_DATA_CONFIRM,
	AF_DATA_REQUEST,
	AF_INCOMING_MSG,
	AF_REGISTER,
	BDB_NOTIFY,
	BDB_START,
	MT_ANSWER,
	RPC_ERROR,
	SYS_GET_EXTADDR,
	SYS_NV_READ,
	SYS_RESET,
	SYS_RESET_IND,
	SYS_VERSION,
	ZDO_EXT_NWK_INFO,
	ZDO_LEAVE_IND,
	ZDO_MGMT_LEAVE,
	ZDO_STATE_CHANGE,
} from "./mt.js";
import {
	DEVICE,
	ENDPOINT,
	isJoined,
	type Network,
	type Outgoing,
	PROFILE,
	RADIO_JOINED,
	type RadioListener,
	ROLE_END_DEVICE,
} from "./radio.js";
import { FrameReader, READER_ROOM, seal } from "./unpi.js";

/**
 * Status of a frame that was lost when the chip restarted, or that was never confirmed. Z-Stack uses this status for
 * expired frames.
 */
export const SENT_LOST = 0xf0;
const CONFIRM_MS = 20_000;

/** Layout of the buffer: received bytes, request, frame in flight, last EXT_NWK_INFO, IEEE address. */
const REQUEST_AT = READER_ROOM;
const FRAME_AT = REQUEST_AT + 64;
const INFO_AT = FRAME_AT + 128;
const INFO_LENGTH = 24;
const ADDRESS_AT = INFO_AT + INFO_LENGTH;
const ADDRESS_LENGTH = 8;
const TRANSACTION_AT = FRAME_AT + 10;
/** Offset of the command. SKIP_BOOT_LOADER has room before its frame. */
const COMMAND_AT = REQUEST_AT + 3;

/** Byte that is sent before a reset, so that the boot loader of CC2530 and CC2531 starts the firmware immediately. */
const SKIP_BOOT_LOADER = 0xef;
/** Silence after which an incomplete frame is discarded, ms. */
const GAP_MS = 500;
export const REQUEST_MS = 6000;
/** Longest time for a scan of all channels with its final notification, ms. */
const BDB_MS = 60_000;
export const LEAVE_MS = 3000;

const REFUSED = 0xff;
const NO_ROLE = -1;
const SOFT = 1;
const DEVICE_VERSION = 1;
/** Option of AF_DATA_REQUEST: the receiver acknowledges the frame. */
const APS_ACKNOWLEDGED = 0x10;
const RADIUS = 30;
/** Number of bytes of AF_INCOMING_MSG before the ZCL frame. The last of them is the length of that frame. */
const INCOMING_HEAD = 17;
const ANY_ENDPOINT = 0xff;

/** Set of the bytes of EXT_NWK_INFO that are shown, as bits: short address, PAN id, extended PAN id, channel. */
const INFO_SHOWN = 0x807f9b;
/** Sets of the device states in which a device is in a network, as bits. */
const STATES_JOINED = 0x00c0;
const STATES_ORPHANED = 0xfc10;
const STATES_SEARCHING = 0x000c;
const NO_NETWORK = 0xffff;

/** Prefixes `!`, `#`, `~` of mt.ts, and the space at the end of a request. */
const IS_STRICT = 0x21;
const WITH_ROLE = 0x23;
const FOR_END_DEVICE = 0x7e;
const SPACE = 0x20;

/* Flags, which share one number to save XS slots. */
/** The bytes received last were not a frame. */
export const ODD = 1;
/** According to EXT_NWK_INFO, the device is in a network and has a parent. */
export const MEMBER = 2;
/** According to EXT_NWK_INFO, the device is in a network, even if its parent is lost. */
export const BELONGS = 4;
/** The last EXT_NWK_INFO showed a different network than the previous one. */
export const OTHER = 8;
/** The pending request has failed if the status of its answer is not 0. */
const STRICT = 16;
const HAS_ADDRESS = 32;
export const FLAG_OF_DRIVER = 64;

export abstract class Requests {
	protected readonly user: RadioListener;
	protected readonly wantedRole: number;
	readonly #bytes = new Uint8Array(ADDRESS_AT + ADDRESS_LENGTH);
	#flags = 0;
	protected gapMs = Infinity;
	/** Role in the chip's NVRAM, ROLE_…; NO_ROLE as long as it is unknown. */
	protected chipRole = NO_ROLE;
	readonly #reader = new FrameReader(this.#bytes);
	protected pendingRequest = 0;
	firmware = "";
	#frameEnd = 0;
	/**
	 * Time limit for the confirmation of the frame in flight, monotonic ms; Infinity until the chip has received the
	 * frame.
	 */
	protected confirmMs = Infinity;
	/** Sequence of mt.ts that is being sent. */
	#script = "";
	#next = 0;
	/** Range of the bytes to send; `#to` is 0 if there are none. */
	#from = 0;
	#to = 0;

	constructor(user: RadioListener, role: number) {
		this.user = user;
		this.wantedRole = role;
	}

	abstract readonly state: number;
	protected abstract restarted(nowMs: number): void;
	/** An answer has arrived, and its content was stored. `isAccepted` is false if a mandatory request was refused. */
	protected abstract answered(request: number, isAccepted: boolean, nowMs: number): void;
	/** No answer has arrived in time. */
	protected abstract missed(nowMs: number): void;
	/** Result of BDB_START, or a later change. `status`: BDB_…; `about`: the process to which it belongs (mt.ts). */
	protected abstract notified(status: number, about: number, nowMs: number): void;
	protected abstract changed(isMember: boolean, nowMs: number): void;
	/** The coordinator has ordered the device to leave. */
	protected abstract expelled(nowMs: number): void;

	protected has(flag: number): boolean {
		return (this.#flags & flag) !== 0;
	}

	protected setFlag(flag: number, isSet: boolean): void {
		this.#flags = isSet ? this.#flags | flag : this.#flags & ~flag;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		const reader = this.#reader;
		this.setFlag(ODD, true);
		for (let at = start; ; reader.skip()) {
			at = reader.read(bytes, at, end);
			if (!reader.isReady) break;
			this.setFlag(ODD, false);
			this.processFrame(reader.data, reader.length, nowMs);
		}
		this.gapMs = reader.isInside ? nowMs + GAP_MS : Infinity;
	}

	protected checkTimeouts(nowMs: number): void {
		const reader = this.#reader;
		if (nowMs >= this.gapMs) {
			while (reader.isInside) {
				reader.skip();
				this.receive(this.#bytes, 0, 0, nowMs);
			}
		}
		if (nowMs >= this.confirmMs) this.finish(SENT_LOST, nowMs);
	}

	poll(): Output {
		const end = this.#to;
		if (end === 0) return NO_OUTPUT;
		this.#to = 0;
		return { ...NO_OUTPUT, kind: OUTPUT_TRANSMIT, bytes: this.#bytes, start: this.#from, end };
	}

	protected dropRequest(): void {
		this.pendingRequest = this.#to = 0;
	}

	private number(at: number): number {
		return uint16LE(this.#bytes, at);
	}

	protected setSequence(script: string): void {
		this.#script = script;
		this.#next = 0;
	}

	protected get limitMs(): number {
		if (this.pendingRequest === ZDO_MGMT_LEAVE) return LEAVE_MS;
		return this.pendingRequest === BDB_START ? BDB_MS : REQUEST_MS;
	}

	protected sendNextRequest(): boolean {
		const script = this.#script;
		const bytes = this.#bytes;
		let at = this.#next;
		if (this.wantedRole !== ROLE_END_DEVICE)
			while (script.charCodeAt(at) === FOR_END_DEVICE) at = script.indexOf(" ", at) + 1;
		if (at === script.length) return false;
		const setFlag = script.charCodeAt(at);
		if (hexDigitValue(setFlag) < 0) at++;
		let to = COMMAND_AT;
		for (; script.charCodeAt(at) !== SPACE; at += 2)
			bytes[to++] = (hexDigitValue(script.charCodeAt(at)) << 4) | hexDigitValue(script.charCodeAt(at + 1));
		if (setFlag === WITH_ROLE) bytes[to - 1] = this.wantedRole;
		this.#next = at + 1;
		this.sendPrepared(to);
		this.setFlag(STRICT, setFlag === IS_STRICT);
		return true;
	}

	protected sendRequest(command: number): void {
		this.sendPrepared(this.put(COMMAND_AT, command >> 8, command & 0xff));
	}

	protected sendReset(): void {
		const at = this.put(COMMAND_AT, SYS_RESET >> 8, SYS_RESET & 0xff);
		this.#bytes[at] = SOFT;
		this.#bytes[REQUEST_AT] = SKIP_BOOT_LOADER;
		this.transmit(REQUEST_AT, seal(this.#bytes, REQUEST_AT + 1, at + 1 - COMMAND_AT));
	}

	protected get isSending(): boolean {
		return this.#frameEnd > 0;
	}

	protected queue(frame: Outgoing): void {
		const size = frame.end - frame.start;
		let at = this.put(FRAME_AT + 2, AF_DATA_REQUEST >> 8, AF_DATA_REQUEST & 0xff);
		at = this.put(at, frame.destination & 0xff, frame.destination >> 8);
		at = this.put(at, frame.destinationEndpoint, ENDPOINT);
		at = this.put(at, frame.cluster & 0xff, frame.cluster >> 8);
		at = this.put(at, (this.#bytes[TRANSACTION_AT] % 0xff) + 1, APS_ACKNOWLEDGED);
		at = this.put(at, RADIUS, size);
		this.#bytes.set(frame.bytes.subarray(frame.start, frame.end), at);
		this.#frameEnd = seal(this.#bytes, FRAME_AT, at + size - FRAME_AT - 2);
	}

	protected sendFrame(nowMs: number): boolean {
		if (!this.isSending || this.confirmMs < Infinity) return false;
		this.confirmMs = nowMs + CONFIRM_MS;
		this.pendingRequest = AF_DATA_REQUEST;
		this.setFlag(STRICT, false);
		this.transmit(FRAME_AT, this.#frameEnd);
		return true;
	}

	protected abandonRequest(nowMs: number): void {
		const isLost = this.pendingRequest === AF_DATA_REQUEST && this.confirmMs < Infinity;
		this.pendingRequest = 0;
		this.missed(nowMs);
		if (isLost) this.finish(SENT_LOST, nowMs);
	}

	protected finish(status: number, nowMs: number): void {
		this.#frameEnd = 0;
		this.confirmMs = Infinity;
		this.user.sent(status, nowMs);
	}

	private deliver(at: number, length: number, nowMs: number): void {
		const bytes = this.#bytes;
		const start = at + INCOMING_HEAD;
		if (this.state !== RADIO_JOINED || length < INCOMING_HEAD || INCOMING_HEAD + bytes[start - 1] > length) return;
		if (bytes[at + 7] !== ENDPOINT && bytes[at + 7] !== ANY_ENDPOINT) return;
		const frame = {
			cluster: this.number(at + 2),
			source: this.number(at + 4),
			sourceEndpoint: bytes[at + 6],
			// True if the frame was sent to all nodes or to a group.
			isBroadcast: bytes[at + 8] !== 0 || this.number(at) !== 0,
			bytes,
			start,
			end: start + bytes[start - 1],
		};
		this.user.received(frame, nowMs);
	}

	/** Stores the version. Returns false if the firmware can't be used. */
	private readVersion(at: number, length: number): boolean {
		if (length < 5) return false;
		const [product, major, minor, patch] = this.#bytes.subarray(at + 1, at + 5);
		let name = `Z-Stack ${major}.${minor}.${patch}`;
		if (product === 1) name = "Z-Stack 3.x.0";
		else if (product === 2) name = "Z-Stack 3.0.x";
		if (length >= 9) {
			const date = `${this.number(at + 5) + this.number(at + 7) * 0x10000}`;
			if (date.length !== 8) name += `, revision ${date}`;
			else name += `, ${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
		}
		this.firmware = name;
		return product === 1 || product === 2 || major > 2 || (major === 2 && minor >= 7);
	}

	private readAddress(at: number, length: number): boolean {
		this.#bytes.copyWithin(ADDRESS_AT, at, at + ADDRESS_LENGTH);
		this.setFlag(HAS_ADDRESS, length >= ADDRESS_LENGTH);
		return length >= ADDRESS_LENGTH;
	}

	get ieeeAddress(): Uint8Array | undefined {
		return this.has(HAS_ADDRESS) ? this.#bytes.slice(ADDRESS_AT, ADDRESS_AT + ADDRESS_LENGTH) : undefined;
	}

	private readNetworkInfo(at: number, length: number): boolean {
		if (length < INFO_LENGTH) return false;
		const bytes = this.#bytes;
		const device = bytes[at + 2];
		const hasNetwork = this.number(at + 3) !== NO_NETWORK;
		const isMember = isIn(STATES_JOINED, device);
		this.setFlag(MEMBER, isMember);
		this.setFlag(BELONGS, isMember || isIn(STATES_ORPHANED, device) || (hasNetwork && isIn(STATES_SEARCHING, device)));
		this.setFlag(OTHER, false);
		// A chip that is searching for its parent may report no network.
		if (!hasNetwork) return true;
		for (let i = 0; i < INFO_LENGTH; i++)
			if (bytes[at + i] !== bytes[INFO_AT + i] && ((INFO_SHOWN >> i) & 1) !== 0) this.setFlag(OTHER, true);
		bytes.copyWithin(INFO_AT, at, at + INFO_LENGTH);
		return true;
	}

	get network(): Network | undefined {
		const bytes = this.#bytes;
		const channel = bytes[INFO_AT + 23];
		if (!isJoined(this.state) || channel === 0) return undefined;
		return {
			channel,
			panId: this.number(INFO_AT + 3),
			shortAddress: this.number(INFO_AT),
			extendedPanId: bytes.slice(INFO_AT + 7, INFO_AT + 15),
		};
	}

	private processFrame(at: number, length: number, nowMs: number): void {
		const bytes = this.#bytes;
		const first = length > 0 ? bytes[at] : REFUSED;
		const command = uint16BE(bytes, at - 2);
		if (command === SYS_RESET_IND) this.restarted(nowMs);
		else if (command === AF_DATA_CONFIRM) {
			if (length >= 3 && this.isSending && bytes[at + 2] === bytes[TRANSACTION_AT]) this.finish(first, nowMs);
		} else if (command === AF_INCOMING_MSG) this.deliver(at, length, nowMs);
		else if (command === ZDO_STATE_CHANGE) this.changed(isIn(STATES_JOINED, first), nowMs);
		else if (command === ZDO_LEAVE_IND) {
			// Another node has ordered this device to leave, without a rejoin.
			if (length >= 13 && bytes[at + 10] !== 0 && bytes[at + 12] === 0) this.expelled(nowMs);
		} else if (command === BDB_NOTIFY) {
			if (length >= 2) this.notified(first, bytes[at + 1], nowMs);
		} else if (command === RPC_ERROR) {
			if (length >= 3) this.answer(uint16BE(bytes, at + 1), REFUSED, at, 0, nowMs);
		} else this.answer(command - MT_ANSWER, first, at, length, nowMs);
	}

	/** Processes an answer. `length` is 0 if the chip does not know the request. */
	private answer(request: number, status: number, at: number, length: number, nowMs: number): void {
		if (request !== this.pendingRequest) return;
		this.pendingRequest = 0;
		let isAccepted = status === 0 || !this.has(STRICT);
		if (request === SYS_VERSION) isAccepted = this.readVersion(at, length);
		else if (request === SYS_GET_EXTADDR) isAccepted = this.readAddress(at, length);
		else if (request === ZDO_EXT_NWK_INFO) isAccepted = this.readNetworkInfo(at, length);
		else if (request === SYS_NV_READ) {
			// The answer has a value only if its status is 0.
			isAccepted = length >= 3 || (length > 0 && status !== 0);
			this.chipRole = status === 0 ? this.#bytes[at + 2] : NO_ROLE;
		}
		const isLost = request === AF_DATA_REQUEST && status !== 0 && this.confirmMs < Infinity;
		this.answered(request, isAccepted, nowMs);
		if (isLost) this.finish(status, nowMs);
	}

	/**
	 * Sends the prepared request. If it is AF_REGISTER, the description of the endpoint is added; if it is a leave, the
	 * short address is inserted.
	 */
	private sendPrepared(end: number): void {
		const bytes = this.#bytes;
		const command = uint16BE(bytes, COMMAND_AT);
		let to = end;
		if (command === AF_REGISTER) {
			to = this.put(to, ENDPOINT, PROFILE & 0xff);
			to = this.put(to, PROFILE >> 8, DEVICE & 0xff);
			to = this.put(to, DEVICE >> 8, DEVICE_VERSION);
			bytes[to++] = 0;
			for (const clusters of [this.user.servers, this.user.clients]) {
				bytes[to++] = clusters.length;
				for (const cluster of clusters) to = this.put(to, cluster & 0xff, cluster >> 8);
			}
		} else if (command === ZDO_MGMT_LEAVE) bytes.copyWithin(COMMAND_AT + 2, INFO_AT, INFO_AT + 2);
		this.pendingRequest = command;
		this.setFlag(STRICT, false);
		this.transmit(REQUEST_AT + 1, seal(bytes, REQUEST_AT + 1, to - COMMAND_AT));
	}

	/** Queues bytes to send. They replace the bytes of an earlier request that were not sent yet. */
	private transmit(from: number, to: number): void {
		this.#from = from;
		this.#to = to;
	}

	private put(at: number, first: number, second: number): number {
		this.#bytes[at] = first;
		this.#bytes[at + 1] = second;
		return at + 2;
	}
}

function isIn(states: number, device: number): boolean {
	return device < 16 && ((states >> device) & 1) !== 0;
}
