/** Device that the simulator uses as the meter's line. */
export interface LinePort {
	readonly path: string;
	/** Writes the bytes. May return before they have left the port. */
	write(bytes: Uint8Array): void;
	onData(listener: (bytes: Uint8Array) => void): void;
	onError(listener: (message: string) => void): void;
	/** Changes the speed of a real line after all output has left. */
	changeBaud?(baud: number): void;
	/** Returns the speed that the reader has set on a pseudo-terminal, which has no speed of its own. */
	readerBaud?(): Promise<number>;
	close(): Promise<void>;
}
