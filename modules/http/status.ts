/** Reason phrases of HTTP status codes (RFC 9110, 15), and the error replies of the server itself. */
import type { TextCodec } from "../io/host.js";
import type { HTTPResponse } from "./response.js";

const REASONS: Readonly<Record<number, string>> = Object.freeze({
	101: "Switching Protocols",
	200: "OK",
	201: "Created",
	204: "No Content",
	301: "Moved Permanently",
	302: "Found",
	304: "Not Modified",
	307: "Temporary Redirect",
	400: "Bad Request",
	401: "Unauthorized",
	403: "Forbidden",
	404: "Not Found",
	405: "Method Not Allowed",
	406: "Not Acceptable",
	408: "Request Timeout",
	409: "Conflict",
	413: "Content Too Large",
	414: "URI Too Long",
	429: "Too Many Requests",
	431: "Request Header Fields Too Large",
	500: "Internal Server Error",
	501: "Not Implemented",
	503: "Service Unavailable",
	505: "HTTP Version Not Supported",
});

const ERRORS: Readonly<Record<number, readonly [string, string]>> = Object.freeze({
	400: Object.freeze(["bad_request", "The request is not valid HTTP."] as const),
	408: Object.freeze(["timeout", "The request did not arrive in time."] as const),
	413: Object.freeze(["too_large", "The body of the request is too large."] as const),
	414: Object.freeze(["too_large", "The address of the request is too long."] as const),
	431: Object.freeze(["too_large", "The header of the request is too large."] as const),
	500: Object.freeze(["internal", "Internal error while answering the request."] as const),
	501: Object.freeze(["unsupported", "This transfer coding is not supported."] as const),
	503: Object.freeze(["busy", "All connections are in use; try again in a moment."] as const),
	505: Object.freeze(["unsupported", "This version of HTTP is not supported."] as const),
});

/** Returns the reason phrase of a status. For an unknown status it is empty, which is valid. */
export function reasonOf(status: number): string {
	return REASONS[status] ?? "";
}

/** Returns the JSON text of an error reply. If `sentence` is defined, it replaces the usual message. */
export function errorText(status: number, sentence?: string): string {
	const [code, message] = ERRORS[status] ?? ERRORS[500];
	return `{"error":"${code}","message":"${sentence ?? message}"}`;
}

export function sendError(response: HTTPResponse, status: number, sentence?: string): void {
	response.lines("Content-Type: application/json\r\nCache-Control: no-store\r\n");
	response.sendText(status, errorText(status, sentence));
}

/** Value of Retry-After for a client whose connection is displaced, seconds. */
const RETRY_AFTER = 1;

export function displacedReply(text: TextCodec): Uint8Array {
	const body = errorText(503);
	return text.encode(
		`HTTP/1.1 503 ${reasonOf(503)}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n` +
			`Retry-After: ${RETRY_AFTER}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
	);
}
