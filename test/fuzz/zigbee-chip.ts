/**
 * A coprocessor with Z-Stack's serial interface (MT over UNPI) that answers correctly, in a network or not; tests send
 * other frames between its answers. It checks that the firmware sends whole frames, one request at a time, accesses
 * only the settings below, and never a network key.
 */
import assert from "node:assert/strict";

const SOF = 0xfe;
/** Byte that the firmware sends before a reset to skip the serial boot loader of older chips. */
const SKIP_BOOT_LOADER = 0xef;
const REQUEST = 0x20;
const REPLY = 0x40;

export const RESET = 0x4100;
export const RESET_INDICATION = 0x4180;
export const DATA_REQUEST = 0x2401;
export const DATA_REQUEST_EXT = 0x2402;
export const DATA_CONFIRM = 0x4480;
export const INCOMING = 0x4481;
export const STATE_CHANGE = 0x45c0;
export const LEAVE_INDICATION = 0x45c9;
export const COMMISSIONING = 0x4f80;
const NV_INIT = 0x2107;
const NV_READ = 0x2108;
const NV_WRITE = 0x2109;
const NV_DELETE = 0x2112;
const NV_LENGTH = 0x2113;
const NV_READ_EXT = 0x211c;
const NV_WRITE_EXT = 0x211d;
const LEAVE_REQUEST = 0x2534;
const EXT_NETWORK_INFO = 0x2550;
const COMMISSION = 0x2f05;

const LOGICAL_TYPE = 0x0087;
/**
 * Settings that the firmware may write: startup option, logical type, PAN id, channels, concentrator, ZDO callbacks.
 */
const SETTINGS = [0x0003, 0x0087, 0x0083, 0x0084, 0x0032, 0x008f];
/** Active and alternate network key, link key: the firmware overwrites them with zeros when it leaves its network. */
const KEYS = [0x003a, 0x003b, 0x0102];
/** The network key with its counter, and the NIB: the firmware deletes them when it leaves its network. */
const DELETED = [0x0082, 0x0021];
/** Longest frame through the firmware's link (io/link.ts), bytes. */
const FRAME_LIMIT = 128;

const STATE_HOLD = 0;
const STATE_ROUTER = 7;
const STEERING = 2;
export const COORDINATOR = 0;
export const SHORT_ADDRESS = 0x4a11;
const OWN_ADDRESS = [1, 0, 0, 0, 0, 0x4b, 0x12, 0];
const NETWORK = [0x62, 0x1a, 0, 0, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xdd, 1, 0, 0, 0, 0, 0x4b, 0x12, 0, 15];

/** A frame of the serial interface; `command` has the first command byte in its high byte. */
export function frame(command: number, data: ArrayLike<number>): Uint8Array {
	const bytes = [data.length, command >> 8, command & 0xff, ...Array.from(data)];
	return Uint8Array.of(
		SOF,
		...bytes,
		bytes.reduce((sum, byte) => sum ^ byte, 0),
	);
}

/** The chip's serial frame for a ZCL frame received at endpoint 1. */
export function incoming(
	cluster: number,
	payload: ArrayLike<number>,
	{ source = COORDINATOR, broadcast = 0, endpoint = 1 } = {},
): Uint8Array {
	const head = [
		0,
		0,
		cluster & 0xff,
		cluster >> 8,
		source & 0xff,
		source >> 8,
		1,
		endpoint,
		broadcast,
		200,
		0,
		0,
		0,
		0,
		0,
		0,
	];
	return frame(INCOMING, [...head, payload.length, ...Array.from(payload), source & 0xff, source >> 8, 30]);
}

export interface Sent {
	readonly destination: number;
	readonly endpoint: number;
	readonly cluster: number;
	readonly payload: Uint8Array;
}

export class ScriptedChip {
	/** The chip is in a network, or is once it is started. */
	isMember: boolean;
	/** A network within range permits joining. */
	isOpen = true;
	/** The owner has requested a join; otherwise the firmware may not scan. */
	mayJoin = false;
	isSilent = false;
	/** Frames that the firmware has not yet received. */
	queued: Uint8Array[] = [];
	/** ZCL frames received from the firmware since the last check. */
	sent: Sent[] = [];
	requests = 0;
	readonly #nv = new Map<number, Uint8Array>();
	#state = STATE_HOLD;

	/** A new chip, or with `role` a member of a network in this role. */
	constructor(role?: number) {
		this.isMember = role !== undefined;
		if (role !== undefined) this.#nv.set(LOGICAL_TYPE, Uint8Array.of(role));
	}

