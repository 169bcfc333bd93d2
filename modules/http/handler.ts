/** Types of the request handler. */
import type { HTTPRequest } from "./request.js";
import type { HTTPResponse } from "./response.js";

/** `end` or `abort` follows the last `write`, unless the handler has replied. */
export interface BodySink {
	/** Most bytes of a body; a longer one gets 413. */
	readonly limit: number;
	/** Valid only during the call. */
	write(bytes: Uint8Array, start: number, end: number): void;
	end(): void;
	/** Incomplete body; no response is possible. */
	abort?(): void;
	/**
	 * Bytes at the end of the last `write` that were not accepted, passed again. If present, the body of a client with a
	 * token is read one piece per tick, at the speed of flash, with its own time limits, and to its end after an early
	 * reply, because browsers read it only then.
	 */
	readonly rest?: number;
}

export interface HTTPHandler {
	/**
	 * Called after the head: sends the response, now or later, or returns a sink. A reply discards the rest of the body.
	 * An exception gives 500, with its `sentence` if any.
	 */
	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined;
}
