/**
 * One clean session of MQTT 3.1.1 over an open connection, for publisher.ts. It is sans-I/O. The queue holds one
 * PUBLISH and short packets. The columns of the table are events:
 *
 *                 CONNACK 0   CONNACK 1 to 5   PUBACK   PUBLISH   invalid    due          leave     lost
 *     GREETING    READY       ENDED            ENDED    ENDED     ENDED      ENDED        LEAVING   ENDED
 *     READY       ENDED       ENDED            –        –         ENDED      PING         LEAVING   ENDED
 *     LEAVING     –           –                –        –         –          ENDED        –         ENDED
 *     ENDED       –           –                –        –         –          –            –         –
 *
 * PING: after PING_MS without an outgoing packet, a PINGREQ is sent. The session ends if a CONNACK, PUBACK or PINGRESP
 * takes longer than ANSWER_MS, or if outgoing bytes are not accepted within that time. LEAVING ends when the connection
 * has accepted DISCONNECT. If a PUBLISH has no PUBACK yet, the caller must repeat it in its next session (4.4).
 *
 * A message with QoS 0 is in flight until the connection has accepted it. After PING_MS without an incoming packet,
 * every message is sent with QoS 1, to detect a dead broker.
 *
 * Limit: the broker may send CHATTER_LIMIT unsolicited packets per ping interval.
 */
