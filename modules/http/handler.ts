/** Interface of the HTTP server's request handler. Types only. */
import type { HTTPRequest } from "./request.js";
import type { HTTPResponse } from "./response.js";

/** Receiver of a request body. `end` or `abort` follows the last `write`, unless the handler has already replied. */
export interface BodySink {
	/** Maximum bytes of a body; a longer one is refused with 413. */
	readonly limit: number;
	/** Receives the next bytes, `bytes[start..end)`, which are valid only during the call. */
	write(bytes: Uint8Array, start: number, end: number): void;
	/** Ends a complete body. */
	end(): void;
	/** Ends an incomplete body; the response can no longer be sent. */
	abort?(): void;
	/**
	 * Number of bytes at the end of the last `write` that the sink did not accept; they are passed again. If present,
	 * the body of a client with a token is read at the speed of flash: one piece per event-loop tick, so that other
	 * work continues, and with separate time limits. After an early reply the rest is still read, since browsers read a
	 * reply only then.
	 */
	readonly rest?: number;
}

export interface HTTPHandler {
	/**
	 * Handles a request after its head has arrived. Either sends the response, now or later, or returns a sink for the
	 * body. A reply before the end of the body discards the rest; without a sink the whole body is discarded. An
	 * exception results in 500; if it has a `sentence`, that is the message.
	 */
	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined;
}
