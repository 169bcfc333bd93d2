/** HTTP request (RFC 9110, RFC 9112). */

export const METHOD_OTHER = 0;
export const METHOD_GET = 1;
export const METHOD_HEAD = 2;
export const METHOD_POST = 3;
export const METHOD_PUT = 4;
export const METHOD_DELETE = 5;
export const METHOD_OPTIONS = 6;

/** Names of the methods, in the order of METHOD_…. They are case-sensitive (RFC 9110, 9.1). */
export const METHOD_NAMES = Object.freeze(["", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** Request. The object is used again for the next request, so copy what is needed after the reply. */
export interface HTTPRequest {
	readonly method: number;
	/** Decoded path without the query. It begins with `/`; with OPTIONS, it may be `*`. */
	readonly path: string;
	/** Path and query as they were sent, in printable ASCII. Valid only while HTTPHandler.begin is called. */
	readonly target: string;
	/** Minor version of HTTP: 0 for HTTP/1.0, otherwise 1. */
	readonly minorVersion: number;
	/** Length of the body in bytes; 0 without a body, -1 if it is chunked. */
	readonly contentLength: number;
	/**
	 * `host [":" port]` from an absolute target or the field Host, at most HOST_LIMIT bytes. Undefined if an HTTP/1.0
	 * request has neither.
	 */
	readonly host: string | undefined;
	readonly remoteAddress: string;
	readonly secure: boolean;
	readonly viaAccessPoint: boolean;

	/**
	 * Returns the value of the first field `name` (lower-case ASCII), without blanks around it, and with `?` for bytes
	 * that are not ASCII. Undefined if there is no such field, and when the body has begun to arrive.
	 */
	header(name: string): string | undefined;

	/**
	 * Returns the decoded value of the first query parameter `name`, or `""` if it has no value. Undefined if there is
	 * no such parameter, if its value is not UTF-8, and when the body has begun to arrive.
	 */
	query(name: string): string | undefined;
}
