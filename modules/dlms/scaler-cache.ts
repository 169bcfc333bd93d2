/**
 * Keeps the scalers and units of a list of objects (poll-list.ts) between readouts, with the name of the meter. A new
 * list needs a new cache. If the meter is exchanged, the cache is cleared.
 *
 *   offset  bytes          content
 *   0       1              length of the name
 *   1       NAME_LIMIT     logical device name, as text
 *   33      3 per object   state, scaler (two's complement), unit
 */

/**
 * Maximum number of characters of a name. The Blue Book allows 16 octets, which are 32 hex digits at most. Longer names
 * are cut.
 */
export const NAME_LIMIT = 32;

export const UNIT_NONE = 255;

export const SCALER_UNKNOWN = 0;
export const SCALER_KNOWN = 1;
/** The meter denies access to the scaler. The value is then used without scaler and unit. */
export const SCALER_DENIED = 2;

const ENTRIES_AT = 1 + NAME_LIMIT;
const ENTRY_SIZE = 3;

export class ScalerCache {
	readonly #bytes: Uint8Array;

	constructor(count: number) {
		this.#bytes = new Uint8Array(ENTRIES_AT + count * ENTRY_SIZE);
	}

	/**
	 * Sets the name of the meter. Clears the cache if the name differs or is empty. Returns true if the cache had
	 * scalers that are lost.
	 */
	setName(text: Uint8Array, length: number): boolean {
		const bytes = this.#bytes;
		const nameLength = Math.min(length, NAME_LIMIT);
		let same = nameLength > 0 && bytes[0] === nameLength;
		for (let i = 0; i < nameLength && same; i++) same = bytes[1 + i] === text[i];
		if (same) return false;
		let losesScalers = false;
		for (let i = ENTRIES_AT; i < bytes.length; i += ENTRY_SIZE) losesScalers ||= bytes[i] !== SCALER_UNKNOWN;
		bytes.fill(0);
		bytes[0] = nameLength;
		for (let i = 0; i < nameLength; i++) bytes[1 + i] = text[i];
		return losesScalers;
	}

	/** Clears the cache if it has no name, because its scalers may belong to another meter. */
	forgetNameless(): void {
		if (this.#bytes[0] === 0) this.#bytes.fill(0);
	}

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
