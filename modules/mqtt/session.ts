/**
 * One session with a broker, over a connection that stands: MQTT 3.1.1 with a clean session, sans-io. What comes goes
 * into `receive`, what is to be sent comes out of `take`, as much as there is room for; nothing is ever queued but one
 * PUBLISH and the short packets that keep the session up. For publisher.ts.
 *
 *               CONNACK 0   CONNACK 1 to 5   PUBACK   PUBLISH   nonsense   due          leave     lost
 *   GREETING    READY       ENDED            ENDED    ENDED     ENDED      ENDED        LEAVING   ENDED
 *   READY       ENDED       ENDED            –        –         ENDED      PING         LEAVING   ENDED
 *   LEAVING     –           –                –        –         –          ENDED        –         ENDED
 *   ENDED       –           –                –        –         –          –            –         –
 *
 * PING: PINGREQ goes out after PING_MS without a packet of ours; what has been waited for longer than ANSWER_MS (the
 * greeting, a PUBACK, a PINGRESP, or that the broker takes what we send) ends the session. LEAVING is over when DISCONNECT
 * was taken. A PUBLISH that had no PUBACK is the owner's to publish again in its next session: a clean one knows of none
 * before (4.4).
 *
 * A message without an answer (QoS 0) is in flight until it was taken. Where nothing was heard of the broker for PING_MS it wants
 * an answer all the same: such messages put PING off, and a dead broker would never be noticed.
 *
 * Limits: one PUBLISH in flight; CHATTER_LIMIT packets that nobody asked for in KEEP_ALIVE_S.
 */
