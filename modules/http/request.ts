/**
 * What a handler sees of a request (RFC 9110, RFC 9112). Types and the numbers of the methods only; `head.ts` fills it.
 */

/** Any method that has no number of its own. */
export const METHOD_OTHER = 0;
export const METHOD_GET = 1;
export const METHOD_HEAD = 2;
export const METHOD_POST = 3;
export const METHOD_PUT = 4;
export const METHOD_DELETE = 5;
export const METHOD_OPTIONS = 6;

/** Names of the methods, by number. Case-sensitive (RFC 9110, 9.1). */
export const METHOD_NAMES = Object.freeze(["", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** One request; the object is used again for the next one, so copy what must last longer than the reply. */
export interface HTTPRequest {
	/** METHOD_… */
	readonly method: number;
	/** Path of the target, percent-decoded, without the query; begins with `/` (or is `*` with OPTIONS). */
	readonly path: string;
	/** Path and query as they were sent: printable ASCII, as long as a request line at most. Read it in `begin`. */
	readonly target: string;
	/** 0 for HTTP/1.0, else 1. */
	readonly minorVersion: number;
	/** Bytes of the body, 0 when there is none, -1 when they come in chunks. */
	readonly contentLength: number;
	/**
	 * Host and port asked for, `host [":" port]` of at most HOST_LIMIT bytes: from the target if it was in absolute form,
	 * else from the Host field. Undefined for HTTP/1.0 without one.
	 */
	readonly host: string | undefined;
	/** The client's address as text. */
	readonly remoteAddress: string;
	/** True when the connection is carried by TLS. */
	readonly secure: boolean;
	/** True when it came over our own access point. */
	readonly viaAccessPoint: boolean;

	/**
	 * Value of the first field `name` (lower-case ASCII) without white space around it; undefined when there is none or
	 * once the body has begun to arrive: read in `begin` what will be needed. Bytes outside ASCII are given as `?`.
	 */
	header(name: string): string | undefined;

	/** First query parameter `name`, decoded; `""` without a value; undefined as for `header`, or if it is not UTF-8. */
	query(name: string): string | undefined;
}
