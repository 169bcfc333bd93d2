/** A readout as the gateway stores and shows it: the result of a session with the meter. */

/** `protocol` in the API before the first readout. */
export const PROTOCOL_OF_NONE = "IEC62056-21";

/** Status in the API: complete and valid. */
export const STATUS_OK = 0;
/** No readout has been made yet. */
export const STATUS_NONE = 1;
/** Truncated by a limit or a timeout; the data has passed its checks unless `isUnchecked`. */
export const STATUS_CUT = 2;
/** Wrong checksum. Occurs only in the reply of a read; never kept. */
export const STATUS_CHECK_WRONG = 3;
/**
 * Complete, but not authenticated: encrypted without a tag, or without a key to check the tag. It is kept and published
 * like a readout with STATUS_OK, with this status.
 */
export const STATUS_UNCHECKED = 4;

export interface Readout {
	/** Protocol of the session, as the API names it. */
	readonly protocol: string;
	/** Identification without `/` and line end, ASCII; for DLMS/COSEM the logical device name, if the meter has one. */
	readonly meterId: Uint8Array;
	/** Letter of the protocol mode, ASCII; 0 without one. */
	readonly mode: number;
	/** Speed of the data, Bd. */
	readonly baud: number;
	/** Unix time of its end in ms; 0 if the clock was not set. */
	readonly utcMs: number;
	/** STATUS_… */
	readonly status: number;
	/** True if truncated before its checksum: returned to the caller, never kept. */
	readonly isUnchecked?: true;
	/** Packed records (record-writer.ts); immutable. */
	readonly records: Uint8Array;
	/** Objects that gave no value, for protocols that request objects individually (meter/dlms-records.ts). */
	readonly missing?: Uint8Array;
}

/** Returns the status of a complete readout; `overflow`: the record buffer was too small. */
export function statusOf(overflow: boolean): number {
	return overflow ? STATUS_CUT : STATUS_OK;
}
