/** One HTTP/1.1 request and its reply, for tests. */
import type { VirtualClient } from "./virtual-network.js";

export interface VirtualRequest {
	/** HTTP method. Default: POST if there is a body, otherwise GET. */
	method?: string;
	headers?: Record<string, string>;
	/** Bytes and text are sent unchanged. Any other value is sent as JSON. */
	body?: unknown;
}

export class VirtualReply {
	readonly status: number;
	/** Headers by name, in lower case. */
	readonly headers: ReadonlyMap<string, string>;
	readonly body: Uint8Array;

	constructor(status: number, headers: ReadonlyMap<string, string>, body: Uint8Array) {
		this.status = status;
		this.headers = headers;
		this.body = body;
	}

	get text(): string {
		return Buffer.from(this.body).toString("utf8");
	}

	// biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
	json(): any {
		return JSON.parse(this.text);
	}
}

/** Encodes a request. `path` includes the query. */
export function encodeRequest(path: string, request: VirtualRequest = {}): Uint8Array {
	const { body } = request;
	const headers: Record<string, string> = { Host: "gateway.local", ...request.headers };
	let bytes: Uint8Array = new Uint8Array(0);
	if (body instanceof Uint8Array) bytes = body;
	else if (typeof body === "string") bytes = Buffer.from(body);
	else if (body !== undefined) {
		bytes = Buffer.from(JSON.stringify(body));
		headers["Content-Type"] ??= "application/json";
	}
	if (body !== undefined) headers["Content-Length"] ??= String(bytes.length);
	let head = `${request.method ?? (body === undefined ? "GET" : "POST")} ${path} HTTP/1.1\r\n`;
	for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
	return Buffer.concat([Buffer.from(`${head}\r\n`), bytes]);
}

/**
 * Removes the first reply from the client's received bytes. Returns undefined if it is incomplete. `isHead` is true for
 * a reply to HEAD, which has no body. Skips interim replies (100).
 */
export function takeReply(client: VirtualClient, isHead = false): VirtualReply | undefined {
	const bytes = Buffer.from(client.received);
	const headEnd = bytes.indexOf("\r\n\r\n");
	if (headEnd < 0) return undefined;
	const [statusLine, ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
	const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
	if (!status) throw new Error(`no HTTP status line: ${statusLine}`);
	if (status < 200) {
		client.discard(headEnd + 4);
		return takeReply(client, isHead);
	}
	const headers = new Map<string, string>();
	for (const line of lines) {
		const colon = line.indexOf(":");
		headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
	}
	const rest = bytes.subarray(headEnd + 4);
	let body: { bytes: Uint8Array; length: number } | undefined;
	if (isHead || status === 204 || status === 304) body = { bytes: new Uint8Array(0), length: 0 };
	else if (headers.get("transfer-encoding") === "chunked")
		body = takeChunks(rest, headers.get("content-type") === "text/event-stream");
	else body = takeSized(rest, headers.get("content-length"), client.isClosed);
	if (body === undefined) return undefined;
	client.discard(headEnd + 4 + body.length);
	return new VirtualReply(status, headers, body.bytes);
}

function takeSized(rest: Buffer, length: string | undefined, isClosed: boolean) {
	if (length === undefined) return isClosed ? { bytes: rest, length: rest.length } : undefined;
	const count = Number(length);
	return rest.length < count ? undefined : { bytes: rest.subarray(0, count), length: count };
}

function takeChunks(rest: Buffer, isEndless: boolean) {
	const parts: Uint8Array[] = [];
	let at = 0;
	for (;;) {
		const lineEnd = rest.indexOf("\r\n", at);
		const size = Number.parseInt(rest.toString("latin1", at, Math.max(at, lineEnd)), 16);
		const end = lineEnd + 2 + size;
		if (lineEnd < 0 || !(end + 2 <= rest.length))
			return isEndless && at > 0 ? { bytes: Buffer.concat(parts), length: at } : undefined;
		if (rest.toString("latin1", end, end + 2) !== "\r\n") throw new Error(`chunk of ${size} bytes without its CR LF`);
		parts.push(rest.subarray(lineEnd + 2, end));
		at = end + 2;
		if (size === 0) return { bytes: Buffer.concat(parts), length: at };
	}
}
