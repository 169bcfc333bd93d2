/** A readout as the gateway keeps and shows it: what a conversation with the meter gave. */

/** The conversation's protocol. */
export const PROTOCOL_IEC62056_21 = 0;
export const PROTOCOL_DLMS = 1;

/** API decision 20. */
export const STATUS_OK = 0;
/** There was no readout yet. */
export const STATUS_NONE = 1;
/** Cut short by a limit or a time-out; what is there passed its checks. */
export const STATUS_CUT = 2;
/** Its check was wrong. Only ever in the reply of a read, never kept. */
export const STATUS_CHECK_WRONG = 3;

export interface Readout {
	readonly protocol: number;
	/** Identification without `/` and line end, ASCII; of PROTOCOL_DLMS the logical device name, if the meter has one. */
	readonly meterId: Uint8Array;
	/** Letter of the mode, ASCII; 0 for none. */
	readonly mode: number;
	/** Speed the data came at, Bd. */
	readonly baud: number;
	/** Unix time of its end in ms; 0 when the clock was not set. */
	readonly utcMs: number;
	/** STATUS_… */
	readonly status: number;
	/** Packed records (record-writer.ts); never changed. */
	readonly records: Uint8Array;
	/** Of PROTOCOL_DLMS: the objects that gave no value (dlms-records.ts). */
	readonly missing?: Uint8Array;
}
