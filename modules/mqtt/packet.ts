/**
 * Control packets of MQTT 3.1.1 (OASIS Standard, 29 October 2014; the numbers below are its clauses) for a client with
 * one SUBSCRIBE to one to three topics.
 *
 *     fixed header (2.2)   type (bits 7 to 4), flags (3 to 0), then the length of the rest: 1 to 4 bytes, low seven bits first
 *     a field (1.5.3)      length (2 bytes, high byte first), then the bytes of the field; text is UTF-8
 *
 * Limits: an incoming packet has up to PACKET_LIMIT bytes after its fixed header. KEPT_LIMIT of them are stored, or all
 * if MayKeep permits. A topic has up to 65535 bytes, and an outgoing packet up to 268 435 455.
 */

import { putUint16BE, uint16BE } from "../bytes/integers.js";
import type { TextCodec } from "../io/host.js";
import { SETTINGS_FILES } from "../provision/settings-files.js";

export const CONNACK = 2;
export const PUBLISH = 3;
export const PUBACK = 4;
export const SUBACK = 9;
export const PINGRESP = 13;

const CONNECT_HEAD = 0x10;
const PUBLISH_HEAD = 0x30;
const PUBACK_HEAD = 0x40;
/** First byte of SUBSCRIBE, with its fixed flags (3.8.1). */
const SUBSCRIBE_HEAD = 0x82;
const PINGREQ_HEAD = 0xc0;
const DISCONNECT_HEAD = 0xe0;

/** Used instead of a packet identifier if the packet has none (2.3.1). */
export const NO_ID = -1;

/** Flags of CONNECT (3.1.2.3). The will is retained and has QoS 1. */
const FLAG_USER = 0x80;
const FLAG_PASSWORD = 0x40;
const FLAG_WILL = 0x2c;
const FLAG_CLEAN = 0x02;
/** Protocol level of MQTT 3.1.1 (3.1.2.2). */
const LEVEL = 4;
/** Length of protocol name and level, flags and keep-alive. */
const CONNECT_FIXED = 10;

/** Flags of PUBLISH (3.3.1). */
const RETAIN = 0x01;
const QOS_1 = 0x02;
const DUP = 0x08;
const QOS_SHIFT = 1;

/** Maximum length of an incoming packet after its fixed header, bytes. */
export const PACKET_LIMIT = 16_384;
/** Number of bytes of an incoming packet that are stored. */
export const KEPT_LIMIT = 160;
/** Maximum size of the length field, bytes (2.2.3). */
const LENGTH_LIMIT = 4;

export interface ConnectFields {
	readonly clientId: string;
	/** User name. An empty name is sent only together with a password. */
	readonly user: string;
	readonly password: string;
	/** Topic of the will, which the broker publishes when the connection breaks. The will is retained and has QoS 1. */
	readonly willTopic: string;
	readonly willMessage: string;
}

/** Encodes CONNECT (3.1) for a clean session with a will. `keepAliveS`: 0 to 65535. */
export function encodeConnect(text: TextCodec, fields: ConnectFields, keepAliveS: number): Uint8Array {
	const { clientId, user, password, willTopic, willMessage } = fields;
	const parts = [text.encode(clientId), text.encode(willTopic), text.encode(willMessage)];
	let flags = FLAG_WILL | FLAG_CLEAN;
	if (user !== "" || password !== "") {
		// A password requires a user name, but the name may be empty (MQTT-3.1.2-22).
		flags |= FLAG_USER;
		parts.push(text.encode(user));
	}
	if (password !== "") {
		flags |= FLAG_PASSWORD;
		parts.push(text.encode(password));
	}
	let length = CONNECT_FIXED;
	for (const part of parts) length += 2 + part.length;
	const packet = begin(CONNECT_HEAD, length, length);
	let at = packet.length - length;
	packet.set([0, 4, 0x4d, 0x51, 0x54, 0x54, LEVEL, flags, keepAliveS >> 8, keepAliveS], at);
	at += CONNECT_FIXED;
	for (const part of parts) at = putField(packet, at, part);
	return packet;
}

