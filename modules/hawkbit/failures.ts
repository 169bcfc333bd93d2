/** Failures of a poll; those of the connection are in publish. */
import { FIRST_STATUS, HTTP_BAD_REPLY, HTTP_NO_REPLY } from "../http/client.js";
import {
	connectFailure,
	type OutputFailure,
	outputFailure,
	RETCODE_MEMORY,
	RETCODE_NO_CONNECTION,
	RETCODE_REFUSED,
	RETCODE_TLS,
	RETCODE_URL,
} from "../publish/connect-failures.js";

export const HAWKBIT_BAD_URL = outputFailure("bad_url", RETCODE_URL, "The address can't be used.");
export const HAWKBIT_NO_CERTIFICATE = outputFailure("certificate_missing", RETCODE_TLS, "No certificate is stored.");
export const HAWKBIT_NO_NETWORK = outputFailure("no_network", RETCODE_NO_CONNECTION, "The gateway is in no network.");
export const HAWKBIT_NO_MEMORY = outputFailure("no_memory", RETCODE_MEMORY, "There is not enough memory now.");
/** A document is not the JSON that the DDI specifies, or too long. */
export const HAWKBIT_BAD_DOCUMENT = outputFailure("bad_document", RETCODE_REFUSED, "The server's reply is no DDI.");
const NO_REPLY = outputFailure("no_reply", RETCODE_NO_CONNECTION, "The server gave no answer in time.");
const BAD_REPLY = outputFailure("no_http", RETCODE_NO_CONNECTION, "The server does not speak HTTP.");
/** After these two, polls are rare until the owner has corrected the settings. */
export const HAWKBIT_UNAUTHORIZED = outputFailure("token_rejected", RETCODE_REFUSED, "The server rejects the token.");
export const HAWKBIT_FORBIDDEN = outputFailure("forbidden", RETCODE_REFUSED, "The server refuses this gateway.");
const REDIRECTED = outputFailure("redirected", RETCODE_REFUSED, "The token goes to no other address.");
const NOT_FOUND = outputFailure("not_found", RETCODE_REFUSED, "The server does not know this tenant or gateway.");
const UNAVAILABLE = outputFailure("server_busy", RETCODE_REFUSED, "The server is not ready.");
const REJECTED = outputFailure("rejected", RETCODE_REFUSED, "The server rejects the request.");

const GONE = 410;
const TOO_MANY_REQUESTS = 429;

/** Returns the failure for an outcome of HTTPClient that is not a success. */
export function hawkbitFailure(outcome: number): OutputFailure {
	if (outcome === HTTP_NO_REPLY) return NO_REPLY;
	if (outcome === HTTP_BAD_REPLY) return BAD_REPLY;
	if (outcome < FIRST_STATUS) return connectFailure(outcome);
	if (outcome === 401) return HAWKBIT_UNAUTHORIZED;
	if (outcome === 403) return HAWKBIT_FORBIDDEN;
	if (isGone(outcome)) return NOT_FOUND;
	if (outcome >= 500 || outcome === TOO_MANY_REQUESTS) return UNAVAILABLE;
	return outcome >= 300 && outcome < 400 ? REDIRECTED : REJECTED;
}

/** True if the server does not know the resource, or no longer: an action that is closed. */
export function isGone(outcome: number): boolean {
	return outcome === 404 || outcome === GONE;
}
