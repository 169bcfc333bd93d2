/** Received bytes, kept in the pieces in which they arrived. The queue's owner must limit its size. */
export class ByteQueue {
	readonly #pieces: Uint8Array[] = [];
	#taken = 0;
	#length = 0;

	get length(): number {
		return this.#length;
	}

	/** Appends a piece, which must not change afterwards. */
	push(piece: Uint8Array): void {
		if (piece.length === 0) return;
		this.#pieces.push(piece);
		this.#length += piece.length;
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		if (this.#length === 0 || end <= start) return undefined;
		let at = start;
		while (at < end && this.#length > 0) {
			const piece = this.#pieces[0];
			const count = Math.min(end - at, piece.length - this.#taken);
			into.set(piece.subarray(this.#taken, this.#taken + count), at);
			at += count;
			this.#taken += count;
			this.#length -= count;
			if (this.#taken === piece.length) {
				this.#pieces.shift();
				this.#taken = 0;
			}
		}
		return at - start;
	}

	clear(): void {
		this.#pieces.length = 0;
		this.#taken = 0;
		this.#length = 0;
	}
}
