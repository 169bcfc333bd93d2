/**
 * The worker's end of the line to the Node process: commands go out and are answered at once, events come in and are
 * given to whatever their id stands for. Layouts: protocol.ts. A message is at most MESSAGE_LIMIT bytes.
 */
import {
	COMMAND_CLOSE,
	COMMAND_HEADER_BYTES,
	COMMAND_TRACE,
	EVENT_HEADER_BYTES,
	MESSAGE_LIMIT,
	REPLY_ABSENT,
	REPLY_ERROR,
	REPLY_OK,
	REPLY_RANGE_ERROR,
} from "./protocol.js";

/** What an id stands for. */
export interface Target {
	/** `kind` is EVENT_…; `count` the event's number, `text` what follows the header. */
	handle(kind: number, count: number, text: Uint8Array): void;
}

/** Waits for the answer to one question. */
class Question implements Target {
	readonly #wire: Wire;
	readonly #id: number;
	readonly #answered: (text: string) => void;

	constructor(wire: Wire, id: number, answered: (text: string) => void) {
		this.#wire = wire;
		this.#id = id;
		this.#answered = answered;
	}

	handle(_kind: number, _count: number, text: Uint8Array): void {
		this.#wire.detach(this.#id);
		this.#answered(this.#wire.decoder.decode(text));
	}
}

export class Wire {
	/** Time of the event that is being handled; never goes back. */
	monotonicMs = 0;
	/** Unix time minus monotonic time, NaN while the clock is not set. */
	utcOffsetMs = Number.NaN;
	readonly encoder = new TextEncoder();
	readonly decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	readonly #targets = new Map<number, Target>();
	#lastId = 0;

	newId(): number {
		return ++this.#lastId;
	}

	attach(id: number, target: Target): void {
		this.#targets.set(id, target);
	}

	/** `answered` is told what EVENT_ANSWER says to this id. */
	ask(id: number, answered: (text: string) => void): void {
		this.attach(id, new Question(this, id, answered));
	}

	/** Forgets the id and closes what it stands for on the other side. */
	close(id: number): void {
		this.#targets.delete(id);
		this.call(COMMAND_CLOSE, id);
	}

	/** Forgets the id of something that has ended by itself. */
	detach(id: number): void {
		this.#targets.delete(id);
	}

	/** What the id stands for. */
	target(id: number): Target | undefined {
		return this.#targets.get(id);
	}

	/** The reply's payload, or undefined for REPLY_ABSENT. Throws what the host threw. */
	call(command: number, id: number, ...parts: Uint8Array[]): Uint8Array | undefined {
		let length = COMMAND_HEADER_BYTES;
		for (const part of parts) length += part.length;
		if (length > MESSAGE_LIMIT) throw new RangeError("more than one message carries");
		const message = new Uint8Array(length);
		message[0] = command;
		new DataView(message.buffer).setUint32(1, id, true);
		let at = COMMAND_HEADER_BYTES;
		for (const part of parts) {
			message.set(part, at);
			at += part.length;
		}
		const reply = new Uint8Array(issueCommand(message.buffer));
		const payload = reply.subarray(1);
		if (reply[0] === REPLY_OK) return payload;
		if (reply[0] === REPLY_ABSENT) return undefined;
		const text = this.decoder.decode(payload);
		if (reply[0] === REPLY_RANGE_ERROR) throw new RangeError(text);
		if (reply[0] === REPLY_ERROR) throw new Error(text);
		throw new Error(`reply of unknown kind ${reply[0]}`);
	}

	trace(message: string): void {
		this.call(COMMAND_TRACE, 0, this.encoder.encode(message));
	}

	/** Takes one event; returns its kind when it is for nobody's id (id 0), else 0 after it was handled. */
	receive(message: ArrayBuffer): number {
		const view = new DataView(message);
		const kind = view.getUint8(0);
		const id = view.getUint32(1, true);
		this.monotonicMs = Math.max(this.monotonicMs, view.getFloat64(5, true));
		this.utcOffsetMs = view.getFloat64(13, true);
		if (id === 0) return kind;
		// What was closed after the event was sent hears no more of it.
		this.#targets.get(id)?.handle(kind, view.getUint32(21, true), new Uint8Array(message, EVENT_HEADER_BYTES));
		return 0;
	}
}

/** One byte and one 32-bit number, as COMMAND_SERIAL and COMMAND_CONFIGURE carry them. */
export function byteAndNumber(byte: number, number: number): Uint8Array {
	const bytes = new Uint8Array(5);
	bytes[0] = byte;
	new DataView(bytes.buffer).setUint32(1, number, true);
	return bytes;
}

/** A port and one byte, as COMMAND_UDP and COMMAND_SEND carry them. */
export function portAndByte(port: number, byte: number): Uint8Array {
	return Uint8Array.of(port, port >> 8, byte);
}

export function number32(value: number): Uint8Array {
	const bytes = new Uint8Array(4);
	new DataView(bytes.buffer).setUint32(0, value, true);
	return bytes;
}

export function number64(value: number): Uint8Array {
	const bytes = new Uint8Array(8);
	new DataView(bytes.buffer).setFloat64(0, value, true);
	return bytes;
}

/** The 32-bit number that a reply carries. */
export function toNumber32(bytes: Uint8Array | undefined): number {
	return bytes === undefined ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}