/**
 * Encodes a PUBLISH (3.3) without its payload, which has `length` bytes. `id`: 1 to 65535 for QoS 1, NO_ID for QoS 0.
 * Throws a RangeError if the packet would be too long.
 */
export function encodePublish(topic: Uint8Array, id: number, length: number, isRetained: boolean): Uint8Array {
	const hasId = id !== NO_ID;
	const variable = 2 + topic.length + (hasId ? 2 : 0);
	const packet = begin(PUBLISH_HEAD | (isRetained ? RETAIN : 0) | (hasId ? QOS_1 : 0), variable + length, variable);
	const at = putField(packet, packet.length - variable, topic);
	if (hasId) putUint16BE(packet, at, id);
	return packet;
}

/** Encodes SUBSCRIBE (3.8) with QoS 0. */
export function encodeSubscribe(topics: readonly Uint8Array[], id: number): Uint8Array {
	let length = 2;
	for (const topic of topics) length += 2 + topic.length + 1;
	const packet = begin(SUBSCRIBE_HEAD, length, length);
	let at = packet.length - length;
	putUint16BE(packet, at, id);
	at += 2;
	for (const topic of topics) at = putField(packet, at, topic) + 1;
	return packet;
}

/** Encodes PUBACK (3.4). */
export function encodeAcknowledge(id: number): Uint8Array {
	return Uint8Array.of(PUBACK_HEAD, 2, id >> 8, id);
}

/** Encodes PINGREQ (3.12). */
export function encodePing(): Uint8Array {
	return Uint8Array.of(PINGREQ_HEAD, 0);
}

/** Encodes DISCONNECT (3.14). After it, the broker does not publish the will. */
export function encodeDisconnect(): Uint8Array {
	return Uint8Array.of(DISCONNECT_HEAD, 0);
}

/**
 * Allocates a packet and writes its fixed header. `length`: number of bytes after the fixed header; `room`: number of
 * them for which space is allocated. Throws a RangeError if `length` is too large.
 */
function begin(head: number, length: number, room: number): Uint8Array {
	let digits = 1;
	for (let rest = length; rest > 127; rest >>= 7) digits++;
	if (digits > LENGTH_LIMIT) throw new RangeError("mqtt: a packet is too long");
	const packet = new Uint8Array(1 + digits + room);
	packet[0] = head;
	for (let i = 1, rest = length; i <= digits; i++, rest >>= 7) packet[i] = i < digits ? rest | 0x80 : rest;
	return packet;
}

function putField(packet: Uint8Array, at: number, bytes: Uint8Array): number {
	if (bytes.length > 0xffff) throw new RangeError("mqtt: a field is too long");
	putUint16BE(packet, at, bytes.length);
	packet.set(bytes, at + 2);
	return at + 2 + bytes.length;
}

const PHASE_HEAD = 0;
const PHASE_LENGTH = 1;
const PHASE_REST = 2;
const PHASE_WHOLE = 3;
const PHASE_BAD = 4;

/**
 * Returns true if enough memory is free to store a message of this length. The reader allocates the memory immediately
 * after this call.
 */
export type MayKeep = (length: number) => boolean;

/** Reads incoming packets. After a malformed packet, it rejects all further bytes. */
export class PacketReader {
	kept = new Uint8Array(KEPT_LIMIT);
	length = 0;
	/** If undefined, only the beginning of a long message is stored. */
	mayKeep: MayKeep | undefined;
	#head = 0;
	#phase = PHASE_HEAD;
	#count = 0;

