/** Globals of the xsnap worker in addition to those of the language. */

/**
 * The worker's script sets this function, and the worker calls it for each event. An exception is returned to the
 * parent process as an error.
 */
declare var handleCommand: (message: ArrayBuffer) => void;
/** Sends a command to the parent process and waits for the reply. */
declare function issueCommand(message: ArrayBuffer): ArrayBuffer;
declare function gc(): void;

declare class TextEncoder {
	encode(text: string): Uint8Array;
}
declare class TextDecoder {
	constructor(encoding: "utf-8", options: { fatal: boolean; ignoreBOM: boolean });
	decode(bytes: Uint8Array): string;
}
