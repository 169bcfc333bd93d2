/** Request (RFC 9110, RFC 9112). */

export const METHOD_OTHER = 0;
export const METHOD_GET = 1;
export const METHOD_HEAD = 2;
export const METHOD_POST = 3;
export const METHOD_PUT = 4;
export const METHOD_DELETE = 5;
export const METHOD_OPTIONS = 6;

/** Names are case-sensitive (RFC 9110, 9.1). */
export const METHOD_NAMES = Object.freeze(["", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** The object is reused for the next request: copy what is needed after the reply. */
export interface HTTPRequest {
	readonly method: number;
	/** Decoded, without query; begins with `/`, or `*` with OPTIONS. */
	readonly path: string;
	/** Path and query as sent, printable ASCII. Valid only in `begin`. */
	readonly target: string;
	/** 0 for HTTP/1.0, otherwise 1. */
	readonly minorVersion: number;
	/** Length in bytes; 0 without a body, -1 if chunked. */
	readonly contentLength: number;
	/** `host [":" port]`, HOST_LIMIT bytes, from an absolute target or Host; undefined in HTTP/1.0 without either. */
	readonly host: string | undefined;
	readonly remoteAddress: string;
	readonly secure: boolean;
	readonly viaAccessPoint: boolean;

	/**
	 * The first field `name` (lower-case ASCII), trimmed, with `?` for bytes beyond ASCII. Undefined if absent, and once
	 * the body arrives.
	 */
	header(name: string): string | undefined;

	/** First parameter `name`, decoded; `""` without a value; undefined as for `header`, and if not UTF-8. */
	query(name: string): string | undefined;
}
