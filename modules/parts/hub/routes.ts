/** Hub routes of the API text: settings and test. */

import type { BodyValues } from "../../api/body.js";
import { MISSING_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { describeMissing } from "../../api/field-value.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { failField, putsOf } from "../../api/settings.js";
import { certificateField, certificateIn, serverSettings } from "../../api/trusted-certificate.js";
import { type Put, put, type SettingField } from "../../config/schema.js";
import { parseHubURL } from "../../http/url.js";
import type { OutputPart, Sending } from "../publish/output-part.js";
import {
	HUB_CERTIFICATE,
	HUB_CERTIFICATE_LIMIT,
	HUB_ENABLED,
	HUB_LANG,
	HUB_STATISTICS,
	HUB_TOKEN,
	HUB_URL,
} from "./fields.js";

export const HUB_DISABLED = "hub_disabled";

export const HUB_TEXTS = Object.freeze({
	enabled: HUB_ENABLED,
	disabled: HUB_DISABLED,
	name: "The hub",
	taken: "The hub accepted everything.",
	hasStatus: true,
});

const CERTIFICATE_TEXT = certificateField(HUB_CERTIFICATE_LIMIT);
const STORED: readonly SettingField[] = Object.freeze([HUB_ENABLED, HUB_URL, HUB_TOKEN, HUB_LANG, HUB_STATISTICS]);

export const HUB_SETTINGS = serverSettings(STORED, [HUB_ENABLED.name], { show, accept }, CERTIFICATE_TEXT);

function show(exchange: Exchange<OutputPart<Sending>>): void {
	const { config } = exchange.core;
	const enabled = config.get(HUB_ENABLED);
	const hasCertificate = exchange.part.certificates.isSet;
	exchange.object((writer) => {
		booleanMember(writer, HUB_ENABLED.name, enabled);
		if (enabled) textMember(writer, HUB_URL.name, config.get(HUB_URL));
		numberMember(writer, "cert_max_size", HUB_CERTIFICATE_LIMIT);
		textMember(writer, HUB_LANG.name, config.get(HUB_LANG));
		booleanMember(writer, HUB_STATISTICS.name, config.get(HUB_STATISTICS));
		booleanMember(writer, "token_set", config.get(HUB_TOKEN) !== "");
		booleanMember(writer, "cert_set", hasCertificate);
	});
}

function accept(exchange: Exchange<OutputPart<Sending>>, values: BodyValues): readonly Put[] | undefined {
	const enabled = values.get(HUB_ENABLED);
	const url = values.get(HUB_URL);
	const token = values.get(HUB_TOKEN);
	const received = certificateIn(exchange, values, CERTIFICATE_TEXT);
	if (received === undefined) return undefined;
	const { certificate, refusal } = received;
	if (url !== undefined && (url !== "" || enabled) && parseHubURL(url) === undefined)
		failField(exchange, HUB_URL, "url must be http:// or https:// and a host, without user name, query or fragment.");
	else if (enabled && token === "") failField(exchange, HUB_TOKEN, "token must not be empty while the hub is enabled.");
	else if (refusal !== "") failField(exchange, CERTIFICATE_TEXT, refusal);
	else if (enabled && (url === undefined || token === undefined)) {
		const { name } = url === undefined ? HUB_URL : HUB_TOKEN;
		exchange.fail(400, MISSING_FIELD, describeMissing(name), name);
	} else {
		// The stored certificate is cleared if the request has none.
		const kept = enabled ? new Uint8Array(0) : undefined;
		const trust = certificate ?? kept;
		const puts = [...putsOf(STORED, values), put(HUB_CERTIFICATE, trust)];
		// If the address or the certificate changes, the token is cleared, so that a different server never receives
		// it.
		const isElsewhere = trust !== undefined || (url !== undefined && url !== exchange.core.config.get(HUB_URL));
		if (token === undefined && isElsewhere) puts.push(put(HUB_TOKEN, ""));
		return puts;
	}
	return undefined;
}
