/** Failures of polls; those of the connection are in publish. */
import { FIRST_STATUS, HTTP_BAD_REPLY, HTTP_NO_REPLY } from "../http/client.js";
import { connectFailure, type OutputFailure, outputFailure, RETCODE_REFUSED } from "../publish/connect-failures.js";

/** There is no message, because the owner cannot start a test. */
const failure = (code: string): OutputFailure => outputFailure(code, RETCODE_REFUSED, "");

export const BAD_URL = failure("bad_url");
export const NO_CERTIFICATE = failure("certificate_missing");
export const NO_NETWORK = failure("no_network");
export const NO_MEMORY = failure("no_memory");
/** A document is not the JSON that the DDI specifies, or too long. */
export const BAD_DOCUMENT = failure("bad_document");
/** After these two, polls are rare until the owner has corrected the settings. */
export const UNAUTHORIZED = failure("token_rejected");
export const FORBIDDEN = failure("forbidden");
const NO_REPLY = failure("no_reply");
const BAD_REPLY = failure("no_http");
const REDIRECTED = failure("redirected");
const NOT_FOUND = failure("not_found");
const SERVER_BUSY = failure("server_busy");
const REJECTED = failure("rejected");

/** `outcome`: outcome of HTTPClient other than a success. */
export function failureOf(outcome: number): OutputFailure {
	if (outcome === HTTP_NO_REPLY) return NO_REPLY;
	if (outcome === HTTP_BAD_REPLY) return BAD_REPLY;
	if (outcome < FIRST_STATUS) return connectFailure(outcome);
	if (outcome < 400) return REDIRECTED;
	if (outcome === 401) return UNAUTHORIZED;
	if (outcome === 403) return FORBIDDEN;
	if (isGone(outcome)) return NOT_FOUND;
	return outcome === 429 || outcome >= 500 ? SERVER_BUSY : REJECTED;
}

/** The action is closed or unknown. */
export function isGone(outcome: number): boolean {
	return outcome === 404 || outcome === 410;
}
