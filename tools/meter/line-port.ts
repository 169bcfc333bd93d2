/** Device for the simulator's line. */
export interface LinePort {
	readonly path: string;
	/** Returns before the bytes have left the port. */
	write(bytes: Uint8Array): void;
	onData(listener: (bytes: Uint8Array) => void): void;
	onError(listener: (message: string) => void): void;
	/** Changes the speed of a real line after all output has left. */
	changeBaud?(baud: number): void;
	/** Speed of a pseudo-terminal's reader; a pseudo-terminal has none of its own. */
	readerBaud?(): Promise<number>;
	close(): Promise<void>;
}
