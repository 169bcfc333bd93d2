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

/** Where a new firmware is put (slots of the boot loader). */
export interface Update {
	/** Bytes that an image may have. */
	readonly slotSize: number;
	/** FIRMWARE_… of the running one. */
	readonly state: number;
	/** The slot that does not run, to be erased and written as a partition. */
	readonly slot: Partition;
	/** The image of `length` bytes in the slot is what starts next, on trial. Throws an Error with a reason when it is none. */
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
