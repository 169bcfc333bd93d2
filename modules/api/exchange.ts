/** One request of the API and its answer, and what the routes work with. */
import type { Login } from "../auth/login.js";
import type { Sessions } from "../auth/sessions.js";
import type { ConfigStore } from "../config/store.js";
import type { HTTPRequest } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";
import type { Clock, TextCodec } from "../io/host.js";
import { JSONStream } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import type { MeterReader } from "../meter/reader.js";
import { fail } from "./errors.js";
import type { Value } from "./validate.js";

/** What the routes work with. */
export interface Services {
	readonly config: ConfigStore;
	readonly login: Login;
	readonly sessions: Sessions;
	readonly reader: MeterReader;
	/** Table of OBIS names (obis/names.ts), or undefined when the firmware has none. */
	readonly names: Uint8Array | undefined;
	readonly writer: JSONWriter;
	/** Names of a reading's members as bytes (readings.ts). */
	readonly readingKeys: readonly Uint8Array[];
	readonly clock: Clock;
	readonly text: TextCodec;
	readonly hostname: string;
	/** Port of the HTTPS listener, for redirects; 0 when there is none. */
	httpsPort(): number;
	/** Settings of the meter have changed: the parts that go by them are told. */
	meterChanged(): void;
}

export class Exchange {
	readonly services: Services;
	readonly response: HTTPResponse;
	/** The client's address, for the login limiter. */
	readonly remoteAddress: string;
	readonly secure: boolean;
	/** Token that the request was let in with; empty on an open route. */
	readonly token: string;
	/** Value of the query parameter `lang`. */
	readonly language: string;

	constructor(services: Services, request: HTTPRequest, response: HTTPResponse, token: string) {
		this.services = services;
		this.response = response;
		this.remoteAddress = request.remoteAddress;
		this.secure = request.secure;
		this.token = token;
		this.language = request.query("lang") ?? "";
	}

	/** Answers 200 with JSON made piece by piece (json/stream.ts tells what `produce` must keep to). */
	stream(produce: (writer: JSONWriter, unit: number) => boolean): void {
		this.response.header("Content-Type", "application/json");
		this.response.send(200, new JSONStream(this.services.writer, produce));
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

	fail(status: number, code: string, message: string, field?: string): void {
		fail(this.services.writer, this.response, status, code, message, field);
	}
}

/** What a route does once the request has passed all checks; `values` are those of its body's fields. */
export type RouteHandler = (exchange: Exchange, values: readonly (Value | undefined)[]) => void;
