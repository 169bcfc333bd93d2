/**
 * Requests for a firmware file (docs/firmware-files.md). The server's certificate is checked only if the request
 * contains a secret; otherwise the signature in the file is sufficient. A request for the release file reveals only the
 * name of the board.
 */
import { HTTPClient } from "../http/client.js";
import type { ReplyReader } from "../http/reply.js";
import { type FileURL, parseFileURL } from "../http/url.js";
import { ANYBODY, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { Cost } from "../io/memory.js";

export const REDIRECTS = 3;
/** Maximum length of a line, bytes. Download servers use signed addresses of about 1200 bytes. */
export const LINE_SIZE = 2048;

/** Memory for the connection, and for the header lines of a redirect. */
export const UPGRADE_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 8192 });

export const OK = 200;
export const PARTIAL_CONTENT = 206;
const REDIRECTIONS = Object.freeze([301, 302, 303, 307, 308]);

export interface FileRequest {
	readonly task: Task;
	readonly port: ClientPort;
	readonly text: TextCodec;
	readonly url: FileURL;
	/** Bytes to request, in the form of the Range field: `0-287`, or `1000-` for all bytes from offset 1000 on. */
	readonly range: string;
	readonly reply: ReplyReader;
	/** TLS options. By default every server is trusted. */
	readonly tls?: TLSClientOptions;
	/** Value of the header field Authorization. */
	readonly authorization?: string;
}

export function requestFile(given: FileRequest, nowMs: number): HTTPClient {
	const { authorization, port, range, reply, task, text, url } = given;
	const { host, port: portNumber, target } = url;
	const tls = given.tls ?? { trusted: text.encode(ANYBODY) };
	const secret = authorization === undefined ? "" : `Authorization: ${authorization}\r\n`;
	const client = new HTTPClient({ task, port, host, portNumber, tls, reply });
	const name = portNumber === 443 ? host : `${host}:${portNumber}`;
	const request = text.encode(
		`GET ${target} HTTP/1.1\r\nHost: ${name}\r\nUser-Agent: smart-meter-gw\r\n${secret}Range: bytes=${range}\r\nConnection: close\r\n\r\n`,
	);
	client.send(request, 0, request.length, nowMs);
	return client;
}

/** Returns the target of a redirect: an HTTPS address, or a file on the same server; otherwise undefined. */
export function redirectOf(reply: ReplyReader, { host, port }: FileURL, text: TextCodec): FileURL | undefined {
	const { location, status } = reply;
	if (location === undefined || !REDIRECTIONS.includes(status)) return undefined;
	const bytes = location.map((byte) => (byte > 0x20 && byte < 0x7f ? byte : 0x20));
	const target = text.decode(bytes);
	const isPath = target.startsWith("/") && !target.startsWith("//");
	return parseFileURL(isPath ? `https://${host}:${port}${target}` : target);
}
