/** Globals of the xsnap worker in addition to those of the language. */

/**
 * Set by the script; called by the worker for each event. An exception is returned to the parent process as an error.
 */
declare var handleCommand: (message: ArrayBuffer) => void;
/** Waits for the reply of the parent process. */
declare function issueCommand(message: ArrayBuffer): ArrayBuffer;
declare function gc(): void;

declare class TextEncoder {
	encode(text: string): Uint8Array;
}
declare class TextDecoder {
	constructor(encoding: "utf-8", options: { fatal: boolean; ignoreBOM: boolean });
	decode(bytes: Uint8Array): string;
}
