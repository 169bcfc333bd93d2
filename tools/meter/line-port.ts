/** Device for the simulator's line. */
export interface LinePort {
	readonly path: string;
	/** Sends bytes unchanged. Returns before they have left the port. */
	write(bytes: Uint8Array): void;
	/** Sets the only listener for received pieces. */
	onData(listener: (bytes: Uint8Array) => void): void;
	/** Sets the only listener for a lost or failed device; the message can be shown to the user. */
	onError(listener: (message: string) => void): void;
	/** Changes the speed of a real line after all output has left. */
	changeBaud?(baud: number): void;
	/** Returns the reader's speed. Only for a pseudo-terminal, which has no speed of its own. */
	readerBaud?(): Promise<number>;
	close(): Promise<void>;
}
