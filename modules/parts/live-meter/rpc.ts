/**
 * Frames of Shelly's RPC over UDP, in `POST /rpc`, and over WebSocket (rpc-sockets.ts):
 *
 *     request        {"id":1,"src":"user","method":"EM.GetStatus","params":{"id":0}}
 *     reply          {"id":1,"src":"shellypro3em-…","dst":"user","result":{…}}
 *     notification   {"src":"shellypro3em-…","dst":"user","method":"NotifyStatus","params":{"ts":1,"em:0":{…},"emdata:0":{…}}}
 *
 * Over UDP there is no reply to a malformed request, an unknown method or a sender that is not listed, and none while
 * there is no fresh value. Each UDP port takes a thread on the chip, so only the port in the settings is open.
 */
import { bodyField, checkField, PRINTABLE, TEXT } from "../../config/schema.js";
import type { Core } from "../../core/core.js";
import type { BodySink } from "../../http/handler.js";
import type { DatagramMachine, DatagramPort, DatagramSender, DatagramSource } from "../../io/datagrams.js";
import type { TextCodec } from "../../io/host.js";
import {
	JSONReader,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_NULL,
	TOKEN_NUMBER,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_STRING,
} from "../../json/reader.js";

/** Maximum size of a request, bytes. The requests of known clients have 50 to 160. */
export const REQUEST_LIMIT = 512;
/** Maximum size of a reply, bytes: the largest datagram that is not fragmented. */
export const REPLY_LIMIT = 1472;
/** Longest name of a method or of a client, and longest id, characters. */
export const NAME_LIMIT = 64;
/** Value of `dst` in the reply to a request without `src`. */
export const UNKNOWN = "unknown";
/** Returned in place of a length if the address is not listed. */
export const NO_CLIENT = -1;

const SOURCE = bodyField<string>({ name: "src", kind: TEXT, maximum: NAME_LIMIT, characters: PRINTABLE });
const METHOD = bodyField<string>({ name: "method", kind: TEXT, maximum: NAME_LIMIT, characters: PRINTABLE });
const DEPTH = 4;

export interface RPCRequest {
	/** Returned as it was sent: a number, a text or null (JSON-RPC 2.0, 4); 0 if the request has none. */
	readonly id: number | string | null;
	readonly source: string;
	readonly method: string;
}

/** Reads a request. Members other than `id`, `src` and `method` are skipped. */
export class RequestReader implements BodySink {
	readonly limit = REQUEST_LIMIT;
	readonly #text: TextCodec;
	readonly #done: (request: RPCRequest | undefined) => void;
	readonly #reader = new JSONReader({ maxDepth: DEPTH, scratch: 4 * NAME_LIMIT });
	#isObject = false;
	#isRefused = false;
	#name = "";
	#id: number | string | null = 0;
	#source = UNKNOWN;
	#method = "";

	/** `done` gets undefined if the request is invalid. */
	constructor(text: TextCodec, done: (request: RPCRequest | undefined) => void) {
		this.#text = text;
		this.#done = done;
		this.#reader.begin();
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#reader.push(bytes, start, end);
		this.read();
	}

	end(): void {
		this.#reader.finish();
		this.read();
		const isWhole = this.#isObject && !this.#isRefused && this.#method !== "";
		this.#done(isWhole ? { id: this.#id, source: this.#source, method: this.#method } : undefined);
	}

	abort(): void {}

	private read(): void {
		const reader = this.#reader;
		for (let token = reader.next(); token !== TOKEN_MORE && token !== TOKEN_END; token = reader.next()) {
			if (token === TOKEN_ERROR) {
				this.#isRefused = true;
				return;
			}
			if (!this.#isObject) {
				this.#isObject = token === TOKEN_OBJECT_START;
				if (!this.#isObject) this.#isRefused = true;
			} else if (token === TOKEN_NAME) this.name();
			else if (token !== TOKEN_OBJECT_END) this.value(token);
		}
	}

	private name(): void {
		const reader = this.#reader;
		const isKnown = reader.textEquals("id") || reader.textEquals(SOURCE.name) || reader.textEquals(METHOD.name);
		this.#name = isKnown ? this.#text.decode(reader.text, 0, reader.length) : "";
		if (!isKnown) reader.skip();
	}

	private value(token: number): void {
		const reader = this.#reader;
		const isText = token === TOKEN_STRING;
		const text = isText ? this.#text.decode(reader.text, 0, reader.length) : "";
		if (this.#name === "id") {
			const isScalar = (token === TOKEN_NUMBER && Number.isFinite(reader.number)) || token === TOKEN_NULL;
			if (isText && text.length <= NAME_LIMIT) this.#id = text;
			else if (isScalar) this.#id = token === TOKEN_NULL ? null : reader.number;
			else this.#isRefused = true;
		} else if (!isText || !checkField(SOURCE, text)) this.#isRefused = true;
		else if (this.#name === SOURCE.name) this.#source = text;
		else this.#method = text;
	}
}

export interface RPCAnswers {
	/** Writes the reply and returns its length; 0 if there is no reply. */
	answerDatagram(request: RPCRequest, remoteAddress: string, into: Uint8Array): number;
	/**
	 * Like `answerDatagram` for a WebSocket, where an unknown method gets an error. Returns NO_CLIENT if the address is
	 * not listed.
	 */
	answerMessage(request: RPCRequest, remoteAddress: string, into: Uint8Array): number;
	/**
	 * Writes a notification with the power and, with `hasCounters`, the counters. Returns the same as `answerMessage`.
	 */
	notify(receiver: string, remoteAddress: string, hasCounters: boolean, into: Uint8Array): number;
	/** Sum of the counters, Wh, which changes with each of them. */
	readonly countedWh: number;
	readonly core: Pick<Core, "clock">;
	/** Returns true if the address is listed. Otherwise remembers it and returns false. */
	admits(remoteAddress: string): boolean;
	/** Records that a client wants values, so that the meter is read often. Returns false if there are no fresh ones. */
	want(): boolean;
}

export class RPCPort implements DatagramMachine {
	port: DatagramPort | undefined;
	readonly #answers: RPCAnswers;
	readonly #buffer: Uint8Array;
	readonly #text: TextCodec;
	#sender: DatagramSender | undefined;

	constructor(answers: RPCAnswers, buffer: Uint8Array, text: TextCodec) {
		this.#answers = answers;
		this.#buffer = buffer;
		this.#text = text;
	}

	get deadlineMs(): number {
		return Number.POSITIVE_INFINITY;
	}

	opened(sender: DatagramSender): void {
		this.#sender = sender;
	}

	lost(): void {}

	advance(): void {}

	received(length: number, { remoteAddress, remotePort }: DatagramSource): void {
		if (length > REQUEST_LIMIT) return;
		const buffer = this.#buffer;
		const reader = new RequestReader(this.#text, (request) => {
			const replied = request === undefined ? 0 : this.#answers.answerDatagram(request, remoteAddress, buffer);
			if (replied > 0) this.#sender?.send(replied, remoteAddress, remotePort);
		});
		reader.write(buffer, 0, length);
		reader.end();
	}
}
