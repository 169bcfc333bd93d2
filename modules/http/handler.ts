/** Types of the request handler. */
import type { HTTPRequest } from "./request.js";
import type { HTTPResponse } from "./response.js";

/** `end` or `abort` follows the last `write`, unless the handler has replied. */
export interface BodySink {
	/** Maximum length of a body, bytes; a longer one is answered with 413. */
	readonly limit: number;
	/** The bytes are valid only during the call. */
	write(bytes: Uint8Array, start: number, end: number): void;
	end(): void;
	/** The body is incomplete; no response is possible. */
	abort?(): void;
	/**
	 * Number of bytes at the end of the last `write` that were not accepted; they are passed again. A sink with this
	 * member is slow. From a client with a token it gets one piece per tick, with its own time limits. After an early
	 * reply it also gets the rest of the body, because browsers read the reply only after sending all of it.
	 */
	readonly rest?: number;
}

export interface HTTPHandler {
	/**
	 * Sends the response, now or later, or returns a sink. A reply discards the rest of the body. An exception is
	 * answered with 500, and with its `sentence` if it has one.
	 */
	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined;
}
