/** Failures of visits to a server. Failures to connect are in connect-failures.ts. */
import { FIRST_STATUS, HTTP_BAD_REPLY, HTTP_NO_REPLY } from "../http/client.js";
import { connectFailure, type OutputFailure, outputFailure, RETCODE_REFUSED } from "./connect-failures.js";

/** Returns a failure without a message. None is needed, because the owner can't start a test of a visit. */
export const codeOnly = (code: string): OutputFailure => outputFailure(code, RETCODE_REFUSED, "");

export const BAD_URL = codeOnly("bad_url");
export const NO_CERTIFICATE = codeOnly("certificate_missing");
export const NO_NETWORK = codeOnly("no_network");
export const NO_MEMORY = codeOnly("no_memory");
/** After these two failures, visits are rare until the owner has corrected the settings. */
export const UNAUTHORIZED = codeOnly("token_rejected");
export const FORBIDDEN = codeOnly("forbidden");
const NOT_FOUND = codeOnly("not_found");
const NO_REPLY = codeOnly("no_reply");
const BAD_REPLY = codeOnly("no_http");
const REDIRECTED = codeOnly("redirected");
const SERVER_BUSY = codeOnly("server_busy");
const REJECTED = codeOnly("rejected");

/** Returns the failure for an outcome of HTTPClient other than a success. */
export function visitFailure(outcome: number): OutputFailure {
	if (outcome === HTTP_NO_REPLY) return NO_REPLY;
	if (outcome === HTTP_BAD_REPLY) return BAD_REPLY;
	if (outcome < FIRST_STATUS) return connectFailure(outcome);
	if (outcome < 400) return REDIRECTED;
	if (outcome === 401) return UNAUTHORIZED;
	if (outcome === 403) return FORBIDDEN;
	if (isGone(outcome)) return NOT_FOUND;
	return outcome === 429 || outcome >= 500 ? SERVER_BUSY : REJECTED;
}

export function isGone(outcome: number): boolean {
	return outcome === 404 || outcome === 410;
}
