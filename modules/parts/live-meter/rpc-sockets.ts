/**
 * Shelly's RPC over WebSocket, which a client with a listed address opens by `GET /rpc` with an upgrade. It carries the
 * frames of rpc.ts as text messages. After a client's first request with a `src`, each readout sends it `NotifyStatus`
 * with the power, and with the counters if they have changed or a minute has passed.
 *
 * A socket is closed if its address is no longer listed, if the dialect is turned off, if the client violates the
 * protocol, or if it stays silent after a ping; and, at the next ping at the latest, if there is no fresh value, because
 * clients show the last power for as long as they are connected. Without a fresh value none is opened.
 *
 * Limits: SOCKETS sockets; messages of REQUEST_LIMIT bytes, which are answered one at a time.
 */
import { lowerCase } from "../../bytes/ascii.js";
import { removeAt } from "../../bytes/list.js";
import type { HTTPRequest } from "../../http/request.js";
import type { BodySource, HTTPResponse, LiveBody, LiveReader } from "../../http/response.js";
import { NOTHING_YET } from "../../http/response.js";
import type { TextCodec } from "../../io/host.js";
import type { Cost, MemoryLedger } from "../../io/memory.js";
import { acceptOf, KEY_LENGTH } from "../../websocket/accept.js";
import {
	beginFrame,
	FRAME_MESSAGE,
	FRAME_MORE,
	FRAME_PING,
	FRAME_ROOM,
	FrameReader,
	OPCODE_CLOSE,
	OPCODE_PING,
	OPCODE_PONG,
	OPCODE_TEXT,
} from "../../websocket/frames.js";
import { NO_CLIENT, REPLY_LIMIT, REQUEST_LIMIT, RequestReader, type RPCAnswers, UNKNOWN } from "./rpc.js";

const SOCKETS = 2;
/** A Shelly sends its counters each minute; here they also follow each change. */
const COUNTERS_MS = 60_000;
const SOCKET_COST: Cost = Object.freeze({ slots: 120, chunkBytes: 3072 });

function isHandshake(request: HTTPRequest): boolean {
	const field = (name: string) => request.header(name) ?? "";
	return (
		request.minorVersion === 1 &&
		request.contentLength === 0 &&
		lowerCase(field("upgrade")) === "websocket" &&
		lowerCase(field("connection")).includes("upgrade") &&
		field("sec-websocket-version") === "13" &&
		field("sec-websocket-key").length === KEY_LENGTH
	);
}

export class RPCSockets {
	readonly #answers: RPCAnswers;
	readonly #text: TextCodec;
	readonly #ledger: MemoryLedger;
	readonly #open: RPCSocket[] = [];

	constructor(answers: RPCAnswers, text: TextCodec, ledger: MemoryLedger) {
		this.#answers = answers;
		this.#text = text;
		this.#ledger = ledger;
	}