import type { TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import {
	CONNACK,
	type ConnectFields,
	encodeAcknowledge,
	encodeConnect,
	encodeDisconnect,
	encodePing,
	encodePublish,
	encodeSubscribe,
	NO_ID,
	PacketReader,
	PINGRESP,
	PUBACK,
	SUBACK,
} from "./packet.js";

/** States. */
export const SESSION_GREETING = 0;
export const SESSION_READY = 1;
export const SESSION_LEAVING = 2;
export const SESSION_ENDED = 3;

/** How it ended: 1 to 5 are the broker's refusals (3.2.2.3). */
export const END_WELL = 0;
export const END_REFUSED_VERSION = 1;
export const END_REFUSED_ID = 2;
export const END_REFUSED_BUSY = 3;
export const END_REFUSED_LOGIN = 4;
export const END_REFUSED_ACCESS = 5;
/** What came makes no sense. */
export const END_NONSENSE = 6;
/** Nothing came, or nothing was taken, for ANSWER_MS. */
export const END_SILENT = 7;
/** The connection is gone: before the greeting, and after it. */
export const END_UNGREETED = 8;
export const END_LOST = 9;

/** 2.1 of Mosquitto refuses who promises more than it is set to; few are set below this. */
export const KEEP_ALIVE_S = 60;
const PING_MS = 45_000;
export const ANSWER_MS = 20_000;
const CHATTER_LIMIT = 64;

/** What is to be published, retained. */
export interface Message {
	/** UTF-8. */
	readonly topic: Uint8Array;
	/** Bytes of the payload. */
	readonly length: number;
	/** Writes the next bytes of the payload into `into[start..end)`; how many. All `length` of them come in the end. */
	read(into: Uint8Array, start: number, end: number): number;
}

export interface SessionOptions extends ConnectFields {
	readonly text: TextCodec;
	/** The topic that is listened to; empty: none. */
	readonly listenTo: string;
	/** The payload there that counts. */
	readonly heard: string;
}

/** What is to be sent when there is room, as bits. */
const OWES_SUBSCRIBE = 1;
const OWES_PING = 2;
const OWES_DISCONNECT = 4;

/** Packet identifiers: one is enough for each kind, since one is in flight at a time. */
const SUBSCRIBE_ID = 1;
const LAST_ID = 0xffff;

export class Session implements Timed {
	/** SESSION_… */
	state = SESSION_GREETING;
	/** END_… */
	end = END_WELL;
	/** Messages that the broker has acknowledged, or taken where no answer is wanted. */
	acknowledged = 0;
	/** How often the message that counts was heard. */
	heard = 0;
	readonly #reader = new PacketReader();
	readonly #text: TextCodec;
	readonly #listenTo: string;
	readonly #heard: string;
	#owes = 0;
	/** Identifier of a PUBLISH of the broker that is to be acknowledged; 0: none. */
	#owedId = 0;
	/** The packet that goes out, and how much of it has gone. */
	#packet: Uint8Array | undefined;
	#sent = 0;
	/** The message whose payload follows it, and how much of that is still to come. */
	#body: Message | undefined;
	#left = 0;
	/** What goes out after it. */
	#next: Message | undefined;
	/** Packet identifier of the message in flight; NO_ID: QoS 0, without one; 0: nothing is in flight. */
	#id = 0;
	#lastId = SUBSCRIBE_ID;
	/** A PINGRESP is to come. */
	#pinged = false;
	#chatter = 0;
	#heardMs = Number.NEGATIVE_INFINITY;
	#dueMs: number;

	constructor(options: SessionOptions, nowMs: number) {
		const { text, listenTo, heard } = options;
		this.#text = text;
		this.#listenTo = listenTo;
		this.#heard = heard;
		this.#packet = encodeConnect(text, options, KEEP_ALIVE_S);
		this.#dueMs = nowMs + ANSWER_MS;
	}

	/** It may `publish`. */
	get isFree(): boolean {
		return this.state === SESSION_READY && this.#id === 0;
	}

	/** Sends it, and waits for its PUBACK if an answer is wanted. Only while `isFree`. */
	publish(message: Message, nowMs: number, wantsAnswer: boolean): void {
		if (!this.isFree) throw new Error("mqtt: a message is in flight");
		if (wantsAnswer || nowMs - this.#heardMs >= PING_MS) {
			this.#lastId = this.#lastId === LAST_ID ? SUBSCRIBE_ID + 1 : this.#lastId + 1;
			this.#id = this.#lastId;
		} else this.#id = NO_ID;
		this.#next = message;
		this.waitFrom(nowMs);
	}

	/** Says goodbye, so that the broker keeps the will to itself. What goes out goes out to its end before. */
	leave(nowMs: number): void {
		if (this.state === SESSION_GREETING) {
			// Nobody there to say it to.
			this.stop(END_WELL);
		} else if (this.state === SESSION_READY) {
			this.state = SESSION_LEAVING;
			this.#owes = OWES_DISCONNECT;
			this.#owedId = 0;
			this.#next = undefined;
			this.waitFrom(nowMs);
		}
	}

	/** The connection is gone. */
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
			this.#owes |= OWES_PING;
			this.#pinged = true;
			this.#chatter = 0;
			this.waitFrom(nowMs);
		}
	}

	/** Takes `bytes[start..end)` that have come. */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		const reader = this.#reader;
		let at = start;
		while (at < end && this.state < SESSION_LEAVING) {
			at = reader.take(bytes, at, end);
			if (reader.isBad || (reader.isWhole && !this.understand(reader, nowMs))) this.stop(END_NONSENSE);
		}
	}

	/** Writes what is to be sent next into `into[start..end)`; how many bytes. What a message throws, this throws. */
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
				// The broker counts on the length that it was told: the session can't go on.
				if (count === 0) throw new Error("mqtt: a payload has ended before its length");
				this.#left -= count;
				at += count;
			}
		}
		if (this.#id === NO_ID && this.#next === undefined && this.isOut) {
			this.#id = 0;
			this.acknowledged++;
		}
		if (this.state === SESSION_LEAVING && this.#owes === 0 && this.isOut) this.stop(END_WELL);
		else if (at > start) this.waitFrom(nowMs);
		return at - start;
	}

	/** Nothing is going out. */
	private get isOut(): boolean {
		return this.#packet === undefined && this.#left === 0;
	}

	/** There is something to be sent; if nothing was going out, the next packet is made. */
	private hasPacket(): boolean {
		if (!this.isOut) return true;
		this.#body = undefined;
		const next = this.#next;
		if (this.#owedId !== 0) {
			this.#packet = encodeAcknowledge(this.#owedId);
			this.#owedId = 0;
		} else if (this.#owes !== 0) this.#packet = this.owed();
		else if (next === undefined) return false;
		else {
			this.#next = undefined;
			this.#body = next;
			this.#left = next.length;
			this.#packet = encodePublish(next.topic, this.#id, next.length);
		}
		this.#sent = 0;
		return true;
	}

	private owed(): Uint8Array {
		// The lowest bit that is set.
		const bit = this.#owes & -this.#owes;
		this.#owes &= ~bit;
		if (bit === OWES_SUBSCRIBE) return encodeSubscribe(this.#text.encode(this.#listenTo), SUBSCRIBE_ID);
		return bit === OWES_PING ? encodePing() : encodeDisconnect();
	}

	/** Acts on a whole packet; false when it must not come now. */
	private understand(reader: PacketReader, nowMs: number): boolean {
		const { type } = reader;
		this.#heardMs = nowMs;
		if ((type === CONNACK) !== (this.state === SESSION_GREETING)) return false;
		switch (type) {
			case CONNACK:
				this.greeted(reader.kept[1]);
				break;
			case PUBACK:
				// Nothing but what has gone out whole can have arrived.
				if (reader.number(0) !== this.#id || this.#next !== undefined || !this.isOut) return false;
				this.#id = 0;
				this.acknowledged++;
				break;
			case PINGRESP:
				if (!this.#pinged) return false;
				this.#pinged = false;
				break;
			case SUBACK:
				return reader.number(0) === SUBSCRIBE_ID && this.isExpected();
			default:
				return this.hear(reader);
		}
		this.waitFrom(nowMs);
		return true;
	}

	private greeted(code: number): void {
		if (code !== 0) {
			this.stop(code);
			return;
		}
		this.state = SESSION_READY;
		if (this.#listenTo !== "") this.#owes = OWES_SUBSCRIBE;
	}

	/** A PUBLISH of the broker. */
	private hear(reader: PacketReader): boolean {
		const at = reader.payloadAt;
		const { qos } = reader;
		if (at > 0) {
			if (qos > 0) this.#owedId = reader.number(at - 2);
			// Seldom comes anything: what is compared is made then.
			const topic = this.#text.encode(this.#listenTo);
			const payload = this.#text.encode(this.#heard);
			const isTopic = reader.number(0) === topic.length && reader.holds(topic, 2);
			if (isTopic && reader.length - at === payload.length && reader.holds(payload, at)) this.heard++;
		}
		return this.isExpected();
	}

	/** Counts what nobody has asked for. */
	private isExpected(): boolean {
		return ++this.#chatter <= CHATTER_LIMIT;
	}

	/** Somebody else has to do something. */
	private get isWaiting(): boolean {
		return this.state !== SESSION_READY || this.#id !== 0 || this.#pinged || this.#owes !== 0 || !this.isOut;
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
		this.#left = this.#owes = this.#owedId = 0;
	}
}
