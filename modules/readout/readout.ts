/** Result of a session with the meter, as stored and shown. */

/** `protocol` in the API before the first readout. */
export const PROTOCOL_OF_NONE = "IEC62056-21";

/** Status in the API: complete and valid. */
export const STATUS_OK = 0;
export const STATUS_NONE = 1;
/** Truncated by a limit or a timeout, but checked unless `isUnchecked`. */
export const STATUS_CUT = 2;
/** Wrong checksum: only in the reply of a read, never kept. */
export const STATUS_CHECK_WRONG = 3;
/** Complete but not authenticated: encrypted without a tag, or no key to check it. Kept and published. */
export const STATUS_UNCHECKED = 4;

export interface Readout {
	/** Name of the protocol in the API. */
	readonly protocol: string;
	/** Identification without `/` and line end, ASCII; for DLMS/COSEM the logical device name, if any. */
	readonly meterId: Uint8Array;
	/** Letter of the protocol mode, ASCII; 0 without one. */
	readonly mode: number;
	/** Speed, Bd. */
	readonly baud: number;
	/** Unix time of its end, ms; 0 if the clock was not set. */
	readonly utcMs: number;
	readonly status: number;
	/** True if truncated before its checksum: returned to the caller, never kept. */
	readonly isUnchecked?: true;
	/** Packed records (record-writer.ts); immutable. */
	readonly records: Uint8Array;
	/** Objects without a value, for protocols that request single objects (meter/dlms-records.ts). */
	readonly missing?: Uint8Array;
}

/** Status of a complete readout; `overflow`: the record buffer was too small. */
export function statusOf(overflow: boolean): number {
	return overflow ? STATUS_CUT : STATUS_OK;
}
