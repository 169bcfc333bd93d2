/** One request of the API and its answer. */
import { SCOPE_NONE } from "../auth/tokens.js";
import type { Core } from "../core/core.js";
import type { HTTPRequest } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";
import type { Cost } from "../io/memory.js";
import { JSONStream, SPARE } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import { BUSY, fail, UNAUTHORIZED } from "./errors.js";

/** How a request came to its route. */
export interface RequestContext {
	/** What runs of the part that the route is of. */
	readonly part: unknown;
	/** Token that it was let in with; empty on an open route. */
	readonly token: string;
	/** As in the router's match. */
	readonly parameter: string;
}

/** Answers 401: the token is missing, wrong, expired or revoked. `realm` is the gateway's name. */
export function failUnauthorized(writer: JSONWriter, response: HTTPResponse, realm: string): void {
	response.header("WWW-Authenticate", `Bearer realm="${realm}"`);
	fail(writer, response, 401, UNAUTHORIZED, "A valid token is needed; log in first.");
}

/** `Part` is what runs of the part that the route is of. */
export class Exchange<Part = unknown> {
	readonly core: Core;
	/** A backup is put back group by group, each with its own part. */
	part: Part;
	/** Only until the route returns. */
	readonly request: HTTPRequest;
	readonly response: HTTPResponse;
	/** The client's address, for the login limiter. */
	readonly remoteAddress: string;
	readonly secure: boolean;
	/** It came in on the interface of our own access point. */
	readonly viaAccessPoint: boolean;
	/** Token that the request was let in with; empty on an open route. */
	readonly token: string;
	/** What stood in the path in place of the route's `<parameter>`; empty where it has none. */
	readonly parameter: string;
	/** Value of the query parameter `lang`. */
	readonly language: string;
	/** Stands before the name of the field in a complaint: a backup has fields of one name in several groups. */
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

	/** Claims memory for what was asked; false: there is none, and that has been answered. */
	claim(cost: Cost): boolean {
		if (this.core.ledger.claim(cost)) return true;
		this.busy();
		return false;
	}

	/**
	 * Answers 200 with JSON made piece by piece (json/stream.ts tells what `produce` must keep to). `claimed` is given back
	 * when the reply has left, or its client has gone.
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

	/** Answers 200 with one small JSON object, whose members `members` writes, maybe more than once. */
	object(members: (writer: JSONWriter) => void): void {
		this.stream((writer) => {
			writer.beginObject();
			members(writer);
			writer.endObject();
			return false;
		});
	}

	/** Answers 200 without a body. */
	empty(): void {
		this.response.send(200);
	}

	/** Answers with a sentence and nothing else. */
	plainText(status: number, sentence: string): void {
		this.response.header("Content-Type", "text/plain");
		this.response.sendBytes(status, this.core.text.encode(`${sentence}\n`));
	}

	/**
	 * Answers 401 and returns true if the request's token has been revoked, or its session has ended, since the request
	 * began. For requests whose body takes long; never true on an open route.
	 */
	failIfRevoked(): boolean {
		if (this.token === "" || this.core.scopeOf(this.token) !== SCOPE_NONE) return false;
		failUnauthorized(this.core.writer, this.response, this.core.hostname);
		return true;
	}

	/** There is no memory for what was asked beside what goes on. */
	busy(): void {
		this.response.header("Retry-After", "1");
		this.fail(503, BUSY, "The gateway is busy with other requests; try again in a moment.");
	}

	fail(status: number, code: string, message: string, field?: string, more?: (writer: JSONWriter) => void): void {
		const path = field === undefined ? undefined : this.within + field;
		fail(this.core.writer, this.response, status, code, message, path, more);
	}
}
