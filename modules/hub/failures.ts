/** Failures of sending to the hub. Failures of the connection are in the folder publish. */
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

export const HUB_BAD_URL = outputFailure(
	"bad_url",
	RETCODE_URL,
	"This address can't be used. Write it as https://name:8123, with a name or an IPv4 address.",
);
export const HUB_NO_CERTIFICATE = outputFailure(
	"certificate_missing",
	RETCODE_TLS,
	"An https address needs a certificate to know the hub by. Store the hub's, or that of its authority.",
);
export const HUB_NO_NETWORK = outputFailure(
	"no_network",
	RETCODE_NO_CONNECTION,
	"The gateway is in no network. Join the network of the hub first.",
);
export const HUB_NO_TURN = outputFailure(
	"no_memory",
	RETCODE_MEMORY,
	"There is not enough memory at the moment. The gateway will retry.",
);
const NO_REPLY = outputFailure(
	"no_reply",
	RETCODE_NO_CONNECTION,
	"The server took the connection, but gave no answer in time. Check the port, and whether it is the hub's.",
);
const BAD_REPLY = outputFailure(
	"no_http",
	RETCODE_NO_CONNECTION,
	"The server there does not speak HTTP. Check the port, and whether the address begins with http or https.",
);
/** After this failure the hub is tried only rarely, until the user has corrected the settings. */
export const HUB_UNAUTHORIZED = outputFailure(
	"token_rejected",
	RETCODE_REFUSED,
	"The hub rejects the token. It must be a long-lived access token of an administrator that was not deleted.",
);
export const HUB_FORBIDDEN = outputFailure(
	"forbidden",
	RETCODE_REFUSED,
	"Home Assistant refuses this gateway. Its IP address may be banned: remove it from ip_bans.yaml.",
);
const REDIRECTED = outputFailure(
	"redirected",
	RETCODE_REFUSED,
	"The server sends callers to another address. The token goes nowhere else: enter the address where the hub itself is.",
);
const NOT_FOUND = outputFailure(
	"not_found",
	RETCODE_REFUSED,
	"There is no Home Assistant at this address. Check name, port and path; without a path is usual.",
);
const UNAVAILABLE = outputFailure(
	"hub_unavailable",
	RETCODE_REFUSED,
	"Home Assistant is not ready; it may be starting. The gateway will retry.",
);
const REJECTED = outputFailure(
	"rejected",
	RETCODE_REFUSED,
	"The server takes no states. Check that it is Home Assistant.",
);

/** Returns the failure that corresponds to an outcome of HTTPClient that is not a success. */
export function hubFailure(outcome: number): OutputFailure {
	if (outcome === HTTP_NO_REPLY) return NO_REPLY;
	if (outcome === HTTP_BAD_REPLY) return BAD_REPLY;
	if (outcome < FIRST_STATUS) return connectFailure(outcome);
	if (outcome === 401) return HUB_UNAUTHORIZED;
	if (outcome === 403) return HUB_FORBIDDEN;
	if (outcome >= 500) return UNAVAILABLE;
	if (outcome === 404 || outcome === 405) return NOT_FOUND;
	return outcome >= 300 && outcome < 400 ? REDIRECTED : REJECTED;
}
