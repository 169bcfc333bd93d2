/**
 * JSON text of any length, which is generated piece by piece as the client accepts it.
 *
 * A function writes the units 0, 1, 2 … of the text, such as head, records and tail. A unit that does not fit into the
 * window is written again for the next window, so the function must produce the same bytes again.
 */
import type { JSONWriter } from "./writer.js";

/** Value of `spare` for windows of 1 KB. A window then holds three readings, unless they are very long. */
export const SPARE = 320;

/**
 * Writes a unit and returns true if another one follows. A unit continues at the nesting where the previous one ended.
 */
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

	/** The writer may be shared. A read may leave `spare` bytes empty rather than write a unit twice. */
	constructor(writer: JSONWriter, produce: ProduceUnit, spare = 0) {
		this.#spare = spare;
		this.#writer = writer;
		this.#produce = produce;
	}

	/** Fills a window and returns the number of bytes; 0 only after the end. */
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
