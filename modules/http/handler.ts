/** What answers the requests of the HTTP server: the API in front of it. Types only. */
import type { HTTPRequest } from "./request.js";
import type { HTTPResponse } from "./response.js";

/** Takes the body of a request. After the last `write` comes `end` or `abort`, unless the handler answered before. */
export interface BodySink {
	/** Bytes of the longest body that is taken; a longer one is answered with 413. */
	readonly limit: number;
	/** The next bytes, `bytes[start..end)`; they hold still only during the call. */
	write(bytes: Uint8Array, start: number, end: number): void;
	/** The body is complete. */
	end(): void;
	/** The body will not be completed; the response is dead. */
	abort?(): void;
	/**
	 * Where it is there, the body is taken as slowly as flash takes it, from a client with a token: one piece in each turn
	 * of the event loop, so that all else goes on, and with time limits of its own. How many bytes at the end of what
	 * `write` was given last it did not take: they are given again. What is left after an early answer is read to its end,
	 * since browsers look for an answer only then.
	 */
	readonly rest?: number;
}

export interface HTTPHandler {
	/**
	 * A request's head has arrived. Either send the response, at once or later, or return a sink for the body and answer
	 * when it has ended (or before: the rest of the body is then thrown away). Without a sink a body is thrown away.
	 * An exception is answered with 500; one that has a `sentence` is no mistake of ours, and that is the message.
	 */
	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined;
}
