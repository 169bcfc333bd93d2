/** Device that the simulator's line runs over: a new pseudo-terminal or a serial port. */
export interface LinePort {
	readonly path: string;
	/** Sends bytes as they are; returns before they have left. */
	write(bytes: Uint8Array): void;
	/** Passes each received piece to the one listener. */
	onData(listener: (bytes: Uint8Array) => void): void;
	/** The device is gone or failed: a sentence for the user. One listener. */
	onError(listener: (message: string) => void): void;
	/** A real line changes its rate, once all written before has left. */
	changeBaud?(baud: number): void;
	/** A pseudo-terminal has no rate of its own, but knows the one that its reader has set. */
	readerBaud?(): Promise<number>;
	close(): Promise<void>;
}