import type { TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import { SETTINGS_FILES } from "../provision/settings-files.js";
import {
	CONNACK,
	type ConnectFields,
	encodeAcknowledge,
	encodeConnect,
	encodeDisconnect,
	encodePing,
	encodePublish,
	encodeSubscribe,
	KEPT_LIMIT,
	NO_ID,
	PacketReader,
	PINGRESP,
	PUBACK,
	SUBACK,
} from "./packet.js";

export const SESSION_GREETING = 0;
export const SESSION_READY = 1;
export const SESSION_LEAVING = 2;
export const SESSION_ENDED = 3;

/** Reasons for the end of a session. 1 to 5 are the broker's refusals (3.2.2.3). */
export const END_WELL = 0;
export const END_REFUSED_VERSION = 1;
export const END_REFUSED_ID = 2;
export const END_REFUSED_BUSY = 3;
export const END_REFUSED_LOGIN = 4;
export const END_REFUSED_ACCESS = 5;
export const END_NONSENSE = 6;
/** Nothing was received, or no outgoing bytes were accepted, for ANSWER_MS. */
export const END_SILENT = 7;
/** The connection was lost before the CONNACK. */
export const END_UNGREETED = 8;
/** The connection was lost after the CONNACK. */
export const END_LOST = 9;

/**
 * Keep-alive interval, seconds. Mosquitto 2.1 rejects an interval that is longer than its configured maximum, which is
 * rarely below this value.
 */
export const KEEP_ALIVE_S = 60;
const PING_MS = 45_000;
export const ANSWER_MS = 20_000;
/** Number of packets that a broker may send of its own in CHATTER_MS. */
const CHATTER_LIMIT = 64;
const CHATTER_MS = 60_000;
/** Number of bytes of a received payload that are passed on. The rest is dropped. */
const PAYLOAD_LIMIT = 16;

/** A message to publish. */
export interface Message {
	readonly topic: Uint8Array;
	readonly isRetained: boolean;
	readonly length: number;
	/** Returns the number of bytes written. All calls together write `length` bytes. */
	read(into: Uint8Array, start: number, end: number): number;
}

export interface SessionOptions extends ConnectFields {
	readonly text: TextCodec;
	readonly listenTo: readonly string[];
	readonly listener: SessionListener;
	/** Receiver of long messages on the last topic in `listenTo`. */
	readonly files: FileReceiver | undefined;
}

/** Receives messages that are stored completely. */
export interface FileReceiver {
	mayKeep(length: number): boolean;
	/**
	 * A message has arrived. `file` is undefined if it was not stored; the receiver may keep the array. `length`: number
	 * of bytes of the message.
	 */
	took(file: Uint8Array | undefined, length: number): void;
}

export interface SessionListener {
	/** A message has arrived. `payload`: its first PAYLOAD_LIMIT bytes. */
	arrived(topic: string, payload: string, isRetained: boolean, nowMs: number): void;
}

const OWES_SUBSCRIBE = 1;
const OWES_PING = 2;
const OWES_DISCONNECT = 4;

/** Packet identifier of SUBSCRIBE. PUBLISH uses the identifiers after it, up to LAST_ID. */
const SUBSCRIBE_ID = 1;
const LAST_ID = 0xffff;

export class Session implements Timed {
	state = SESSION_GREETING;
	end = END_WELL;
	/** Number of messages that the broker has acknowledged, or that were sent with QoS 0. */
	acknowledged = 0;
	readonly #reader = new PacketReader();
	readonly #text: TextCodec;
	readonly #listenTo: readonly string[];
	readonly #listener: SessionListener;
	readonly #files: FileReceiver | undefined;
	#pending = 0;
	#ackId = 0;
	#packet: Uint8Array | undefined;
	#sent = 0;
	/** Message whose payload follows the present packet. */
	#body: Message | undefined;
	#left = 0;
	#next: Message | undefined;
	/** Packet identifier of the message in flight; NO_ID if its QoS is 0; 0 if no message is in flight. */
	#id = 0;
	#lastId = SUBSCRIBE_ID;
	#pinged = false;
	#chatter = 0;
	#chatterFromMs = Number.NEGATIVE_INFINITY;
	#inMs = Number.NEGATIVE_INFINITY;
	#dueMs: number;

	constructor(options: SessionOptions, nowMs: number) {
		const { files, text, listenTo, listener } = options;
		this.#files = files;
		if (SETTINGS_FILES && files !== undefined) this.#reader.mayKeep = (length) => files.mayKeep(length);
		this.#text = text;
		this.#listenTo = listenTo;
		this.#listener = listener;
		this.#packet = encodeConnect(text, options, KEEP_ALIVE_S);
		this.#dueMs = nowMs + ANSWER_MS;
	}

	get isFree(): boolean {
		return this.state === SESSION_READY && this.#id === 0;
	}

	/** Sends a message. If `wantsAck`, it stays in flight until the PUBACK. Throws unless `isFree`. */
	publish(message: Message, nowMs: number, wantsAck: boolean): void {
		if (!this.isFree) throw new Error("mqtt: a message is in flight");
		if (wantsAck || nowMs - this.#inMs >= PING_MS) {
			this.#lastId = this.#lastId === LAST_ID ? SUBSCRIBE_ID + 1 : this.#lastId + 1;
			this.#id = this.#lastId;
		} else this.#id = NO_ID;
		this.#next = message;
		this.waitFrom(nowMs);
	}

	/** Sends DISCONNECT after the present packet, so that the will is not published. */
	leave(nowMs: number): void {
		if (this.state === SESSION_GREETING) {
			// Before the CONNACK, no DISCONNECT is needed.
			this.stop(END_WELL);
		} else if (this.state === SESSION_READY) {
			this.state = SESSION_LEAVING;
			this.#pending = OWES_DISCONNECT;
			this.#ackId = 0;
			this.#next = undefined;
			this.waitFrom(nowMs);
		}
	}

	lost(): void {
		if (this.state === SESSION_LEAVING) this.stop(END_WELL);
		else this.stop(this.state === SESSION_GREETING ? END_UNGREETED : END_LOST);
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	advance(nowMs: number): void {
		if (nowMs < this.#dueMs) return;
		if (this.isWaiting) this.stop(END_SILENT);
		else {
			this.#pending |= OWES_PING;
			this.#pinged = true;
			this.waitFrom(nowMs);
		}
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		const reader = this.#reader;
		let at = start;
		while (at < end && this.state < SESSION_LEAVING) {
			at = reader.take(bytes, at, end);
			if (reader.isBad || (reader.isWhole && !this.process(reader, nowMs))) this.stop(END_NONSENSE);
		}
	}

	/** Writes outgoing bytes and returns their number. Exceptions of a message are thrown to the caller. */
	take(into: Uint8Array, start: number, end: number, nowMs: number): number {
		let at = start;
		while (at < end && this.hasPacket()) {
			const packet = this.#packet;
			if (packet !== undefined) {
				const count = Math.min(end - at, packet.length - this.#sent);
				into.set(packet.subarray(this.#sent, this.#sent + count), at);
				this.#sent += count;
				at += count;
				if (this.#sent === packet.length) this.#packet = undefined;
			} else {
				const count = this.#body?.read(into, at, Math.min(end, at + this.#left)) ?? 0;
				// The rest of the payload can't be left out, because the broker was told its length.
				if (count === 0) throw new Error("mqtt: a payload has ended before its length");
				this.#left -= count;
				at += count;
			}
		}
		if (this.#id === NO_ID && this.#next === undefined && this.isIdle) {
			this.#id = 0;
			this.acknowledged++;
		}
		if (this.state === SESSION_LEAVING && this.#pending === 0 && this.isIdle) this.stop(END_WELL);
		else if (at > start) this.waitFrom(nowMs);
		return at - start;
	}

	private get isIdle(): boolean {
		return this.#packet === undefined && this.#left === 0;
	}

	private hasPacket(): boolean {
		if (!this.isIdle) return true;
		this.#body = undefined;
		const next = this.#next;
		if (this.#ackId !== 0) {
			this.#packet = encodeAcknowledge(this.#ackId);
			this.#ackId = 0;
		} else if (this.#pending !== 0) this.#packet = this.nextDue();
		else if (next === undefined) return false;
		else {
			this.#next = undefined;
			this.#body = next;
			this.#left = next.length;
			this.#packet = encodePublish(next.topic, this.#id, next.length, next.isRetained);
		}
		this.#sent = 0;
		return true;
	}

	private nextDue(): Uint8Array {
		// The lowest bit that is set is sent first.
		const bit = this.#pending & -this.#pending;
		this.#pending &= ~bit;
		if (bit === OWES_SUBSCRIBE)
			return encodeSubscribe(
				this.#listenTo.map((topic) => this.#text.encode(topic)),
				SUBSCRIBE_ID,
			);
		return bit === OWES_PING ? encodePing() : encodeDisconnect();
	}

	private process(reader: PacketReader, nowMs: number): boolean {
		const { type } = reader;
		this.#inMs = nowMs;
		if ((type === CONNACK) !== (this.state === SESSION_GREETING)) return false;
		switch (type) {
			case CONNACK:
				this.connack(reader.kept[1]);
				break;
			case PUBACK:
				// A PUBACK is valid only after the whole PUBLISH was sent.
				if (reader.number(0) !== this.#id || this.#next !== undefined || !this.isIdle) return false;
				this.#id = 0;
				this.acknowledged++;
				break;
			case PINGRESP:
				if (!this.#pinged) return false;
				this.#pinged = false;
				break;
			case SUBACK:
				return reader.number(0) === SUBSCRIBE_ID && reader.length === 2 + this.#listenTo.length && this.isExpected();
			default:
				return this.deliver(reader, nowMs);
		}
		this.waitFrom(nowMs);
		return true;
	}

	private connack(code: number): void {
		if (code !== 0) {
			this.stop(code);
			return;
		}
		this.state = SESSION_READY;
		if (this.#listenTo.length > 0) this.#pending = OWES_SUBSCRIBE;
	}

	private deliver(reader: PacketReader, nowMs: number): boolean {
		const at = reader.payloadAt;
		const { isRetained, kept, length, qos } = reader;
		if (at > 0 && qos > 0) this.#ackId = reader.number(at - 2);
		const isWanted = this.isExpected();
		if (at === 0 || !isWanted) return isWanted;
		// The topics are encoded again for each message, because messages are rare.
		const topic = this.#listenTo.find((name) => {
			const bytes = this.#text.encode(name);
			return reader.number(0) === bytes.length && reader.holds(bytes, 2);
		});
		const end = Math.min(length, at + PAYLOAD_LIMIT, kept.length);
		if (SETTINGS_FILES && this.#files !== undefined && topic === this.#listenTo[this.#listenTo.length - 1]) {
			// An empty message only removes a retained one, so it is not passed on.
			const isWhole = length <= kept.length;
			// A short message is copied, because the reader reuses its array.
			const file = length > KEPT_LIMIT ? kept.subarray(at, length) : kept.slice(at, length);
			if (length > at) this.#files.took(isWhole ? file : undefined, length - at);
		} else if (topic !== undefined) {
			const payload = String.fromCharCode(...kept.subarray(at, end));
			this.#listener.arrived(topic, payload, isRetained, nowMs);
		}
		return true;
	}

	private isExpected(): boolean {
		if (this.#inMs >= this.#chatterFromMs + CHATTER_MS) {
			this.#chatterFromMs = this.#inMs;
			this.#chatter = 0;
		}
		return ++this.#chatter <= CHATTER_LIMIT;
	}

	/** True while a reply from the broker, or room for outgoing bytes, is awaited. */
	private get isWaiting(): boolean {
		return this.state !== SESSION_READY || this.#id !== 0 || this.#pinged || this.#pending !== 0 || !this.isIdle;
	}

	private waitFrom(nowMs: number): void {
		if (this.state < SESSION_ENDED) this.#dueMs = nowMs + (this.isWaiting ? ANSWER_MS : PING_MS);
	}

	private stop(end: number): void {
		if (this.state === SESSION_ENDED) return;
		this.state = SESSION_ENDED;
		this.end = end;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.#packet = this.#body = this.#next = undefined;
		this.#left = this.#pending = this.#ackId = 0;
	}
}
