/**
 * Scalers and units of the objects of a poll list, kept by the meter reader from one readout to the next so that they are
 * read once, and the name of the meter that they belong to. A new list needs a new cache; another meter empties it.
 *
 *   offset  bytes          what
 *   0       1              length of the name
 *   1       NAME_LIMIT     logical device name, as text
 *   33      3 each         state, scaler (two's complement), unit
 */

/** The longest logical device name, as text; longer ones are cut (16 octets, Blue Book). */
export const NAME_LIMIT = 32;

/** Unit of a value that has none. */
export const UNIT_NONE = 255;

/** State of a scaler. */
export const SCALER_UNKNOWN = 0;
export const SCALER_KNOWN = 1;
/** The meter does not give it: the value stands as it is, without a unit. */
export const SCALER_DENIED = 2;

const ENTRIES_AT = 1 + NAME_LIMIT;
const ENTRY_SIZE = 3;

export class ScalerCache {
	readonly #bytes: Uint8Array;

	/** For a list of `count` objects. */
	constructor(count: number) {
		this.#bytes = new Uint8Array(ENTRIES_AT + count * ENTRY_SIZE);
	}

	/**
	 * Empties it if it is another meter's, or the name (printable, `text[0..length)`) is empty: it may be another's. True if
	 * something was known that is not any more.
	 */
	setName(text: Uint8Array, length: number): boolean {
		const bytes = this.#bytes;
		const kept = Math.min(length, NAME_LIMIT);
		let same = kept > 0 && bytes[0] === kept;
		for (let i = 0; i < kept && same; i++) same = bytes[1 + i] === text[i];
		if (same) return false;
		let forgets = false;
		for (let i = ENTRIES_AT; i < bytes.length; i += ENTRY_SIZE) forgets ||= bytes[i] !== SCALER_UNKNOWN;
		bytes.fill(0);
		bytes[0] = kept;
		for (let i = 0; i < kept; i++) bytes[1 + i] = text[i];
		return forgets;
	}

	/** Empties it if no meter's name is known: what it holds may be another's. */
	forgetNameless(): void {
		if (this.#bytes[0] === 0) this.#bytes.fill(0);
	}

	/** The name, a copy; no bytes: not told. */
	get name(): Uint8Array {
		return this.#bytes.slice(1, 1 + this.#bytes[0]);
	}

	set(position: number, state: number, scaler: number, unit: number): void {
		const at = ENTRIES_AT + position * ENTRY_SIZE;
		this.#bytes[at] = state;
		this.#bytes[at + 1] = scaler;
		this.#bytes[at + 2] = unit;
	}

	state(position: number): number {
		return this.#bytes[ENTRIES_AT + position * ENTRY_SIZE];
	}

	scaler(position: number): number {
		return (this.#bytes[ENTRIES_AT + position * ENTRY_SIZE + 1] << 24) >> 24;
	}

	unit(position: number): number {
		return this.#bytes[ENTRIES_AT + position * ENTRY_SIZE + 2];
	}
}
