/**
 * Error replies: `{"error":"<code>","message":"<sentence>"}`, plus `"field"` if a field is the cause. The reply to a
 * failed readout has more members.
 */
import type { HTTPResponse } from "../http/response.js";
import { JSONStream } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";

export const INVALID_JSON = "invalid_json";
export const MISSING_FIELD = "missing_field";
export const INVALID_FIELD = "invalid_field";
export const UNAUTHORIZED = "unauthorized";
export const INVALID_PROOF = "invalid_proof";
export const NONCE_INVALID = "nonce_invalid";
export const HTTPS_REQUIRED = "https_required";
export const FORBIDDEN_ORIGIN = "forbidden_origin";
export const FORBIDDEN_SCOPE = "forbidden_scope";
export const NOT_FOUND = "not_found";
export const METHOD_NOT_ALLOWED = "method_not_allowed";
export const TOO_MANY_ATTEMPTS = "too_many_attempts";
export const BUSY = "busy";
export const TOKEN_SLOTS_FULL = "token_slots_full";
export const NO_UPGRADE = "no_upgrade";
export const UNSUPPORTED = "unsupported";

/** `message` says what happened and what to do. `more` writes additional members. */
export function fail(
	writer: JSONWriter,
	response: HTTPResponse,
	status: number,
	code: string,
	message: string,
	field?: string,
	more?: (writer: JSONWriter) => void,
): void {
	response.lines("Content-Type: application/json\r\n");
	const body = new JSONStream(writer, () => {
		writer.beginObject();
		writer.key("error");
		writer.string(code);
		writer.key("message");
		writer.string(message);
		if (field !== undefined) {
			writer.key("field");
			writer.string(field);
		}
		more?.(writer);
		writer.endObject();
		return false;
	});
	response.send(status, body);
}
