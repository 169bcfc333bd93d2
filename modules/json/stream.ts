/**
 * JSON text of any length, which is generated piece by piece as the client accepts it.
 *
 * A function writes units 0, 1, 2 … (head, records, tail). A unit that does not fit is written again for the next
 * window, so the function must produce the same bytes again.
 */
import type { JSONWriter } from "./writer.js";

/** Value of `spare` for windows of 1 KB, which hold three readings unless these are very long. */
export const SPARE = 320;

/** Writes a unit; returns true if another follows. The nesting of the previous unit continues. */
export type ProduceUnit = (writer: JSONWriter, unit: number) => boolean;

export class JSONStream {
	readonly #writer: JSONWriter;
	readonly #produce: ProduceUnit;
	readonly #spare: number;
	#unit = 0;
	#state = 0;
	#skip = 0;
	#size = 0;
	#ended = false;

	/**
	 * The writer may be shared. `spare`: bytes that a read may leave unused, because a unit that does not fit is written
	 * twice.
	 */
	constructor(writer: JSONWriter, produce: ProduceUnit, spare = 0) {
		this.#spare = spare;
		this.#writer = writer;
		this.#produce = produce;
	}

	/** 0 only after the end. */
	read(into: Uint8Array, start: number, end: number): number {
		const writer = this.#writer;
		let at = start;
		while (at < end && !this.#ended) {
			if (at > start && end - at < this.#size && end - at < this.#spare) break;
			const from = at - this.#skip;
			writer.begin(into, at, end, this.#skip);
			writer.restoreState(this.#state);
			const more = this.#produce(writer, this.#unit);
			const room = end - at;
			at = writer.position;
			if (writer.produced > this.#skip + room) {
				this.#skip += room;
			} else {
				this.#state = writer.saveState();
				this.#skip = 0;
				this.#size = at - from;
				this.#unit++;
				this.#ended = !more;
			}
		}
		return at - start;
	}
}
