/** Types of the request handler. */
import type { HTTPRequest } from "./request.js";
import type { HTTPResponse } from "./response.js";

/** Receiver of a body. After the last `write`, `end` or `abort` is called, unless the handler has already replied. */
export interface BodySink {
	/** Maximum length of a body, bytes. If a body is longer, the server replies 413. */
	readonly limit: number;
	/** Takes a piece of the body. The bytes are valid only during the call. */
	write(bytes: Uint8Array, start: number, end: number): void;
	end(): void;
	/** Called if the body ends before it is complete. The handler can't reply any more. */
	abort?(): void;
	/**
	 * Number of bytes at the end of the last `write` that were not accepted. They are passed again. A sink with this
	 * member is slow: it gets one piece in each pass of the event loop, and other time limits apply to it (HTTPLimits).
	 */
	readonly rest?: number;
}

export interface HTTPHandler {
	/**
	 * Handles a request: sends the response, now or later, or returns a sink for the body. After a reply, the rest of
	 * the body is discarded. If the handler throws, the server replies 500, with the `sentence` of the exception if it
	 * has one.
	 */
	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined;
}
