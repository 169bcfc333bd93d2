/**
 * Netstrings (cr.yp.to/proto/netstrings.txt) for the connection to the XS worker. A netstring is a decimal length, `:`,
 * that number of bytes, and `,`.
 */
const COLON = 0x3a;
const COMMA = 0x2c;
/** Number of digits that the worker accepts in a length. */
const DIGITS_LIMIT = 9;

export function encodeNetstring(...parts: Uint8Array[]): Buffer {
	let length = 0;
	for (const part of parts) length += part.length;
	return Buffer.concat([Buffer.from(`${length}:`), ...parts, Buffer.of(COMMA)]);
}

export class NetstringReader {
	readonly #limit: number;
	#received: Buffer = Buffer.alloc(0);

	constructor(limit: number) {
		this.#limit = limit;
	}

	push(piece: Buffer): void {
		this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
	}

	/** Returns the next netstring, or undefined if it is incomplete. Throws an Error for an invalid stream. */
	next(): Buffer | undefined {
		const head = this.#received.subarray(0, DIGITS_LIMIT + 1);
		const colon = head.indexOf(COLON);
		const digits = head.toString("latin1", 0, colon < 0 ? head.length : colon);
		const length = Number(digits);
		const isCut = colon < 0 && head.length <= DIGITS_LIMIT;
		if (!/^\d*$/.test(digits) || colon === 0 || (colon < 0 && !isCut) || length > this.#limit) {
			throw new Error("not a netstring, or too long a one");
		}
		const start = colon + 1;
		if (isCut || this.#received.length <= start + length) return undefined;
		if (this.#received[start + length] !== COMMA) throw new Error("netstring without its comma");
		const content = this.#received.subarray(start, start + length);
		this.#received = this.#received.subarray(start + length + 1);
		return content;
	}
}
