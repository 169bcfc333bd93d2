/**
 * Stream of JSON text of any length, generated as the client takes it: a list of 340 readings needs no list of objects
 * and no buffer but the connection's. Has the shape of the HTTP module's BodySource.
 *
 * One function writes the text in units 0, 1, 2 … (for a list: the head, one unit per record, the tail). A unit that
 * does not fit into the window is written again for the next window, without the part already taken. While the stream
 * is read, the same unit must therefore produce the same bytes.
 */
import type { JSONWriter } from "./writer.js";

/** Suitable for windows of 1 KB, which hold three of all but the longest readings. */
export const SPARE = 320;

/**
 * Writes unit `unit` (which may be empty); returns true when another unit follows. Called with increasing numbers,
 * several times for a unit that crosses windows. The nesting continues from unit to unit.
 */
export type ProduceUnit = (writer: JSONWriter, unit: number) => boolean;

export class JSONStream {
	readonly #writer: JSONWriter;
	readonly #produce: ProduceUnit;
	readonly #spare: number;
	#unit = 0;
	/** Nesting before the unit. */
	#state = 0;
	/** Number of bytes of the unit already taken. */
	#skip = 0;
	#size = 0;
	#ended = false;

	/**
	 * The writer may be shared: it holds no state between two reads. `spare`: maximum number of bytes a read may leave
	 * free. It does so when the next unit, judged by the size of the last one, would not fit, because a unit that crosses
	 * windows is written twice.
	 */
	constructor(writer: JSONWriter, produce: ProduceUnit, spare = 0) {
		this.#spare = spare;
		this.#writer = writer;
		this.#produce = produce;
	}

	/**
	 * Fills `into[start..end)`; returns the number of bytes written. It is less than the space at the end, or when up to
	 * `spare` bytes were left free; it is 0 only after the end.
	 */
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
