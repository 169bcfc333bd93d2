/** Request as seen by a handler (RFC 9110, RFC 9112). Types and method numbers only; implemented in `head.ts`. */

/** Any method without a number here. */
export const METHOD_OTHER = 0;
export const METHOD_GET = 1;
export const METHOD_HEAD = 2;
export const METHOD_POST = 3;
export const METHOD_PUT = 4;
export const METHOD_DELETE = 5;
export const METHOD_OPTIONS = 6;

/** Method names by number. Case-sensitive (RFC 9110, 9.1). */
export const METHOD_NAMES = Object.freeze(["", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** One request. The object is reused for the next one, so copy values that are needed after the reply. */
export interface HTTPRequest {
	/** METHOD_… value. */
	readonly method: number;
	/** Percent-decoded path of the target without the query; begins with `/` (or is `*` with OPTIONS). */
	readonly path: string;
	/** Path and query as sent: printable ASCII, at most as long as a request line. Valid only in `begin`. */
	readonly target: string;
	/** Minor version: 0 for HTTP/1.0, otherwise 1. */
	readonly minorVersion: number;
	/** Bytes of the body; 0 without a body, -1 if chunked. */
	readonly contentLength: number;
	/**
	 * Requested host and port, `host [":" port]` of at most HOST_LIMIT bytes: from a target in absolute form, otherwise
	 * from the Host field. Undefined for HTTP/1.0 without either.
	 */
	readonly host: string | undefined;
	readonly remoteAddress: string;
	readonly secure: boolean;
	/** True if the request arrived over the device's access point. */
	readonly viaAccessPoint: boolean;

	/**
	 * Returns the value of the first field `name` (lower-case ASCII) without surrounding white space; undefined if it
	 * is absent or the body has begun to arrive. Call it in `begin`. Bytes outside ASCII are returned as `?`.
	 */
	header(name: string): string | undefined;

	/** Returns the first query parameter `name`, decoded; `""` without a value; undefined as for `header`, or if not UTF-8. */
	query(name: string): string | undefined;
}
