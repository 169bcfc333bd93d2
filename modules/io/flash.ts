/** Non-volatile memory of the host contract (host.ts): flash partitions, OTA slots, and data that survives a sleep. */

/** Smallest unit of an erase in NOR flash, bytes. */
export const ERASE_SIZE = 4096;
/** Smallest unit of a write, bytes: the block size of encrypted flash. */
export const WRITE_SIZE = 16;

/**
 * An erased byte reads as 0xFF; a written byte keeps its value until it is erased. After a power cut during `write()`,
 * only the first bytes are written, and one byte may have neither its old nor its new value. After a power cut during
 * `erase()`, the contents are undefined. Offsets and lengths beyond `size` or not in whole units throw a RangeError
 * without any effect; a flash fault throws an Error.
 */
export interface Partition {
	readonly size: number;
	read(offset: number, into: Uint8Array, start?: number, end?: number): void;
	/** Writes to erased bytes only. `offset` and the length are multiples of WRITE_SIZE. */
	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void;
	/**
	 * Sets bytes to 0xFF. `offset` and `length` are multiples of ERASE_SIZE. An erase of ERASE_SIZE bytes takes about 50
	 * ms.
	 */
	erase(offset: number, length: number): void;
}

export interface Flash {
	/** Opens the partition `history` or `log`; undefined if missing. Only one object may write to it. */
	open(name: string): Partition | undefined;
}

/** The firmware was confirmed: the next start runs it again. */
export const FIRMWARE_CONFIRMED = 0;
/** First run of this firmware. Unless it is confirmed, the next start runs the previous firmware. */
export const FIRMWARE_ON_TRIAL = 1;

/** Bytes. */
export const INFLATE_WINDOW = ERASE_SIZE;

/**
 * Unpacks zlib streams (RFC 1950) with windows of up to INFLATE_WINDOW bytes. On the chip, an inflater takes about 11
 * KB of heap besides the ring.
 */
export interface Inflater {
	/** Output buffer of INFLATE_WINDOW bytes. After `empty()` it is filled from the beginning. */
	readonly ring: Uint8Array;
	readonly filled: number;
	/** True at the end of a stream with a correct Adler-32. Then call `reset()` or `close()`. */
	readonly isDone: boolean;
	/**
	 * Unpacks as much of bytes[start..end) as fits the ring; returns the number of bytes used. If not all were used, the
	 * ring is full (call `empty()`) or the stream is done. After a full ring, call again even without new bytes, because
	 * more output may follow. Throws an Error for a damaged stream or a window larger than INFLATE_WINDOW; then only
	 * `reset()` and `close()` are allowed.
	 */
	write(bytes: Uint8Array, start: number, end: number): number;
	/** Empties the ring; allowed when it is full or the stream is done. */
	empty(): void;
	reset(): void;
	close(): void;
}

export interface Update {
	readonly state: number;
	/**
	 * Reason why the firmware in the inactive slot was rejected. "" if it was not rejected, or if the slot was erased
	 * afterwards.
	 */
	readonly givenUp: string;
	/**
	 * Inactive OTA slot; an image has at most `slot.size` bytes. The first erase or write makes the slot's old firmware
	 * unbootable. During a trial the slot holds the firmware for a roll-back, so `erase()` and `write()` throw an Error.
	 */
	readonly slot: Partition;
	/**
	 * Public keys that may sign firmware, as points of P256_POINT_LENGTH bytes: the present key and the next one. Empty:
	 * this build accepts no updates.
	 */
	readonly keys: readonly Uint8Array[];
	/** IDs (first 8 bytes of the point's SHA-256) of revoked keys. A revoked key is rejected even if it is in `keys`. */
	readonly revoked: readonly Uint8Array[];
	/** Security level of the running firmware. Firmware with a lower level is refused. */
	readonly securityLevel: number;
	inflater(): Inflater;
	/**
	 * Makes the next start run the slot's image of `length` bytes, on trial. Throws an Error with a reason and changes
	 * nothing if this chip can't start the image, or during a trial.
	 */
	activate(length: number): void;
	confirm(): void;
	/** Restarts with the previous firmware soon after the call. Throws an Error without a previous firmware. */
	rollBack(): void;
}

/** Memory that survives restart and deep sleep, but not a loss of power. */
export interface Retained {
	readonly size: number;
	/** Returns a copy of the data written last; undefined after a loss of power or if their check fails. */
	read(): Uint8Array | undefined;
	write(bytes: Uint8Array): void;
}

export const WAKE_NONE = 0;
export const WAKE_TIMER = 1;
export const WAKE_BUTTON = 2;
export const WAKE_SUPPLY = 3;

/** Deep sleep: the program ends, and starts again on wake-up. */
export interface Sleep {
	/** WAKE_…; WAKE_NONE if this start did not follow a sleep. */
	readonly wakeReason: number;
	/** Begins a sleep of at most `ms` soon after the call. The clock continues. */
	begin(ms: number): void;
}
