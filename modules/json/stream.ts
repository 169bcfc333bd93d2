/**
 * A JSON text of any length, made piece by piece as the client takes it: a list of 340 readings needs no list of
 * objects and no buffer but the connection's. Has the shape of the HTTP module's BodySource.
 *
 * The text is cut into units, written by one function: unit 0, 1, 2 … (for a list: the head, one unit a record, the
 * tail). A unit that does not fit into the window is written again, with the part already taken dropped, when the next
 * window comes; so as long as the stream is read, the same unit must give the same bytes.
 */
import type { JSONWriter } from "./writer.js";

/** For windows of 1 KB, into which all but the longest readings fit three times. */
export const SPARE = 320;

/**
 * Writes unit `unit` (maybe nothing at all) and returns true when another follows it, false when it was the last. Called
 * with rising numbers, the same number several times in a row where a unit straddles windows. The nesting goes on from
 * unit to unit.
 */
export type ProduceUnit = (writer: JSONWriter, unit: number) => boolean;

export class JSONStream {
	readonly #writer: JSONWriter;
	readonly #produce: ProduceUnit;
	readonly #spare: number;
	#unit = 0;
	/** Nesting before the unit. */
	#state = 0;
	/** Bytes of the unit that were taken already. */
	#skip = 0;
	/** Bytes of the unit before. */
	#size = 0;
	#ended = false;

	/**
	 * The writer may be shared: nothing is kept in it between two reads. With `spare` a read leaves fewer bytes than that
	 * free rather than begin a unit that will not fit in if it is as long as the last: what is cut is made twice.
	 */
	constructor(writer: JSONWriter, produce: ProduceUnit, spare = 0) {
		this.#spare = spare;
		this.#writer = writer;
		this.#produce = produce;
	}

	/**
	 * Fills `into[start..end)`; returns how many bytes were written: fewer than asked only at the end, or where up to `spare`
	 * were left free; 0 only after the end.
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
