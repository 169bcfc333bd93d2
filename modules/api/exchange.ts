/** An API request and its reply. */
import { SCOPE_NONE } from "../auth/scope.js";
import type { Core } from "../core/core.js";
import type { HTTPRequest } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";
import type { Cost } from "../io/memory.js";
import { JSONStream, SPARE } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import { BUSY, fail, UNAUTHORIZED } from "./errors.js";

export interface RequestContext {
	readonly part: unknown;
	/** Token of the request; "" if the route needs none. */
	readonly token: string;
	readonly parameter: string;
}

export function failUnauthorized(writer: JSONWriter, response: HTTPResponse, realm: string): void {
	response.header("WWW-Authenticate", `Bearer realm="${realm}"`);
	fail(writer, response, 401, UNAUTHORIZED, "A valid token is needed; log in first.");
}

/** Request and reply. `Part` is the type of the running part that owns the route. */
export class Exchange<Part = unknown> {
	readonly core: Core;
	/**
	 * Running part that owns the route. While a backup is restored, it is the part of the current group of settings.
	 */
	part: Part;
	/** Request. It is valid only until the handler of the route returns. */
	readonly request: HTTPRequest;
	readonly response: HTTPResponse;
	readonly remoteAddress: string;
	readonly secure: boolean;
	readonly viaAccessPoint: boolean;
	readonly token: string;
	/** Parameter in the path; "" if the route has none. */
	readonly parameter: string;
	/** Query parameter `lang`, or "". */
	readonly language: string;
	/** Prefix of field names in errors: the group in a backup, because several groups have fields of the same name. */
	within = "";

	constructor(core: Core, request: HTTPRequest, response: HTTPResponse, context: RequestContext) {
		this.core = core;
		this.part = context.part as Part;
		this.request = request;
		this.response = response;
		this.remoteAddress = request.remoteAddress;
		this.secure = request.secure;
		this.viaAccessPoint = request.viaAccessPoint;
		this.token = context.token;
		this.parameter = context.parameter;
		this.language = request.query("lang") ?? "";
	}

	/** Claims memory. If memory is short, answers 503 and returns false. */
	claim(cost: Cost): boolean {
		if (this.core.ledger.claim(cost)) return true;
		this.busy();
		return false;
	}

	/**
	 * Answers 200 with JSON that `produce` writes in pieces (rules: json/stream.ts). Releases the memory `claimed`
	 * after the reply, or when the client disconnects.
	 */
	stream(produce: (writer: JSONWriter, unit: number) => boolean, claimed?: Cost): void {
		const { ledger, writer } = this.core;
		const body = new JSONStream(writer, produce, SPARE);
		this.response.lines("Content-Type: application/json\r\n");
		if (claimed === undefined) this.response.send(200, body);
		else {
			const close = () => ledger.release(claimed);
			this.response.send(200, { read: (into, start, end) => body.read(into, start, end), close });
		}
	}

	/** Answers 200 with one JSON object. `members` writes its members and may be called more than once. */
	object(members: (writer: JSONWriter) => void): void {
		this.stream((writer) => {
			writer.beginObject();
			members(writer);
			writer.endObject();
			return false;
		});
	}

	empty(): void {
		this.response.send(200);
	}

	plainText(status: number, sentence: string): void {
		this.response.header("Content-Type", "text/plain");
		this.response.sendBytes(status, this.core.text.encode(`${sentence}\n`));
	}

	/** Answers 401 and returns true if the token was revoked while a long body arrived. */
	failIfRevoked(): boolean {
		if (this.token === "" || this.core.scopeOf(this.token) !== SCOPE_NONE) return false;
		failUnauthorized(this.core.writer, this.response, this.core.hostname);
		return true;
	}

	busy(): void {
		this.response.header("Retry-After", "1");
		this.fail(503, BUSY, "The gateway is busy with other requests; try again in a moment.");
	}

	fail(status: number, code: string, message: string, field?: string, more?: (writer: JSONWriter) => void): void {
		const path = field === undefined ? undefined : this.within + field;
		fail(this.core.writer, this.response, status, code, message, path, more);
	}
}
