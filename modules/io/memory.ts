/**
 * Memory of XS that operations have been promised: each asks for the most that it takes before it begins, and gives that
 * back when it is over. Without it, operations that fit one by one end the machine when they come side by side.
 *
 * What was promised counts in full until it is given back, though some of it is in use by then: a promise is kept even
 * if everything that has begun reaches its highest at once.
 */

/** What is left of the memory of the firmware's own machine, which ends when there is too little. */
export interface Memory {
	/** Whether so many slots and so many bytes of chunks are free. May take as long as a collection of garbage. */
	suffices(slots: number, chunkBytes: number): boolean;
	/** What is free at this moment, without a collection. */
	free?(): FreeMemory;
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
}

/** The most that an operation takes beside what there is before it begins. */
export interface Cost {
	readonly slots: number;
	readonly chunkBytes: number;
}

/** A connection of the HTTP server, from when it is accepted: its buffers, and the parser of its requests. */
export const CONNECTION_COST: Cost = Object.freeze({ slots: 160, chunkBytes: 3328 });
/** Connections that always find memory, whatever else goes on: as many as a browser opens to one port. */
export const CONNECTIONS_KEPT = 3;
/** What stays free when a connection is accepted beyond those: they are the first thing that the gateway can do without. */
export const CONNECTION_MARGIN: Cost = Object.freeze({ slots: 696, chunkBytes: 8192 });
/**
 * A conversation with the meter: DLMS with keys after mode E takes most. And what it may come to take once it has begun:
 * what it begins with counts as used from then on (280 slots; 180 and 1.2 KB came later in the longest one).
 */
export const READOUT_COST: Cost = Object.freeze({ slots: 900, chunkBytes: 8192 });
export const READOUT_GROWTH: Cost = Object.freeze({ slots: 500, chunkBytes: 5120 });
/** Rows of a load profile, from when it is asked for until the client has them, and what shows them. */
export const PROFILE_REPLY_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 10_240 });
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
/** Sending to the hub: the connection, and the requests that are made of a readout. */
export const HUB_COST: Cost = Object.freeze({ slots: 350, chunkBytes: 6144 });
/** Asking for the networks in range, until the client has the reply. */
export const SCAN_COST: Cost = Object.freeze({ slots: 300, chunkBytes: 3072 });

/**
 * Taking a firmware file: the window of what is unpacked, which stands in chunks on some hosts. Beside that about 11 KB of
 * heap on the chip, for which the host has the last word (Update.inflater).
 */
export const UPDATE_COST: Cost = Object.freeze({ slots: 120, chunkBytes: 6144 });

export class MemoryLedger {
	readonly #memory: Memory | undefined;
	#slots = 0;
	#chunkBytes = 0;
	#connections = 0;

	/** Undefined: the host has as much as is wanted. */
	constructor(memory: Memory | undefined) {
		this.#memory = memory;
	}

	/** False: there is too little, the operation must not begin. */
	claim({ slots, chunkBytes }: Cost): boolean {
		if (!this.suffices(slots, chunkBytes)) return false;
		this.#slots += slots;
		this.#chunkBytes += chunkBytes;
		return true;
	}

	/** What was claimed as `before` has begun, and takes no more than `after` beside what it has by now. */
	settle(before: Cost, after: Cost): void {
		this.#slots += after.slots - before.slots;
		this.#chunkBytes += after.chunkBytes - before.chunkBytes;
	}

	/** Once for each claim that was granted. */
	release({ slots, chunkBytes }: Cost): void {
		this.#slots -= slots;
		this.#chunkBytes -= chunkBytes;
	}

	/** Whether there is room for one more connection. What it takes counts as used from then on, until `disconnected`. */
	connect(): boolean {
		const { slots, chunkBytes } = CONNECTION_COST;
		if (this.#connections >= CONNECTIONS_KEPT) {
			const margin = CONNECTION_MARGIN;
			if (this.#memory?.suffices(slots + margin.slots, chunkBytes + margin.chunkBytes) === false) return false;
			if (!this.suffices(slots, chunkBytes)) return false;
		}
		this.#connections++;
		return true;
	}

	/** Once for each `connect` that was true. */
	disconnected(): void {
		this.#connections--;
	}

	/**
	 * `length` bytes, outside the chunks where the host has such memory, and room to work with them in this turn of the
	 * event loop. Undefined: there is too little.
	 */
	bytes(length: number): Uint8Array | undefined {
		const memory = this.#memory;
		const { slots, chunkBytes } = BYTES_COST;
		if (memory?.heapBytes !== undefined) return this.suffices(slots, chunkBytes) ? memory.heapBytes(length) : undefined;
		return this.suffices(slots, chunkBytes + length) ? new Uint8Array(length) : undefined;
	}

	/** Gives back what `bytes` gave. */
	drop(bytes: Uint8Array): void {
		this.#memory?.drop?.(bytes);
	}

	/** Whether so much is free beside what was promised, and beside the connections that must always be possible. */
	private suffices(slots: number, chunkBytes: number): boolean {
		if (this.#memory === undefined) return true;
		const connections = Math.max(0, CONNECTIONS_KEPT - this.#connections);
		return this.#memory.suffices(
			this.#slots + slots + connections * CONNECTION_COST.slots,
			this.#chunkBytes + chunkBytes + connections * CONNECTION_COST.chunkBytes,
		);
	}
}
