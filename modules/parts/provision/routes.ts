/** Routes of the provisioning by signed files (API text): its settings, its result, and the upload of a file. */
import type { BodyValues } from "../../api/body.js";
import { ClaimedBody } from "../../api/claimed-body.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { failField, putsOf, writeSettings } from "../../api/settings.js";
import { CERTIFICATE_TEXT, certificateIn, serverSettings } from "../../api/trusted-certificate.js";
import { type Put, put } from "../../config/schema.js";
import { CERTIFICATE_LIMIT } from "../../config/trusted-certificates.js";
import { unixSeconds } from "../../core/facts.js";
import type { BodySink } from "../../http/handler.js";
import { parseFileURL } from "../../http/url.js";
import { FILE_COST, FILE_LIMIT } from "../../provision/file.js";
import { PROVISION_CERTIFICATE, PROVISION_OWN, PROVISION_RESULT, PROVISION_URL } from "./fields.js";
import type { Provisioning } from "./provisioning.js";

export const PROVISION_SETTINGS = serverSettings(PROVISION_OWN, [], { show, accept });

function show(exchange: Exchange<Provisioning>): void {
	const { config } = exchange.core;
	const { certificates, result, state, visitedUtcMs } = exchange.part;
	const hasCertificate = certificates.isSet;
	exchange.object((writer) => {
		writeSettings(writer, config, PROVISION_OWN);
		numberMember(writer, "cert_max_size", CERTIFICATE_LIMIT);
		booleanMember(writer, "cert_set", hasCertificate);
		textMember(writer, "url_state", result);
		numberMember(writer, "url_asked", unixSeconds(visitedUtcMs));
		textMember(writer, "state", state);
		writeSettings(writer, config, PROVISION_RESULT);
		numberMember(writer, "max_size", FILE_LIMIT);
	});
}

function accept(exchange: Exchange<Provisioning>, values: BodyValues): readonly Put[] | undefined {
	const url = values.get(PROVISION_URL) ?? "";
	const received = certificateIn(exchange, values);
	if (received === undefined) return undefined;
	const { certificate, refusal } = received;
	if (url !== "" && parseFileURL(url) === undefined)
		failField(exchange, PROVISION_URL, "url must be https:// and a name or an IPv4 address, without user name.");
	else if (refusal !== "") failField(exchange, CERTIFICATE_TEXT, refusal);
	else return [...putsOf(PROVISION_OWN, values), put(PROVISION_CERTIFICATE, certificate)];
	return undefined;
}

export function postFile(exchange: Exchange<Provisioning>): BodySink | undefined {
	const sink = ClaimedBody.open(exchange, FILE_COST, () => new FileBody(exchange));
	if (sink === undefined) exchange.busy();
	return sink;
}

class FileBody implements BodySink {
	readonly limit = FILE_LIMIT;
	readonly #exchange: Exchange<Provisioning>;
	readonly #file = new Uint8Array(FILE_LIMIT);
	#length = 0;

	constructor(exchange: Exchange<Provisioning>) {
		this.#exchange = exchange;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#file.set(bytes.subarray(start, end), this.#length);
		this.#length += end - start;
	}

	end(): void {
		const exchange = this.#exchange;
		exchange.part.offer(this.#file.subarray(0, this.#length), "api", exchange);
	}
}
