/** Non-volatile memory of the host contract (host.ts): flash partitions, OTA slots, and data that survives a sleep. */

/** NOR flash, bytes. */
export const ERASE_SIZE = 4096;
/** Bytes: the block size of encrypted flash. */
export const WRITE_SIZE = 16;

/**
 * An erased byte reads as 0xFF; a written byte keeps its value until erased. After a power cut during `write()` the
 * beginning is written, and one byte may be neither old nor new; during `erase()` the contents are undefined. Offsets
 * and lengths beyond `size` or not in whole units throw a RangeError without any effect; a flash fault throws an Error.
 */
export interface Partition {
	readonly size: number;
	read(offset: number, into: Uint8Array, start?: number, end?: number): void;
	/** Writes erased bytes only; `offset` and length are multiples of WRITE_SIZE. */
	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void;
	/** Sets bytes to 0xFF; `offset` and length are multiples of ERASE_SIZE. An erase of that size takes about 50 ms. */
	erase(offset: number, length: number): void;
}

export interface Flash {
	/** Opens the partition `history` or `log`; undefined if missing. Only one object may write to it. */
	open(name: string): Partition | undefined;
}

/** The next start runs this firmware again. */
export const FIRMWARE_CONFIRMED = 0;
/** First run: unless confirmed, the next start runs the previous firmware. */
export const FIRMWARE_ON_TRIAL = 1;

/** Bytes. */
export const INFLATE_WINDOW = ERASE_SIZE;

/**
 * Unpacks zlib streams (RFC 1950) with windows of up to INFLATE_WINDOW bytes. The chip takes about 11 KB of heap
 * besides the ring.
 */
export interface Inflater {
	/** INFLATE_WINDOW bytes, filled from the beginning after `empty()`. */
	readonly ring: Uint8Array;
	readonly filled: number;
	/** True at the end of the stream, with a right Adler-32: call `reset()` or `close()`. */
	readonly isDone: boolean;
	/**
	 * Unpacks as much of bytes[start..end) as fits the ring; returns the number of bytes used. If not all were used, the
	 * ring is full (call `empty()`) or the stream is done. After a full ring, call again even without new bytes, because
	 * more output may follow. Throws an Error for a damaged stream or a larger window; then only `reset()` and `close()`
	 * are allowed.
	 */
	write(bytes: Uint8Array, start: number, end: number): number;
	/** Empties the ring; allowed when it is full or the stream is done. */
	empty(): void;
	reset(): void;
	close(): void;
}

export interface Update {
	readonly state: number;
	/** Reason why the firmware in the inactive slot was rejected; "" if it was not, and after the slot was erased. */
	readonly givenUp: string;
	/**
	 * Inactive slot; an image has at most `slot.size` bytes. The first erase or write makes its old firmware
	 * unbootable. During a trial it holds the fallback: `erase()` and `write()` throw an Error.
	 */
	readonly slot: Partition;
	/**
	 * Points of the public keys that may sign firmware (P256_POINT_LENGTH bytes each): the present and the next one.
	 * Empty: this build accepts no updates.
	 */
	readonly keys: readonly Uint8Array[];
	/** IDs (first 8 bytes of the point's SHA-256) of revoked keys; they override `keys`. */
	readonly revoked: readonly Uint8Array[];
	/** Security level of the running firmware; a lower one is refused. */
	readonly securityLevel: number;
	inflater(): Inflater;
	/**
	 * The next start runs the slot's image of `length` bytes, on trial. Throws an Error with a reason, and changes
	 * nothing, if this chip can't start the image, and during a trial.
	 */
	activate(length: number): void;
	confirm(): void;
	/** Restarts with the previous firmware soon after the call. Throws an Error without a previous firmware. */
	rollBack(): void;
}

/** Memory that survives restart and deep sleep, but not a loss of power. */
export interface Retained {
	readonly size: number;
	/** Returns a copy of the last data; undefined after a loss of power or a failed check. */
	read(): Uint8Array | undefined;
	write(bytes: Uint8Array): void;
}

export const WAKE_NONE = 0;
export const WAKE_TIMER = 1;
export const WAKE_BUTTON = 2;
export const WAKE_SUPPLY = 3;

/** Deep sleep: the program ends, and starts again on wake-up. */
export interface Sleep {
	/** WAKE_…; WAKE_NONE if this start followed no sleep. */
	readonly wakeReason: number;
	/** Begins a sleep of at most `ms` soon after the call. The clock continues. */
	begin(ms: number): void;
}
