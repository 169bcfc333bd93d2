/** Inflater of the host contract, which uses the library tinfl (inflate-xs.c). */
import { INFLATE_WINDOW, type Inflater } from "../../modules/io/flash.js";

/** An object takes about 11 KB of heap. */
class Bindings extends Native("xs_inflate_destructor") {
	constructor() {
		super();
		native("xs_inflate").call(this);
	}
	write(bytes: Uint8Array, start: number, end: number, ring: Uint8Array): number {
		return native("xs_inflate_write").call(this, bytes, start, end, ring);
	}
	filled(): number {
		return native("xs_inflate_filled").call(this);
	}
	isDone(): boolean {
		return native("xs_inflate_is_done").call(this);
	}
	empty(): void {
		native("xs_inflate_empty").call(this);
	}
	reset(): void {
		native("xs_inflate_reset").call(this);
	}
	close(): void {
		native("xs_inflate_close").call(this);
	}
}

export class NativeInflater implements Inflater {
	readonly ring = new Uint8Array(INFLATE_WINDOW);
	readonly #native = new Bindings();

	get filled(): number {
		return this.#native.filled();
	}

	get isDone(): boolean {
		return this.#native.isDone();
	}

	write(bytes: Uint8Array, start: number, end: number): number {
		return this.#native.write(bytes, start, end, this.ring);
	}

	empty(): void {
		this.#native.empty();
	}

	reset(): void {
		this.#native.reset();
	}

	close(): void {
		this.#native.close();
	}
}
