/**
 * Memory of XS that operations have been promised: each asks for the most that it takes before it begins, and gives that
 * back when it is over. Without it, operations that fit one by one end the machine when they come side by side.
 *
 * What was promised counts in full until it is given back, though some of it is in use by then: a promise is kept even
 * if everything that has begun reaches its highest at once. Beyond that RESERVE is never promised: small requests take
 * memory too, and claim none.
 */

/** What is left of the memory of the firmware's own machine, which ends when there is too little. */
export interface Memory {
	/** Whether so many slots and so many bytes of chunks are free. May take as long as a collection of garbage. */
	suffices(slots: number, chunkBytes: number): boolean;
	/** What is free at this moment, without a collection. */
	free?(): FreeMemory;
	/** Lines "task bytes": of each task's stack, how much it has never used. Empty where the host does not know. */
	stacks?(): string;
	/**
	 * `length` bytes of zeros outside the machine's chunks, for what is long and is held for a moment only. Undefined: the
	 * heap has too few. The bytes stay there until `drop`, or until nobody refers to them.
	 */
	heapBytes?(length: number): Uint8Array | undefined;
	/** Frees bytes of `heapBytes`; the array has a length of 0 from then on. */
	drop?(bytes: Uint8Array): void;
}

export interface FreeMemory {
	readonly slots: number;
	readonly chunkBytes: number;
	/** Bytes of the heap that all else takes its memory of; undefined: it has no limit. */
	readonly heapBytes: number | undefined;
	/** The least of `heapBytes` since the start. */
	readonly leastHeapBytes?: number | undefined;
}

/** The most that an operation takes beside what there is before it begins. */
export interface Cost {
	readonly slots: number;
	readonly chunkBytes: number;
}

/** What no claim is granted of, for whatever claims nothing. */
export const RESERVE: Cost = Object.freeze({ slots: 250, chunkBytes: 2048 });

/** A connection of the HTTP server, which takes 148 slots and 3144 bytes when it is accepted, and what is asked on it. */
export const CONNECTION_COST: Cost = Object.freeze({ slots: 300, chunkBytes: 6144 });
/** A conversation with the meter: DLMS with keys after mode E takes most. */
export const READOUT_COST: Cost = Object.freeze({ slots: 500, chunkBytes: 8192 });
/** Listening to a meter that sends by itself: the next readout is there beside the last one. */
export const LISTEN_COST: Cost = Object.freeze({ slots: 300, chunkBytes: 8192 });
/** Finding out what comes back from the meter: the conversations of a readout, none of which keeps one. */
export const PROBE_COST: Cost = Object.freeze({ slots: 500, chunkBytes: 4096 });
/** A readout for a client, from when it is asked for until the client has it. */
export const READOUT_REPLY_COST: Cost = Object.freeze({ slots: 100, chunkBytes: 1536 });
/** The raw conversation for a client: a copy of it. */
export const LOG_REPLY_COST: Cost = Object.freeze({ slots: 100, chunkBytes: 5120 });
/** Networks for a client: what they are packed into, and the packed ones. */
export const SCAN_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 5120 });
/** What asks for a load profile and shows its rows, which come within the claim of the conversation. */
export const PROFILE_REPLY_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 4096 });
/** A JSON body with its reply: one of at most SHORT_BODY bytes, or a longer one, which is packed as it comes. */
export const SHORT_BODY = 2048;
export const SHORT_BODY_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 3072 });
export const LONG_BODY_COST: Cost = Object.freeze({ slots: 400, chunkBytes: 8192 });
/** A file of certificates while it is sent; its bytes are `bytes` of the ledger. */
export const FILE_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 2048 });
/** Working with such bytes: a piece of them from flash or a client, and the names in six certificates. */
const BYTES_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 8192 });
/** Taking a readout into the history, and making room in it; and reading it for a client. */
export const HISTORY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 4096 });
export const HISTORY_REPLY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 2048 });
/** The text of all metrics for a client. */
export const METRICS_REPLY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 7168 });
/** A diagnostic report: the counters as text, or a copy of the conversation; the block that is made; its keys. */
export const REPORT_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 10_240 });
/** A file of all settings for a client; and one that a client sends, with the change of all that it has. */
export const BACKUP_REPLY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 3072 });
export const RESTORE_COST: Cost = Object.freeze({ slots: 800, chunkBytes: 12_288 });
/** A stream of events, for as long as it is there, and what one takes on its way. */
export const EVENTS_COST: Cost = Object.freeze({ slots: 60, chunkBytes: 512 });
/** Publishing by MQTT: the connection and its buffer, and what is made of a readout. */
export const PUBLISH_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 6144 });
/** A look for a newer firmware: the connection, and the lines of a reply that sends elsewhere. */
export const UPGRADE_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 8192 });
/** Sending to the hub: the connection, and the requests that are made of a readout (265 slots and 5.3 KB at the most). */
export const HUB_COST: Cost = Object.freeze({ slots: 350, chunkBytes: 6144 });

/**
 * Taking a firmware file: the window of what is unpacked, which stands in chunks on some hosts. Beside that about 11 KB of
 * heap on the chip, for which the host has the last word (Update.inflater).
 */
export const UPDATE_COST: Cost = Object.freeze({ slots: 120, chunkBytes: 6144 });

export class MemoryLedger {
	readonly #memory: Memory | undefined;
	#slots = 0;
	#chunkBytes = 0;

	/** Undefined: the host has as much as is wanted. */
	constructor(memory: Memory | undefined) {
		this.#memory = memory;
	}

	/** False: there is too little, the operation must not begin. */
	claim(cost: Cost): boolean {
		if (!this.fits(cost)) return false;
		this.#slots += cost.slots;
		this.#chunkBytes += cost.chunkBytes;
		return true;
	}

	/** Whether so much is there beside all that was promised, for whatever takes it at once. */
	fits({ slots, chunkBytes }: Cost): boolean {
		const wantedBytes = this.#chunkBytes + chunkBytes + RESERVE.chunkBytes;
		return this.#memory?.suffices(this.#slots + slots + RESERVE.slots, wantedBytes) !== false;
	}

	/** Once for each claim that was granted. */
	release({ slots, chunkBytes }: Cost): void {
		this.#slots -= slots;
		this.#chunkBytes -= chunkBytes;
	}

	/**
	 * `length` bytes, outside the chunks where the host has such memory, and room to work with them in this turn of the
	 * event loop. Undefined: there is too little.
	 */
	bytes(length: number): Uint8Array | undefined {
		const memory = this.#memory;
		if (memory?.heapBytes !== undefined) return this.fits(BYTES_COST) ? memory.heapBytes(length) : undefined;
		const { slots, chunkBytes } = BYTES_COST;
		return this.fits({ slots, chunkBytes: chunkBytes + length }) ? new Uint8Array(length) : undefined;
	}

	/** Gives back what `bytes` gave. */
	drop(bytes: Uint8Array): void {
		this.#memory?.drop?.(bytes);
	}
}
