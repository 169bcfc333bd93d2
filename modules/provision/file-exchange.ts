/** Exchange without a request, in which settings of a file are accepted by the rules of their routes. */
import { BUSY } from "../api/errors.js";
import { Exchange } from "../api/exchange.js";
import type { Core } from "../core/core.js";
import { METHOD_POST } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";

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
/** The routes' rules only set Retry-After. */
const RESPONSE = Object.freeze({ header: () => {} }) as unknown as HTTPResponse;
const CONTEXT = Object.freeze({ part: undefined, token: "", parameter: "" });

export class FileExchange extends Exchange {
	/** Code of the first refusal, "" without one. */
	code = "";
	message = "";
	field: string | undefined;

	constructor(core: Core) {
		super(core, REQUEST, RESPONSE, CONTEXT);
	}

	override busy(): void {
		this.fail(503, BUSY, "Memory is short; send the file again.");
	}

	override fail(_status: number, code: string, message: string, field?: string): void {
		if (this.code !== "") return;
		this.code = code;
		this.message = message;
		this.field = field && this.within + field;
	}
}
