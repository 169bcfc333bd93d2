/** Codes of polls that failed, for status, log and page; those of the connection are in publish. */
import { FIRST_STATUS, HTTP_BAD_REPLY, HTTP_NO_REPLY } from "../http/client.js";
import { connectFailure } from "../publish/connect-failures.js";

export const BAD_URL = "bad_url";
export const NO_CERTIFICATE = "certificate_missing";
export const NO_NETWORK = "no_network";
export const NO_MEMORY = "no_memory";
/** A document is not the JSON that the DDI specifies, or too long. */
export const BAD_DOCUMENT = "bad_document";
/** After these two, polls are rare until the owner has corrected the settings. */
export const UNAUTHORIZED = "token_rejected";
export const FORBIDDEN = "forbidden";

/** Returns the code for an outcome of HTTPClient that is not a success. */
export function failureOf(outcome: number): string {
	if (outcome === HTTP_NO_REPLY) return "no_reply";
	if (outcome === HTTP_BAD_REPLY) return "no_http";
	if (outcome < FIRST_STATUS) return connectFailure(outcome).code;
	if (outcome < 400) return "redirected";
	if (outcome === 401) return UNAUTHORIZED;
	if (outcome === 403) return FORBIDDEN;
	if (isGone(outcome)) return "not_found";
	return outcome === 429 || outcome >= 500 ? "server_busy" : "rejected";
}

/** True if the server does not know the resource, or no longer: an action that is closed. */
export function isGone(outcome: number): boolean {
	return outcome === 404 || outcome === 410;
}
