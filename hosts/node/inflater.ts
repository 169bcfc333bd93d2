/** Inflater of the host contract with pako, which can stop when the output is full. */
import {
	Z_BUF_ERROR,
	Z_NO_FLUSH,
	Z_OK,
	Z_STREAM_END,
	ZStream,
	zlibInflate,
	zlibInflateInit2,
	zlibInflateReset,
} from "pako";
import { INFLATE_WINDOW, type Inflater } from "../../modules/io/flash.js";

const WINDOW_BITS = Math.log2(INFLATE_WINDOW);

export class PakoInflater implements Inflater {
	readonly ring = new Uint8Array(INFLATE_WINDOW);
	isDone = false;
	readonly #stream = new ZStream();
	/** Reason why the inflater accepts no more of this stream; otherwise empty. */
	#failure = "";

	constructor() {
		// WINDOW_BITS makes pako reject a header with a larger window.
		if (zlibInflateInit2(this.#stream, WINDOW_BITS) !== Z_OK) throw new Error("out of memory");
		this.reset();
	}

	get filled(): number {
		return this.#stream.next_out;
	}

	write(bytes: Uint8Array, start: number, end: number): number {
		if (this.#failure !== "") throw new Error(this.#failure);
		if (!(start >= 0 && start <= end && end <= bytes.length)) throw new RangeError(`no bytes ${start} to ${end}`);
		if (this.isDone) return 0;
		const stream = this.#stream;
		stream.input = bytes;
		stream.next_in = start;
		stream.avail_in = end - start;
		const status = zlibInflate(stream, Z_NO_FLUSH);
		this.isDone = status === Z_STREAM_END;
		// Z_BUF_ERROR is not a failure. It only means that there was no input or no room.
		if (!this.isDone && status !== Z_OK && status !== Z_BUF_ERROR) {
			this.#failure = stream.msg || "the packed data needs a dictionary";
			throw new Error(this.#failure);
		}
		return stream.next_in - start;
	}

	empty(): void {
		this.#stream.next_out = 0;
		this.#stream.avail_out = INFLATE_WINDOW;
	}

	reset(): void {
		zlibInflateReset(this.#stream);
		this.#stream.output = this.ring;
		this.isDone = false;
		this.#failure = "";
		this.empty();
	}

	close(): void {
		this.#failure = "closed";
	}
}
