/** A readout as the gateway keeps and shows it: what a conversation with the meter gave. */

/** `protocol` in the API while there is no readout (API text). */
export const PROTOCOL_OF_NONE = "IEC62056-21";

/** API decision 20. */
export const STATUS_OK = 0;
/** There was no readout yet. */
export const STATUS_NONE = 1;
/** Cut short by a limit or a time-out; what is there passed its checks, if not `isUnchecked`. */
export const STATUS_CUT = 2;
/** Its check was wrong. Only ever in the reply of a read, never kept. */
export const STATUS_CHECK_WRONG = 3;
/**
 * It came whole, but nothing in it proves that it is the meter's: it was ciphered without a tag, or there is no key to check
 * the tag by. It is kept and passed on like one of STATUS_OK, with this number beside it.
 */
export const STATUS_UNCHECKED = 4;

export interface Readout {
	/** The conversation's protocol, as the API names it. */
	readonly protocol: string;
	/** Identification without `/` and line end, ASCII; of DLMS/COSEM the logical device name, if the meter has one. */
	readonly meterId: Uint8Array;
	/** Letter of the mode, ASCII; 0 for none. */
	readonly mode: number;
	/** Speed the data came at, Bd. */
	readonly baud: number;
	/** Unix time of its end in ms; 0 when the clock was not set. */
	readonly utcMs: number;
	/** STATUS_… */
	readonly status: number;
	/** It was cut short before its check came: shown to who asked, never kept. */
	readonly isUnchecked?: true;
	/** Packed records (record-writer.ts); never changed. */
	readonly records: Uint8Array;
	/** Where objects are asked for by name: those that gave no value (meter/dlms-records.ts). */
	readonly missing?: Uint8Array;
}

/** The status of what was read whole: the buffer of the records may have been too small for it. */
export function statusOf(overflow: boolean): number {
	return overflow ? STATUS_CUT : STATUS_OK;
}
