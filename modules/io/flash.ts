/**
 * Non-volatile memory of the host contract (host.ts): flash partitions, OTA slots, and data that survives a sleep.
 * Types, and limits common to all hosts.
 */

/** Erase unit of NOR flash, bytes. */
export const ERASE_SIZE = 4096;
/** Write unit, bytes: the block size of encrypted flash. */
export const WRITE_SIZE = 16;

/**
 * A partition of NOR flash. An erased byte reads as 0xFF; a written byte keeps its value until it is erased. After a
 * power cut during `write()` the beginning is written, and possibly one byte is neither old nor new. A power cut during
 * `erase()` leaves undefined contents. Offsets and lengths beyond `size` or not in whole units throw a RangeError
 * without any effect; a flash fault throws an Error.
 */
export interface Partition {
	/** Size in bytes, a multiple of ERASE_SIZE. */
	readonly size: number;
	/** Copies bytes from `offset` on into `into[start..end)`. Any offset and length. */
	read(offset: number, into: Uint8Array, start?: number, end?: number): void;
	/** Writes erased bytes; `offset` and length are multiples of WRITE_SIZE. */
	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void;
	/** Sets bytes to 0xFF; `offset` and length are multiples of ERASE_SIZE. Takes about 50 ms per ERASE_SIZE. */
	erase(offset: number, length: number): void;
}

export interface Flash {
	/**
	 * Opens the partition with this name (`history`, `log`); undefined if it does not exist. Only one object may write to
	 * it.
	 */
	open(name: string): Partition | undefined;
}

/** The running firmware is confirmed and starts again. */
export const FIRMWARE_CONFIRMED = 0;
/** First run of a new firmware: unless it is confirmed, the next start runs the previous one. */
export const FIRMWARE_ON_TRIAL = 1;

/** Size of an Inflater's ring, and maximum window of its streams: one flash erase unit. */
export const INFLATE_WINDOW = ERASE_SIZE;

/**
 * Unpacks consecutive zlib streams (RFC 1950) with a window of up to INFLATE_WINDOW bytes. On the chip it uses about 11
 * KB of heap in addition to the ring; its code is in the ROM.
 */
export interface Inflater {
	/** Unpacked data: INFLATE_WINDOW bytes, filled from the beginning after each `empty()`. */
	readonly ring: Uint8Array;
	/** Number of bytes in `ring`. */
	readonly filled: number;
	/** True at the end of the stream, after a right Adler-32: call `reset()` or `close()`. */
	readonly isDone: boolean;
	/**
	 * Takes as many bytes of bytes[start..end) as fit into the ring; returns their number. Less than all means that the
	 * ring is full (empty it) or the stream is done. With a full ring, bytes already taken may produce more output: call
	 * again with the next bytes or an empty range. Throws an Error when the stream is damaged or has a larger window;
	 * then only `reset()` and `close()` are allowed.
	 */
	write(bytes: Uint8Array, start: number, end: number): number;
	/** Empties the ring. Allowed only when it is full or the stream is done. */
	empty(): void;
	/** Begins the next stream; the ring is empty. */
	reset(): void;
	close(): void;
}

/** Firmware update: the OTA slots of the boot loader, and the conditions for a new firmware. */
export interface Update {
	/** FIRMWARE_… of the running firmware. */
	readonly state: number;
	/**
	 * Short reason why the firmware in the inactive slot was rejected; kept until the slot is erased. Empty if not
	 * rejected.
	 */
	readonly givenUp: string;
	/**
	 * Inactive slot, erased and written as a partition; an image has at most `slot.size` bytes. The first such call makes
	 * its old firmware unbootable. During a trial it holds the fallback: `erase()` and `write()` throw an Error.
	 */
	readonly slot: Partition;
	/**
	 * Public keys that may sign a firmware, as points (P256_POINT_LENGTH bytes each): the current and the next one.
	 * Empty: this build accepts no updates.
	 */
	readonly keys: readonly Uint8Array[];
	/** IDs (the first 8 bytes of the SHA-256 of the point) of revoked keys, which override `keys`. */
	readonly revoked: readonly Uint8Array[];
	/** Security level of the running firmware; a file with a lower level is refused. */
	readonly securityLevel: number;
	/** Throws an Error when there is not enough memory. */
	inflater(): Inflater;
	/**
	 * Activates the image of `length` bytes in the slot for the next start, on trial. Throws an Error with a reason,
	 * without any effect, when this chip can't start the image, and during a trial.
	 */
	activate(length: number): void;
	confirm(): void;
	/**
	 * Restarts with the previous firmware soon, but not inside the call. Throws an Error when there is no previous
	 * firmware.
	 */
	rollBack(): void;
}

/** Memory that survives a restart and deep sleep, but not a loss of power. */
export interface Retained {
	/** Size in bytes. */
	readonly size: number;
	/** Returns a copy of the last written data; undefined after a loss of power or when the check fails. */
	read(): Uint8Array | undefined;
	/** Writes up to `size` bytes. */
	write(bytes: Uint8Array): void;
}

export const WAKE_NONE = 0;
export const WAKE_TIMER = 1;
export const WAKE_BUTTON = 2;
/** USB was plugged in. */
export const WAKE_SUPPLY = 3;

/** Deep sleep: the program ends, and starts anew on wake-up. */
export interface Sleep {
	/** WAKE_… of this start; WAKE_NONE if it did not follow a sleep. */
	readonly wakeReason: number;
	/** Sleeps for at most `ms`, soon but not inside the call. The clock continues. */
	begin(ms: number): void;
}
