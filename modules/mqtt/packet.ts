/**
 * Control packets of MQTT 3.1.1 (OASIS Standard, 29 October 2014; numbers below are its clauses), as a client needs them
 * that publishes and listens to one topic: what it sends is encoded, what a broker sends is decoded.
 *
 *   fixed header (2.2)   type (bits 7 to 4), flags (3 to 0), then the length of the rest: 1 to 4 bytes, low seven bits first
 *   a field (1.5.3)      length (2, high byte first), bytes; texts are UTF-8
 *
 * Limits: a packet that comes has at most PACKET_LIMIT bytes behind its fixed header, and KEPT_LIMIT of them are kept:
 * all of every packet that counts. A topic has up to 65535 bytes, a packet that is sent 268 435 455.
 */
import type { TextCodec } from "../io/host.js";

/** Types of what comes (2.2.1). */
export const CONNACK = 2;
export const PUBLISH = 3;
export const PUBACK = 4;
export const SUBACK = 9;
export const PINGRESP = 13;

const CONNECT_HEAD = 0x10;
const PUBLISH_HEAD = 0x30;
const PUBACK_HEAD = 0x40;
/** Its flags are fixed (3.8.1). */
const SUBSCRIBE_HEAD = 0x82;
const PINGREQ_HEAD = 0xc0;
const DISCONNECT_HEAD = 0xe0;

/** In place of the identifier of a packet that has none (2.3.1). */
export const NO_ID = -1;

/** Flags of CONNECT (3.1.2.3). The will is retained, with QoS 1. */
const FLAG_USER = 0x80;
const FLAG_PASSWORD = 0x40;
const FLAG_WILL = 0x2c;
const FLAG_CLEAN = 0x02;
/** The version: 3.1.1 (3.1.2.2). */
const LEVEL = 4;
/** Protocol name and version, flags, keep-alive. */
const CONNECT_FIXED = 10;

/** Flags of PUBLISH (3.3.1). */
const RETAIN = 0x01;
const QOS_1 = 0x02;
const DUP = 0x08;
const QOS_SHIFT = 1;

/** Bytes behind the fixed header of what comes: nobody has anything longer to tell us. */
export const PACKET_LIMIT = 2048;
export const KEPT_LIMIT = 64;
/** Bytes of the longest length in a fixed header (2.2.3). */
const LENGTH_LIMIT = 4;

export interface ConnectFields {
	readonly clientId: string;
	/** Empty: neither user nor password is sent, if that is empty as well. */
	readonly user: string;
	readonly password: string;
	/** What the broker publishes, retained and with QoS 1, when we are gone without a word. */
	readonly willTopic: string;
	readonly willMessage: string;
}

