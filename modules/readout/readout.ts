/** Result of a session with the meter, in the form in which it is stored and shown. */

/** Protocol of IEC 62056-21; also shown before the first readout. */
export const PROTOCOL_IEC62056_21 = "IEC62056-21";

/* Values of the status in the API. */
export const STATUS_OK = 0;
export const STATUS_NONE = 1;
/** The readout was truncated by a limit or a timeout. Its checks have passed, unless `isUnchecked`. */
export const STATUS_CUT = 2;
/** A check of the readout has failed. Such a readout is returned to a caller, but never kept. */
export const STATUS_CHECK_WRONG = 3;
/** The readout was not authenticated, because the tag or a key is missing. Such a readout is kept and published. */
export const STATUS_UNCHECKED = 4;

export interface Readout {
	readonly protocol: string;
	/**
	 * Identification, ASCII, without `/` and line end. With DLMS/COSEM it is the logical device name, if there is one.
	 */
	readonly meterId: Uint8Array;
	/** Letter of the protocol mode, ASCII; 0 if the protocol has no modes. */
	readonly mode: number;
	readonly baud: number;
	/** Time of the end of the readout, Unix ms; 0 if the clock was not set. */
	readonly utcMs: number;
	/**
	 * Time of the powers, Unix ms, if they were read later than the other values (live mode); 0 if the clock was not set.
	 */
	readonly liveUtcMs?: number;
	readonly status: number;
	/** True if the readout was truncated before its checksum. It is returned to the caller, but never kept. */
	readonly isUnchecked?: true;
	/** Packed records (record-writer.ts). These bytes never change. */
	readonly records: Uint8Array;
	readonly missing?: Uint8Array;
	/**
	 * Numbers of the records, from 1 on, whose counter can't be right, and is not confirmed by a later readout yet
	 * (counter-check.ts).
	 */
	readonly unconfirmed?: readonly number[];
	/**
	 * True if an energy counter is unconfirmed, or missing although an earlier readout of this meter had it
	 * (counter-check.ts).
	 */
	readonly lacksCounter?: true;
}

/** Returns true if the tariffs may be added to a total, because none of them is missing. */
export function hasAllTariffs({ status, lacksCounter }: Pick<Readout, "status" | "lacksCounter">): boolean {
	return status !== STATUS_CUT && lacksCounter !== true;
}

export function statusOf(overflow: boolean): number {
	return overflow ? STATUS_CUT : STATUS_OK;
}
