/**
 * Exchange in which the settings of a file are validated by the rules of their routes, with or without an HTTP request.
 */
import { BUSY } from "../../api/errors.js";
import { Exchange } from "../../api/exchange.js";
import type { Core } from "../../core/core.js";
import { METHOD_POST } from "../../http/request.js";
import type { HTTPResponse } from "../../http/response.js";
import type { JSONWriter } from "../../json/writer.js";

export const BUSY_SENTENCE = "Memory is short, or a file waits; send it again in a moment.";

const REQUEST = Object.freeze({
	method: METHOD_POST,
	path: "",
	target: "",
	minorVersion: 1 as const,
	contentLength: 0,
	host: undefined,
	remoteAddress: "",
	secure: true,
	viaAccessPoint: false,
	header: () => undefined,
	query: () => undefined,
});
/** Stand-in for a response. The rules of the routes only set the header field Retry-After in it. */
const RESPONSE = Object.freeze({ header: () => {} }) as unknown as HTTPResponse;
const CONTEXT = Object.freeze({ part: undefined, token: "", parameter: "" });

/** Receiver of the reply to a file: an Exchange of the API, or the console. */
export interface FileClient {
	readonly response?: HTTPResponse;
	object(members: (writer: JSONWriter) => void): void;
	fail(status: number, code: string, message: string, field?: string): void;
}

export class FileExchange extends Exchange {
	/** Code of the first refusal; "" if there was none. */
	code = "";
	readonly #client: FileClient | undefined;

	/** `client`: receiver of the reply; undefined if no client waits for one. */
	constructor(core: Core, client: FileClient | undefined) {
		super(core, REQUEST, client?.response ?? RESPONSE, CONTEXT);
		this.#client = client;
	}

	override object(members: (writer: JSONWriter) => void): void {
		this.#client?.object(members);
	}

	override busy(): void {
		this.fail(503, BUSY, BUSY_SENTENCE);
	}

	override fail(status: number, code: string, message: string, field?: string): void {
		this.code = code;
		if (status === 503) this.#client?.response?.header("Retry-After", "1");
		this.#client?.fail(status, code, message, field && this.within + field);
	}
}