	receiveFrame(frameBytes: Uint8Array): void {
		const bytes = frameBytes[0] === SKIP_BOOT_LOADER ? frameBytes.subarray(1) : frameBytes;
		assert.ok(bytes.length >= 5 && bytes.length <= FRAME_LIMIT, `${bytes.length} bytes`);
		const command = (bytes[2] << 8) | bytes[3];
		const data = bytes.slice(4, -1);
		assert.deepEqual(bytes, frame(command, data), "not exactly one whole frame");
		this.requests++;
		const type = bytes[2] & 0xe0;
		assert.ok(type === REQUEST || command === RESET, `command ${command.toString(16)}`);
		this.#check(command, data);
		if (this.isSilent) return;
		if (command === RESET) {
			this.restart();
			return;
		}
		this.queue(command + (REPLY << 8), this.#reply(command, data));
		this.#after(command, data);
	}

	queue(command: number, data: ArrayLike<number>): void {
		this.queued.push(frame(command, data));
	}

	/** Restarts the chip, as a reset or a power cut does. */
	restart(): void {
		if (this.isSilent) return;
		this.#state = STATE_HOLD;
		if (((this.#nv.get(0x0003)?.[0] ?? 0) & 2) !== 0) this.isMember = false;
		this.queue(RESET_INDICATION, [0, 2, 1, 2, 7, 1]);
	}

	#check(command: number, data: Uint8Array): void {
		const id = data[0] | (data[1] << 8);
		const isOverwritten = command === NV_WRITE && KEYS.includes(id) && data.slice(4).every((byte) => byte === 0);
		if (command === NV_DELETE) assert.ok(DELETED.includes(id), `deletes item ${id.toString(16)}`);
		if ([NV_INIT, NV_WRITE, NV_WRITE_EXT].includes(command) && !isOverwritten)
			assert.ok(SETTINGS.includes(id), `writes item ${id.toString(16)}`);
		if ([NV_READ, NV_READ_EXT, NV_LENGTH].includes(command))
			assert.ok(SETTINGS.includes(id), `reads item ${id.toString(16)}`);
		if (command === COMMISSION && (data[0] & STEERING) !== 0)
			assert.ok(this.mayJoin, "scans for a network without a request");
		if (command >> 8 === 0x26) assert.fail("simple interface");
	}

	#reply(command: number, data: Uint8Array): ArrayLike<number> {
		const id = data[0] | (data[1] << 8);
		switch (command) {
			case 0x2101:
				return [0x79, 0x05];
			case 0x2102:
				return [2, 1, 2, 7, 1, 0xd1, 0xfe, 0x34, 1];
			case 0x2104:
				return OWN_ADDRESS;
			case NV_LENGTH:
				return [this.#nv.get(id)?.length ?? 0, 0];
			case NV_READ:
			case NV_READ_EXT: {
				const value = this.#nv.get(id);
				return value === undefined ? [2, 0] : [0, value.length, ...value];
			}
			case NV_WRITE:
				this.#nv.set(id, data.slice(4));
				return [0];
			case NV_INIT:
				if (this.#nv.has(id)) return [0];
				this.#nv.set(id, data.slice(5));
				return [9];
			case 0x2700:
				return [0, ...OWN_ADDRESS, ...this.#address, 7, this.#state, 0];
			case EXT_NETWORK_INFO:
				return [...this.#address, this.#state, ...NETWORK];
			default:
				return [0];
		}
	}

	#after(command: number, data: Uint8Array): void {
		if (command === COMMISSION) this.#commission(data[0]);
		else if (command === LEAVE_REQUEST) this.#leave();
		else if (command === DATA_REQUEST) {
			this.sent.push({
				destination: data[0] | (data[1] << 8),
				endpoint: data[2],
				cluster: data[4] | (data[5] << 8),
				payload: data.slice(10),
			});
			this.queue(DATA_CONFIRM, [0, data[3], data[6]]);
		} else if (command === DATA_REQUEST_EXT) {
			this.sent.push({
				destination: data[1] | (data[2] << 8),
				endpoint: data[9],
				cluster: data[13] | (data[14] << 8),
				payload: data.slice(20),
			});
			this.queue(DATA_CONFIRM, [0, data[12], data[15]]);
		}
	}

	#commission(mode: number): void {
		if (mode === 0 && this.isMember) {
			this.#state = STATE_ROUTER;
			this.queue(STATE_CHANGE, [STATE_ROUTER]);
			this.queue(COMMISSIONING, [13, 0, 0]);
		} else if (mode === 0) this.queue(COMMISSIONING, [2, 0, 0]);
		else if (this.isOpen) {
			this.isMember = true;
			this.#state = STATE_ROUTER;
			for (const state of [2, 3, 5, STATE_ROUTER]) this.queue(STATE_CHANGE, [state]);
			this.queue(COMMISSIONING, [0, 1, 0]);
		} else this.queue(COMMISSIONING, [2, 1, 0]);
	}

	#leave(): void {
		this.isMember = false;
		this.#state = STATE_HOLD;
		this.queue(0x45b4, [...this.#address, 0]);
		this.queue(LEAVE_INDICATION, [...this.#address, ...OWN_ADDRESS, 0, 0, 0]);
		this.queue(STATE_CHANGE, [STATE_HOLD]);
	}

	get #address(): number[] {
		return this.isMember ? [SHORT_ADDRESS & 0xff, SHORT_ADDRESS >> 8] : [0xfe, 0xff];
	}
}
