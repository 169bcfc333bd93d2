/**
 * Frames of Shelly's RPC over UDP, in `POST /rpc`, and over WebSocket (rpc-sockets.ts):
 *
 *     request        {"id":1,"src":"user","method":"EM.GetStatus","params":{"id":0}}
 *     reply          {"id":1,"src":"shellypro3em-…","dst":"user","result":{…}}
 *     notification   {"src":"shellypro3em-…","dst":"user","method":"NotifyStatus","params":{"ts":1,"em:0":{…}}}
 *
 * Over UDP there is no reply to a malformed request, an unknown method or a sender that is not listed, and none while
 * there is no fresh value. Each UDP port takes a thread on the chip, so only the port in the settings is open.
 */
import { type BodyTable, type BodyValues, needed } from "../../api/body.js";
import { ObjectReader } from "../../api/validate.js";
import { bodyField, INTEGER, PRINTABLE, TEXT } from "../../config/schema.js";
import type { DatagramMachine, DatagramPort, DatagramSender, DatagramSource } from "../../io/datagrams.js";
import type { TextCodec } from "../../io/host.js";

/** Maximum size of a request, bytes. The requests of known clients have 50 to 160. */
export const REQUEST_LIMIT = 512;
/** Maximum size of a reply, bytes: the largest datagram that is not fragmented. */
export const REPLY_LIMIT = 1472;
const NAME_LIMIT = 64;
/** Value of `dst` in the reply to a request without `src`. */
export const UNKNOWN = "unknown";
/** Returned in place of a length if the address is not listed. */
export const NO_CLIENT = -1;

const ID = bodyField<number>({ name: "id", kind: INTEGER, minimum: -(2 ** 31), maximum: 2 ** 31 - 1 });
const SOURCE = bodyField<string>({ name: "src", kind: TEXT, maximum: NAME_LIMIT, characters: PRINTABLE });
const METHOD = bodyField<string>({ name: "method", kind: TEXT, maximum: NAME_LIMIT, characters: PRINTABLE });

const REQUEST: BodyTable = Object.freeze({
	fields: Object.freeze([ID, SOURCE, METHOD]),
	required: Object.freeze([METHOD.name]),
	limit: REQUEST_LIMIT,
});

export interface RPCRequest {
	readonly id: number;
	readonly source: string;
	readonly method: string;
}

/** `done` gets undefined if the request is invalid. */
export function requestReader(text: TextCodec, done: (request: RPCRequest | undefined) => void): ObjectReader {
	return new ObjectReader(REQUEST, text, (values: BodyValues, code) => {
		if (code !== "") return done(undefined);
		const [id, source] = [values.get(ID) ?? 0, values.get(SOURCE) ?? UNKNOWN];
		done({ id, source, method: needed(values, METHOD) });
	});
}

export interface RPCAnswers {
	/** Writes the reply and returns its length; 0 if there is no reply. */
	answerDatagram(request: RPCRequest, remoteAddress: string, into: Uint8Array): number;
	/**
	 * Like `answerDatagram` for a WebSocket, where an unknown method gets an error. Returns NO_CLIENT if the address is
	 * not listed.
	 */
	answerMessage(request: RPCRequest, remoteAddress: string, into: Uint8Array): number;
	/** Writes a notification with the power. Returns the same as `answerMessage`. */
	notify(receiver: string, remoteAddress: string, into: Uint8Array): number;
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
		const reader = requestReader(this.#text, (request) => {
			const replied = request === undefined ? 0 : this.#answers.answerDatagram(request, remoteAddress, buffer);
			if (replied > 0) this.#sender?.send(replied, remoteAddress, remotePort);
		});
		reader.write(buffer, 0, length);
		reader.end();
	}
}
