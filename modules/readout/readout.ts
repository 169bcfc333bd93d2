/** Result of a session with the meter, as stored and shown. */

export const PROTOCOL_OF_NONE = "IEC62056-21";

/* Values of the status in the API. */
export const STATUS_OK = 0;
export const STATUS_NONE = 1;
/** The readout was truncated by a limit or a timeout; its checks have passed unless `isUnchecked`. */
export const STATUS_CUT = 2;
/** Such a readout is only returned to a caller, never kept. */
export const STATUS_CHECK_WRONG = 3;
/** Not authenticated, because the tag or a key is missing. Such a readout is kept and published. */
export const STATUS_UNCHECKED = 4;

export interface Readout {
	readonly protocol: string;
	/** Identification, ASCII, without `/` and line end; with DLMS/COSEM the logical device name, if any. */
	readonly meterId: Uint8Array;
	/** Letter of the protocol mode, ASCII; 0 without one. */
	readonly mode: number;
	readonly baud: number;
	/** End of the readout; 0 if the clock was not set. */
	readonly utcMs: number;
	/**
	 * Unix time of the powers, ms, if they were read later than the rest (live mode); 0 if the clock was not set.
	 */
	readonly liveUtcMs?: number;
	readonly status: number;
	/** Truncated before the checksum: returned to the caller, never kept. */
	readonly isUnchecked?: true;
	/** Packed records (record-writer.ts); never changed. */
	readonly records: Uint8Array;
	readonly missing?: Uint8Array;
}

export function statusOf(overflow: boolean): number {
	return overflow ? STATUS_CUT : STATUS_OK;
}
