/** Sends commands to the Node process, and passes each event to the object with its id (protocol.ts). */
import { decodeValues, encodeValues, type Layout, type ValuesOf } from "./layout.js";
import {
	COMMAND_HEADER_BYTES,
	COMMANDS,
	type Command,
	EVENT_HEADER_BYTES,
	MESSAGE_LIMIT,
	REPLY_ABSENT,
	REPLY_ERROR,
	REPLY_OK,
	REPLY_RANGE_ERROR,
} from "./protocol.js";

export interface Target {
	/**
	 * Handles an event. `kind` is EVENT_…, `count` is the event's number, and `text` contains the data after the header.
	 */
	handle(kind: number, count: number, text: Uint8Array): void;
}

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
	/** Time of the event that is being handled. It never decreases. */
	monotonicMs = 0;
	/** Unix time minus monotonic time, or NaN while the clock is not set. */
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

	ask(id: number, answered: (text: string) => void): void {
		this.attach(id, new Question(this, id, answered));
	}

	/** Frees the id, and also closes the object in the Node process. */
	close(id: number): void {
		this.#targets.delete(id);
		this.call(COMMANDS.close, id);
	}

	detach(id: number): void {
		this.#targets.delete(id);
	}

	target(id: number): Target | undefined {
		return this.#targets.get(id);
	}

	/** Returns undefined for REPLY_ABSENT. Throws the host's error. */
	call<Takes extends Layout, Gives extends Layout>(
		{ code, takes, gives }: Command<Takes, Gives>,
		id: number,
		...values: ValuesOf<Takes>
	): ValuesOf<Gives> | undefined {
		const message = encodeValues(takes, values, COMMAND_HEADER_BYTES);
		if (message.length > MESSAGE_LIMIT) throw new RangeError("more than one message carries");
		message[0] = code;
		new DataView(message.buffer).setUint32(1, id, true);
		const reply = new Uint8Array(issueCommand(message.buffer as ArrayBuffer));
		if (reply[0] === REPLY_OK) return decodeValues(gives, reply, 1);
		if (reply[0] === REPLY_ABSENT) return undefined;
		const text = this.decoder.decode(reply.subarray(1));
		if (reply[0] === REPLY_RANGE_ERROR) throw new RangeError(text);
		if (reply[0] === REPLY_ERROR) throw new Error(text);
		throw new Error(`reply of unknown kind ${reply[0]}`);
	}

	trace(message: string): void {
		this.call(COMMANDS.trace, 0, message);
	}

	/** Returns the event's kind if it is for the worker itself (id 0). Otherwise passes it to its object and returns 0. */
	receive(message: ArrayBuffer): number {
		const view = new DataView(message);
		const kind = view.getUint8(0);
		const id = view.getUint32(1, true);
		this.monotonicMs = Math.max(this.monotonicMs, view.getFloat64(5, true));
		this.utcOffsetMs = view.getFloat64(13, true);
		if (id === 0) return kind;
		// The object may have been closed after the event was sent.
		this.#targets.get(id)?.handle(kind, view.getUint32(21, true), new Uint8Array(message, EVENT_HEADER_BYTES));
		return 0;
	}
}