/** CONNECT (3.1) with a clean session and a will. `keepAliveS`: seconds, 0 to 65535. */
export function encodeConnect(text: TextCodec, fields: ConnectFields, keepAliveS: number): Uint8Array {
	const { clientId, user, password, willTopic, willMessage } = fields;
	const parts = [text.encode(clientId), text.encode(willTopic), text.encode(willMessage)];
	let flags = FLAG_WILL | FLAG_CLEAN;
	if (user !== "" || password !== "") {
		// There is no password without a user (MQTT-3.1.2-22), who may have an empty name.
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
 * All of a retained PUBLISH (3.3) but its payload, which has `length` bytes and follows: with QoS 1 and this identifier, 1 to
 * 65535, or with QoS 0 where `id` is NO_ID.
 */
export function encodePublish(topic: Uint8Array, id: number, length: number): Uint8Array {
	const hasId = id !== NO_ID;
	const variable = 2 + topic.length + (hasId ? 2 : 0);
	const packet = begin(PUBLISH_HEAD | RETAIN | (hasId ? QOS_1 : 0), variable + length, variable);
	const at = putField(packet, packet.length - variable, topic);
	if (hasId) putNumber(packet, at, id);
	return packet;
}

/** SUBSCRIBE (3.8) to one topic with QoS 0. */
export function encodeSubscribe(topic: Uint8Array, id: number): Uint8Array {
	const length = 2 + 2 + topic.length + 1;
	const packet = begin(SUBSCRIBE_HEAD, length, length);
	putNumber(packet, packet.length - length, id);
	putField(packet, packet.length - length + 2, topic);
	return packet;
}

/** PUBACK (3.4). */
export function encodeAcknowledge(id: number): Uint8Array {
	return Uint8Array.of(PUBACK_HEAD, 2, id >> 8, id);
}

/** PINGREQ (3.12). */
export function encodePing(): Uint8Array {
	return Uint8Array.of(PINGREQ_HEAD, 0);
}

/** DISCONNECT (3.14): the will is not published. */
export function encodeDisconnect(): Uint8Array {
	return Uint8Array.of(DISCONNECT_HEAD, 0);
}

/** A packet of `length` bytes behind its fixed header, `room` of which are to be there. */
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
	putNumber(packet, at, bytes.length);
	packet.set(bytes, at + 2);
	return at + 2 + bytes.length;
}

function putNumber(packet: Uint8Array, at: number, value: number): void {
	packet[at] = value >> 8;
	packet[at + 1] = value;
}

/** Phases of the reader: what the next byte is. */
const PHASE_HEAD = 0;
const PHASE_LENGTH = 1;
const PHASE_REST = 2;
const PHASE_WHOLE = 3;
const PHASE_BAD = 4;

/** Puts packets together from what comes, however it is cut. Once one made no sense, nothing does any more. */
export class PacketReader {
	/** What stands behind the fixed header: its first KEPT_LIMIT bytes. */
	readonly kept = new Uint8Array(KEPT_LIMIT);
	/** Bytes behind the fixed header. */
	length = 0;
	#head = 0;
	#phase = PHASE_HEAD;
	/** Bytes of this phase that were taken. */
	#count = 0;

	/** Takes of `bytes[start..end)` what belongs to the packet; returns where the next one begins. */
	take(bytes: Uint8Array, start: number, end: number): number {
		if (this.#phase === PHASE_WHOLE) this.enter(PHASE_HEAD);
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

	/** The packet is complete; it stays until `take` is called. */
	get isWhole(): boolean {
		return this.#phase === PHASE_WHOLE;
	}

	/** No broker sends this to a client, or it is no MQTT at all. */
	get isBad(): boolean {
		return this.#phase === PHASE_BAD;
	}

	/** CONNACK … PINGRESP. */
	get type(): number {
		return this.#head >> 4;
	}

	/** QoS of a PUBLISH: 0 or 1. */
	get qos(): number {
		return (this.#head >> QOS_SHIFT) & 3;
	}

	/** The number of two bytes at `at`. */
	number(at: number): number {
		return (this.kept[at] << 8) | this.kept[at + 1];
	}

	/** Where the payload of a PUBLISH begins; 0 where its topic is too long to be one that counts. */
	get payloadAt(): number {
		const at = 2 + this.number(0) + (this.qos > 0 ? 2 : 0);
		return at <= KEPT_LIMIT ? at : 0;
	}

	/** Whether `bytes` stand at `at`, all of them. */
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
		} else if (!mayCome(this.#head, this.length)) this.enter(PHASE_BAD);
		else if (this.length > 0) this.enter(PHASE_REST);
		else this.end();
	}

	private takeRest(bytes: Uint8Array, start: number, end: number): number {
		const until = Math.min(end, start + this.length - this.#count);
		for (let at = start; at < until; at++, this.#count++) {
			if (this.#count >= KEPT_LIMIT) {
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

	/** What stands behind the fixed header is what its type wants. */
	private isSound(): boolean {
		const { type, kept } = this;
		// A new session was asked for: the broker knows none of before (3.2.2.2). Codes above 5 are reserved (3.2.2.3).
		if (type === CONNACK) return kept[0] === 0 && kept[1] <= 5;
		if (type === PUBACK) return this.number(0) !== 0;
		if (type === SUBACK) return kept[2] <= 2 || kept[2] === 0x80;
		if (type !== PUBLISH) return true;
		const end = 2 + this.number(0);
		// A topic is never empty (4.7.3).
		if (end === 2 || end + (this.qos > 0 ? 2 : 0) > this.length) return false;
		return this.qos === 0 || end + 2 > KEPT_LIMIT || this.number(end) !== 0;
	}
}

/** Whether a broker may send a packet with this first byte and this length to a client that subscribes to one topic. */
function mayCome(head: number, length: number): boolean {
	switch (head) {
		case CONNACK << 4:
		case PUBACK << 4:
			return length === 2;
		case SUBACK << 4:
			return length === 3;
		case PINGRESP << 4:
			return length === 0;
		default: {
			const qos = (head >> QOS_SHIFT) & 3;
			// What was never sent with QoS 1 is never sent again (3.3.1.1).
			if (head >> 4 !== PUBLISH || qos > 1 || (qos === 0 && (head & DUP) !== 0)) return false;
			return length > 2 && length <= PACKET_LIMIT;
		}
	}
}
