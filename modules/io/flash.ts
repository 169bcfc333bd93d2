/**
 * Memory that outlives the program, of the host contract (host.ts): partitions of the flash, slots for firmware, and what
 * survives a sleep. Types, and the limits that all hosts keep.
 */

/** Bytes that are erased at once: NOR flash knows no smaller piece. */
export const ERASE_SIZE = 4096;
/** Bytes that are written at once: encrypted flash has blocks of so many. */
export const WRITE_SIZE = 16;

/**
 * A partition of NOR flash. An erased byte reads as 0xFF; what was written stays until it is erased. A power cut in the
 * middle of `write` leaves a beginning of it, and maybe one byte that is neither old nor new; in the middle of `erase`
 * anything. Offsets and lengths beyond `size`, or not in whole units, are RangeErrors, and nothing happens; flash that
 * fails is an Error.
 */
export interface Partition {
	/** Bytes, a multiple of ERASE_SIZE. */
	readonly size: number;
	/** Copies what stands from `offset` on into `into[start..end)`. Any offset and length. */
	read(offset: number, into: Uint8Array, start?: number, end?: number): void;
	/** Writes to bytes that were erased, and not written since; `offset` and length in whole WRITE_SIZE. */
	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void;
	/** All bytes of it are 0xFF then; `offset` and length in whole ERASE_SIZE. About 50 ms each of those. */
	erase(offset: number, length: number): void;
}

export interface Flash {
	/** The partition of this name (`history`, `log`); undefined: there is none. One object at a time should write to it. */
	open(name: string): Partition | undefined;
}

/** The running firmware was confirmed: it is what starts. */
export const FIRMWARE_CONFIRMED = 0;
/** It runs for the first time: unless it is confirmed, the next start takes the one before. */
export const FIRMWARE_ON_TRIAL = 1;

/** Bytes of the ring that an Inflater unpacks into, and so of the window of what it takes: what flash erases at once. */
export const INFLATE_WINDOW = ERASE_SIZE;

/**
 * Unpacks zlib streams (RFC 1950) whose window has up to INFLATE_WINDOW bytes, one after another. On the chip about 11 KB
 * of heap beside the ring, and the code is in its ROM.
 */
export interface Inflater {
	/** What was unpacked: INFLATE_WINDOW bytes, filled from the beginning again each time that it was emptied. */
	readonly ring: Uint8Array;
	/** Bytes of `ring` that are filled since it was emptied last. */
	readonly filled: number;
	/** The stream has come to its end, and its Adler-32 was right: `reset` or `close` it. */
	readonly isDone: boolean;
	/**
	 * Takes of bytes[start..end) what it can before the ring is full, and returns how many bytes that were. Less than all:
	 * the ring is full (empty it), or the stream is done. When the ring is full, more may come of what was taken already,
	 * for which it is called with what is next, or with nothing. Throws an Error when the stream is damaged, or has a larger window;
	 * it can only be reset or closed then.
	 */
	write(bytes: Uint8Array, start: number, end: number): number;
	/** What stood in the ring was used: it fills from the beginning again. Only when it is full or the stream is done. */
	empty(): void;
	/** The next stream begins; the ring is empty. */
	reset(): void;
	close(): void;
}

/** Where a new firmware is put (slots of the boot loader), and what must hold for it. */
export interface Update {
	/** FIRMWARE_… of the running one. */
	readonly state: number;
	/**
	 * Why the firmware in the slot that does not run was given up, in a few words, over all starts until the slot is erased;
	 * empty: it was not.
	 */
	readonly givenUp: string;
	/**
	 * The slot that does not run, to be erased and written as a partition; an image may have `slot.size` bytes. From the
	 * first such call on nothing in it starts any more. On trial it is the way back: `erase` and `write` throw an Error.
	 */
	readonly slot: Partition;
	/**
	 * Public keys that may sign a firmware, as points (P256_POINT_LENGTH bytes each): the one in use, and the one that will
	 * be. Empty: this build takes no update.
	 */
	readonly keys: readonly Uint8Array[];
	/** Ids (the first 8 bytes of the SHA-256 of the point) of keys that may not any more, whatever `keys` says. */
	readonly revoked: readonly Uint8Array[];
	/** Security level of the running firmware: one below it is refused. */
	readonly securityLevel: number;
	/** Throws an Error when there is no memory for it. */
	inflater(): Inflater;
	/**
	 * The image of `length` bytes in the slot is what starts next, on trial. Throws an Error with a reason when it is none
	 * that this chip starts, and on trial; nothing has changed then.
	 */
	activate(length: number): void;
	/** The running firmware is good. */
	confirm(): void;
	/** The one before starts again, soon and not inside the call. Throws an Error when there is none. */
	rollBack(): void;
}

/** Memory that survives a restart and deep sleep, and is lost with the power. */
export interface Retained {
	/** Bytes. */
	readonly size: number;
	/** A copy of what was written last; undefined after a loss of power, or when it does not pass its check. */
	read(): Uint8Array | undefined;
	/** Up to `size` bytes. */
	write(bytes: Uint8Array): void;
}

export const WAKE_NONE = 0;
export const WAKE_TIMER = 1;
export const WAKE_BUTTON = 2;
/** USB was plugged in. */
export const WAKE_SUPPLY = 3;

/** Deep sleep: the program ends, and starts anew when it is woken. */
export interface Sleep {
	/** WAKE_… of this start; WAKE_NONE: it was no sleep that ended. */
	readonly wakeReason: number;
	/** Sleeps for `ms` at most, soon and not inside the call. The clock goes on. */
	begin(ms: number): void;
}
