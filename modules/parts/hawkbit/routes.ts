/** Routes for the settings of the roll-out by hawkBit (API text). */
import type { BodyValues } from "../../api/body.js";
import { MISSING_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { describeMissing } from "../../api/field-value.js";
import { booleanMember, numberMember } from "../../api/members.js";
import { failField, putsOf, writeSettings } from "../../api/settings.js";
import { CERTIFICATE_TEXT, certificateIn, serverSettings } from "../../api/trusted-certificate.js";
import { type Put, put, type SettingField } from "../../config/schema.js";
import { CERTIFICATE_LIMIT } from "../../config/trusted-certificates.js";
import { parseFileURL, parseHubURL } from "../../http/url.js";
import {
	HAWKBIT_CERTIFICATE,
	HAWKBIT_CONTROLLER_ID,
	HAWKBIT_ENABLED,
	HAWKBIT_TENANT,
	HAWKBIT_TOKEN,
	HAWKBIT_TOKEN_KIND,
	HAWKBIT_URL,
} from "./fields.js";
import type { Hawkbit } from "./hawkbit.js";

const STORED: readonly SettingField[] = Object.freeze([
	...[HAWKBIT_ENABLED, HAWKBIT_URL, HAWKBIT_TENANT, HAWKBIT_CONTROLLER_ID],
	...[HAWKBIT_TOKEN_KIND, HAWKBIT_TOKEN],
]);

export const HAWKBIT_SETTINGS = serverSettings(STORED, [HAWKBIT_ENABLED.name], { show, accept });

function show(exchange: Exchange<Hawkbit>): void {
	const { config } = exchange.core;
	const hasCertificate = exchange.part.certificates.isSet;
	exchange.object((writer) => {
		writeSettings(writer, config, STORED);
		numberMember(writer, "cert_max_size", CERTIFICATE_LIMIT);
		booleanMember(writer, "cert_set", hasCertificate);
	});
}

function accept(exchange: Exchange<Hawkbit>, values: BodyValues): readonly Put[] | undefined {
	const { config } = exchange.core;
	const enabled = values.get(HAWKBIT_ENABLED);
	const url = values.get(HAWKBIT_URL);
	const token = values.get(HAWKBIT_TOKEN);
	const received = certificateIn(exchange, values);
	if (received === undefined) return undefined;
	const { certificate, refusal } = received;
	// The TCP clients of the hosts support names and IPv4 addresses, but not IPv6 addresses. parseFileURL refuses IPv6.
	const isUsable = url === undefined || (parseHubURL(url) !== undefined && parseFileURL(url) !== undefined);
	if (!isUsable && (url !== "" || enabled))
		failField(exchange, HAWKBIT_URL, "url must be https:// and a name or an IPv4 address, without user name or query.");
	else if (enabled && token === "")
		failField(exchange, HAWKBIT_TOKEN, "token must not be empty while this is enabled.");
	else if (refusal !== "") failField(exchange, CERTIFICATE_TEXT, refusal);
	else {
		// If the address or the certificate changes, the token is cleared, so that a different server never receives
		// it.
		const isElsewhere = certificate !== undefined || (url !== undefined && url !== config.get(HAWKBIT_URL));
		const hasToken = token !== undefined || (!isElsewhere && config.get(HAWKBIT_TOKEN) !== "");
		const hasURL = url !== undefined || config.get(HAWKBIT_URL) !== "";
		if (enabled && !(hasURL && hasToken)) {
			const { name } = hasURL ? HAWKBIT_TOKEN : HAWKBIT_URL;
			exchange.fail(400, MISSING_FIELD, describeMissing(name), name);
			return undefined;
		}
		const puts = [...putsOf(STORED, values), put(HAWKBIT_CERTIFICATE, certificate)];
		if (!hasToken && isElsewhere) puts.push(put(HAWKBIT_TOKEN, ""));
		return puts;
	}
	return undefined;
}
