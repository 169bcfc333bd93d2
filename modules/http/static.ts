/**
 * Serves the files of the web page from one archive in flash (tools/page.ts). The archive is searched in flash, so the
 * memory needed does not depend on the number of files. Its format, big-endian:
 *
 *     1 byte    number of files
 *     2 bytes   length of the policy
 *     …         Content-Security-Policy of the documents (CSP Level 3), ASCII
 *     each file:
 *       1 byte    length of the path      …  path as in a request, ASCII, `/assets/app-Bq3x.js`
 *       1 byte    length of the type      …  Content-Type, ASCII
 *       16 bytes  hash of the content in hex: its ETag
 *       1 byte    1 if the name changes when the content changes
 *       4 bytes   length                  4 bytes  offset of the content in the archive, which is gzip (RFC 1952)
 *
 * Several files may have the same content.
 */
import { lowerCase } from "../bytes/ascii.js";
import { uint16BE, uint32BE } from "../bytes/integers.js";
import type { TextCodec } from "../io/host.js";
import type { HTTPRequest } from "./request.js";
import { BytesSource, type HTTPResponse } from "./response.js";

const POLICY_AT = 3;
const TAG_LENGTH = 16;

export class StaticFiles {
	readonly #archive: Uint8Array;
	readonly #text: TextCodec;

	constructor(archive: Uint8Array | undefined, text: TextCodec) {
		this.#archive = archive ?? new Uint8Array(POLICY_AT);
		this.#text = text;
	}

	has(path: string): boolean {
		return this.find(path) > 0;
	}

	/**
	 * Replies with the file, with 304 if the client's copy is current (RFC 9110, 13.1.2), or with 406 if the client
	 * does not accept gzip. Returns false, without a reply, if there is no such file.
	 */
	send(request: HTTPRequest, response: HTTPResponse): boolean {
		const found = this.find(request.path);
		if (found === 0) return false;
		const archive = this.#archive;
		const typeEnd = found + 1 + archive[found];
		const tagEnd = typeEnd + TAG_LENGTH;
		const type = this.#text.decode(archive, found + 1, typeEnd);
		const tag = `"${this.#text.decode(archive, typeEnd, tagEnd)}"`;
		const isDocument = type.startsWith("text/html");
		response.lines("Vary: Accept-Encoding\r\n");
		if (!takesGzip(request.header("accept-encoding"))) {
			response.lines("Content-Type: text/plain\r\nCache-Control: no-store\r\n");
			response.sendText(406, "The page is only here as gzip, which the request's Accept-Encoding refuses.\n");
			return true;
		}
		response.header("ETag", tag);
		response.header("Cache-Control", archive[tagEnd] === 1 ? "public, max-age=31536000, immutable" : "no-cache");
		const known = request.header("if-none-match") ?? "";
		if (known === "*" || known.includes(tag)) {
			response.send(304);
			return true;
		}
		response.header("Content-Type", type);
		response.header("Content-Encoding", "gzip");
		response.header("X-Content-Type-Options", "nosniff");
		response.header("Referrer-Policy", "no-referrer");
		if (isDocument) response.header("Content-Security-Policy", this.policy);
		const start = this.number(tagEnd + 5);
		const length = this.number(tagEnd + 1);
		response.send(200, new BytesSource(archive, start, start + length), length);
		return true;
	}

	private get policy(): string {
		const archive = this.#archive;
		return this.#text.decode(archive, POLICY_AT, POLICY_AT + uint16BE(archive, 1));
	}

	private find(path: string): number {
		const archive = this.#archive;
		const wanted = this.#text.encode(path);
		let at = POLICY_AT + uint16BE(archive, 1);
		for (let left = archive[0]; left > 0; left--) {
			const pathEnd = at + 1 + archive[at];
			if (archive[at] === wanted.length && isAt(archive, at + 1, wanted)) return pathEnd;
			at = pathEnd + 1 + archive[pathEnd] + TAG_LENGTH + 9;
		}
		return 0;
	}

	private number(at: number): number {
		return uint32BE(this.#archive, at);
	}
}

function isAt(archive: Uint8Array, at: number, wanted: Uint8Array): boolean {
	for (let i = 0; i < wanted.length; i++) if (archive[at + i] !== wanted[i]) return false;
	return true;
}

/**
 * True if the client accepts gzip (RFC 9110, 12.5.3). The server does not unpack files for clients that do not accept
 * it, because that would take 32 KB per request.
 */
function takesGzip(accepted: string | undefined): boolean {
	if (accepted === undefined) return true;
	let takesOthers = false;
	for (const item of lowerCase(accepted).split(",")) {
		const [coding, ...parameters] = item.split(";").map((part) => part.trim());
		const takes = !parameters.some((parameter) => parameter.startsWith("q=") && Number(parameter.slice(2)) === 0);
		if (coding === "gzip" || coding === "x-gzip") return takes;
		if (coding === "*") takesOthers = takes;
	}
	return takesOthers;
}