	/** Processes bytes up to the end of a packet. Returns the offset of the next packet. */
	take(bytes: Uint8Array, start: number, end: number): number {
		if (this.#phase === PHASE_WHOLE) {
			if (SETTINGS_FILES && this.kept.length > KEPT_LIMIT) this.kept = new Uint8Array(KEPT_LIMIT);
			this.enter(PHASE_HEAD);
		}
		let at = start;
		while (at < end && this.#phase < PHASE_WHOLE) {
			if (this.#phase === PHASE_REST) at = this.takeRest(bytes, at, end);
			else if (this.#phase === PHASE_LENGTH) this.takeLength(bytes[at++]);
			else {
				this.#head = bytes[at++];
				this.length = 0;
				this.enter(PHASE_LENGTH);
			}
		}
		return at;
	}

	/** True if a packet is complete. The packet stays available until the next `take()`. */
	get isWhole(): boolean {
		return this.#phase === PHASE_WHOLE;
	}

	/** True if the bytes are not MQTT, or not a packet that a broker may send. */
	get isBad(): boolean {
		return this.#phase === PHASE_BAD;
	}

	/** Type of the packet: CONNACK to PINGRESP. */
	get type(): number {
		return this.#head >> 4;
	}

	/** QoS of a PUBLISH: 0 or 1. */
	get qos(): number {
		return (this.#head >> QOS_SHIFT) & 3;
	}

	/** True if the broker had stored this PUBLISH (3.3.1.3). */
	get isRetained(): boolean {
		return (this.#head & RETAIN) !== 0;
	}

	number(at: number): number {
		return uint16BE(this.kept, at);
	}

	/** Offset of a PUBLISH's payload; 0 if its topic is too long to be one of the subscribed topics. */
	get payloadAt(): number {
		const at = 2 + this.number(0) + (this.qos > 0 ? 2 : 0);
		return at <= KEPT_LIMIT ? at : 0;
	}

	holds(bytes: Uint8Array, at: number): boolean {
		const { kept } = this;
		return at + bytes.length <= this.length && bytes.every((byte, i) => kept[at + i] === byte);
	}

	private enter(phase: number): void {
		this.#phase = phase;
		this.#count = 0;
	}

	private takeLength(byte: number): void {
		this.length += (byte & 0x7f) << (7 * this.#count++);
		if (byte > 0x7f) {
			if (this.#count === LENGTH_LIMIT) this.enter(PHASE_BAD);
		} else if (!isValid(this.#head, this.length)) this.enter(PHASE_BAD);
		else if (this.length > 0) {
			if (SETTINGS_FILES && this.length > KEPT_LIMIT && this.mayKeep?.(this.length))
				this.kept = new Uint8Array(this.length);
			this.enter(PHASE_REST);
		} else this.end();
	}

	private takeRest(bytes: Uint8Array, start: number, end: number): number {
		const until = Math.min(end, start + this.length - this.#count);
		for (let at = start; at < until; at++, this.#count++) {
			if (this.#count >= this.kept.length) {
				this.#count += until - at;
				break;
			}
			this.kept[this.#count] = bytes[at];
		}
		if (this.#count === this.length) this.end();
		return until;
	}

	private end(): void {
		this.enter(this.isSound() ? PHASE_WHOLE : PHASE_BAD);
	}

	private isSound(): boolean {
		const { type, kept } = this;
		// In a clean session, the flag for a stored session is 0 (3.2.2.2). Codes above 5 are reserved (3.2.2.3).
		if (type === CONNACK) return kept[0] === 0 && kept[1] <= 5;
		if (type === PUBACK) return this.number(0) !== 0;
		if (type === SUBACK) return kept.subarray(2, this.length).every(isGranted);
		if (type !== PUBLISH) return true;
		const end = 2 + this.number(0);
		// A topic is never empty (4.7.3).
		if (end === 2 || end + (this.qos > 0 ? 2 : 0) > this.length) return false;
		return this.qos === 0 || end + 2 > KEPT_LIMIT || this.number(end) !== 0;
	}
}

function isGranted(code: number): boolean {
	return code <= 2 || code === 0x80;
}

/** Returns true if a broker may send this first byte and this length to a client with one to three subscriptions. */
function isValid(head: number, length: number): boolean {
	switch (head) {
		case CONNACK << 4:
		case PUBACK << 4:
			return length === 2;
		case SUBACK << 4:
			return length >= 3 && length <= 5;
		case PINGRESP << 4:
			return length === 0;
		default: {
			const qos = (head >> QOS_SHIFT) & 3;
			// The flag DUP requires QoS 1 (3.3.1.1).
			if (head >> 4 !== PUBLISH || qos > 1 || (qos === 0 && (head & DUP) !== 0)) return false;
			return length > 2 && length <= PACKET_LIMIT;
		}
	}
}