	/** Returns false if the request is not a handshake, or if its address is not listed. */
	answer(request: HTTPRequest, response: HTTPResponse): boolean {
		if (!isHandshake(request) || !this.#answers.admits(request.remoteAddress)) return false;
		response.lines("Cache-Control: no-store\r\n");
		if (!this.#answers.want() || this.#open.length >= SOCKETS || !this.#ledger.claim(SOCKET_COST)) {
			response.send(503);
			return true;
		}
		const socket = new RPCSocket(this.#answers, this.#text, request.remoteAddress, () => {
			removeAt(this.#open, this.#open.indexOf(socket));
			this.#ledger.release(SOCKET_COST);
		});
		this.#open.push(socket);
		const accept = acceptOf(request.header("sec-websocket-key")!);
		response.lines(`Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`);
		response.send(101, socket);
		return true;
	}

	measured(): void {
		for (let i = 0; i < this.#open.length; i++) this.#open[i].measured();
	}

	/** Closes the sockets whose address is not listed, or all of them. */
	check(isOn: boolean): void {
		for (let i = 0; i < this.#open.length; i++) this.#open[i].check(isOn);
	}
}

class RPCSocket implements BodySource, LiveBody {
	readonly #answers: RPCAnswers;
	readonly #text: TextCodec;
	readonly #address: string;
	readonly #closed: () => void;
	readonly #frames = new FrameReader(REQUEST_LIMIT, true);
	#reader: LiveReader | undefined;
	/** Bytes to send: `#out[#outAt..#outEnd)`. */
	#out: Uint8Array;
	#outAt = 0;
	#outEnd = 0;
	/** Value of `dst` in notifications; UNKNOWN until the client has sent a request with a `src`. */
	#subscriber = UNKNOWN;
	#isDue = false;
	/** Sum of the counters in the last notification that had them, and its time. */
	#countedWh = Number.NEGATIVE_INFINITY;
	#countersMs = Number.NEGATIVE_INFINITY;
	/** True if the client has sent something since the last ping. */
	#isHeard = true;
	#isOver = false;

	constructor(answers: RPCAnswers, text: TextCodec, address: string, closed: () => void) {
		this.#answers = answers;
		this.#text = text;
		this.#address = address;
		this.#closed = closed;
		this.#out = this.#frames.control;
	}

	get live(): LiveBody {
		return this;
	}

	opened(reader: LiveReader): void {
		this.#reader = reader;
	}

	close(): void {
		this.#closed();
	}

	measured(): void {
		if (this.#subscriber === UNKNOWN) return;
		this.#isDue = true;
		this.#reader?.wake();
	}

	check(isOn: boolean): void {
		if (!isOn || !this.#answers.admits(this.#address)) this.end();
	}

	beat(): void {
		if (!this.#isHeard) {
			this.#isOver = true;
			return;
		}
		this.#isHeard = false;
		if (this.#answers.want()) this.send(OPCODE_PING, this.#frames.control, FRAME_ROOM);
		else this.end();
	}

	receive(bytes: Uint8Array, start: number, end: number): number {
		const frames = this.#frames;
		let at = start;
		this.#isHeard = true;
		while (at < end && this.#outAt === this.#outEnd && !this.#isOver) {
			const count = Math.min(end - at, frames.end - frames.at);
			frames.into.set(bytes.subarray(at, at + count), frames.at);
			frames.at += count;
			at += count;
			while (frames.at === frames.end) if (!this.take(frames.next())) break;
		}
		return this.#isOver ? end - start : at - start;
	}

	read(into: Uint8Array, start: number, end: number): number {
		if (this.#outAt === this.#outEnd && this.#isDue && !this.#isOver) this.notify();
		const count = Math.min(end - start, this.#outEnd - this.#outAt);
		into.set(this.#out.subarray(this.#outAt, this.#outAt + count), start);
		this.#outAt += count;
		return count > 0 || this.#isOver ? count : NOTHING_YET;
	}

	/** Handles a result of the frame reader. Returns true if the reader needs more bytes. */
	private take(found: number): boolean {
		const { control, controlEnd, message, length } = this.#frames;
		if (found === FRAME_MORE) return true;
		if (found === FRAME_PING) this.send(OPCODE_PONG, control, controlEnd);
		else if (found === FRAME_MESSAGE) {
			this.#frames.length = -1;
			this.reply(message, length);
		} else this.end();
		return false;
	}

	private reply(message: Uint8Array, length: number): void {
		const reader = new RequestReader(this.#text, (request) => {
			if (request === undefined) return this.end();
			if (request.source !== UNKNOWN) this.#subscriber = request.source;
			this.write((into) => this.#answers.answerMessage(request, this.#address, into));
		});
		reader.write(message, 0, length);
		reader.end();
	}

	private notify(): void {
		this.#isDue = false;
		const { clock } = this.#answers.core;
		const nowMs = clock.monotonicMs();
		const { countedWh } = this.#answers;
		const hasCounters = countedWh !== this.#countedWh || nowMs >= this.#countersMs + COUNTERS_MS;
		this.write((into) => {
			const length = this.#answers.notify(this.#subscriber, this.#address, hasCounters, into);
			if (length > 0 && hasCounters) {
				this.#countedWh = countedWh;
				this.#countersMs = nowMs;
			}
			return length;
		});
	}

	/** Writes a message to the socket. `put` returns the message's length, 0 for no message, or NO_CLIENT. */
	private write(put: (into: Uint8Array) => number): void {
		const bytes = new Uint8Array(FRAME_ROOM + REPLY_LIMIT);
		const length = put(bytes.subarray(FRAME_ROOM));
		if (length === NO_CLIENT) this.end();
		else if (length > 0) this.send(OPCODE_TEXT, bytes, FRAME_ROOM + length);
	}

	private send(opcode: number, bytes: Uint8Array, end: number): void {
		this.#out = bytes;
		this.#outAt = beginFrame(opcode, bytes, FRAME_ROOM, end);
		this.#outEnd = end;
		this.#reader?.wake();
	}

	private end(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		if (this.#outAt === this.#outEnd) this.send(OPCODE_CLOSE, this.#frames.control, FRAME_ROOM);
		this.#reader?.wake();
	}
}
