/** Hub routes of the API text: settings, test (decisions 4, 5, 44, 45). This firmware has no client for a hub. */
import type { BlobWriter } from "../config/blob.js";
import type { HubCertificates } from "../config/hub.js";
import {
	HUB,
	HUB_CERTIFICATE,
	HUB_CERTIFICATE_LIMIT,
	HUB_ENABLED,
	HUB_LANG,
	HUB_TOKEN,
	HUB_URL,
} from "../config/hub-fields.js";
import { bodyField, type Field, TEXT } from "../config/schema.js";
import { parseHubURL } from "../http/url.js";
import { CERTIFICATES_WELL, PRIVATE_KEY_ABSENT } from "../io/host.js";
import { BUSY, HUB_DISABLED, INVALID_FIELD, MISSING_FIELD, UNSUPPORTED } from "./errors.js";
import type { Exchange, Services } from "./exchange.js";
import { describeMissing } from "./field-value.js";
import { booleanMember, numberMember, textMember } from "./members.js";
import { type BodyTable, LONG_BODY_LIMIT, type LongText, type Value } from "./validate.js";

/** The certificate as the body gives it; never held as text. */
const CERTIFICATE_TEXT = bodyField<string>({
	name: HUB_CERTIFICATE.name,
	kind: TEXT,
	maximum: HUB_CERTIFICATE_LIMIT,
});
/** Its value while another request is sending one. */
const CERTIFICATE_BUSY = false;

/** In the order of HUB. */
export const HUB_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([HUB_ENABLED, HUB_URL, HUB_TOKEN, HUB_LANG, CERTIFICATE_TEXT]),
	required: Object.freeze([HUB_ENABLED.name]),
	limit: LONG_BODY_LIMIT,
	long: Object.freeze({ name: CERTIFICATE_TEXT.name, open: openCertificate }),
});

function openCertificate(services: Services): LongText {
	return new CertificateText(services.hubCertificates);
}

/** Puts the certificate of a body into the flash, where it means nothing until the settings refer to it. */
class CertificateText implements LongText {
	readonly #certificates: HubCertificates;
	readonly #writer: BlobWriter | undefined;

	constructor(certificates: HubCertificates) {
		this.#certificates = certificates;
		this.#writer = certificates.open();
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#writer?.write(bytes, start, end);
	}

	/** What HUB_CERTIFICATE must be set to. */
	end(): Value | undefined {
		return this.#writer === undefined ? CERTIFICATE_BUSY : this.#writer.end();
	}

	close(): void {
		if (this.#writer === undefined) return;
		this.#writer.close();
		this.#certificates.sweep();
	}
}

export function getHub(exchange: Exchange): void {
	const { config, hubCertificates } = exchange.services;
	const enabled = config.get(HUB_ENABLED);
	const hasCertificate = hubCertificates.isSet;
	exchange.object((writer) => {
		booleanMember(writer, HUB_ENABLED.name, enabled);
		if (enabled) textMember(writer, HUB_URL.name, config.get(HUB_URL));
		numberMember(writer, "cert_max_size", HUB_CERTIFICATE_LIMIT);
		textMember(writer, HUB_LANG.name, config.get(HUB_LANG));
		booleanMember(writer, "token_set", config.get(HUB_TOKEN) !== "");
		booleanMember(writer, "cert_set", hasCertificate);
	});
}

export function postHub(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const [enabled, url, token, , certificate] = values;
	if (certificate === CERTIFICATE_BUSY) {
		exchange.response.header("Retry-After", "5");
		exchange.fail(503, BUSY, "Another request is sending a certificate; try again later.");
		return;
	}
	if ((url !== undefined && url !== "") || (enabled && url !== undefined)) {
		if (parseHubURL(url as string) === undefined) {
			failField(exchange, HUB_URL, "url must be http:// or https:// and a host, without user name, query or fragment.");
			return;
		}
	}
	if (enabled && token === "") {
		failField(exchange, HUB_TOKEN, "token must not be empty while the hub is enabled.");
		return;
	}
	const reference = certificate as Uint8Array | undefined;
	if (reference !== undefined && reference.length > 0 && !isCertificate(exchange.services, reference)) {
		failField(exchange, CERTIFICATE_TEXT, "cert must be PEM text of certificates, and of nothing secret.");
		return;
	}
	if (enabled && (url === undefined || token === undefined)) {
		const { name } = url === undefined ? HUB_URL : HUB_TOKEN;
		exchange.fail(400, MISSING_FIELD, describeMissing(name), name);
		return;
	}
	const changes = values.slice();
	if (enabled && reference === undefined) changes[HUB.fields.length - 1] = new Uint8Array(0);
	exchange.services.config.set(HUB, changes);
	getHub(exchange);
}

export function getHubSend(exchange: Exchange): void {
	if (exchange.services.config.get(HUB_ENABLED)) {
		exchange.fail(501, UNSUPPORTED, "This firmware can't publish to a hub; the settings are kept.");
	} else exchange.fail(400, HUB_DISABLED, "The hub is not enabled.");
}

/** Whether what lies in the flash is a file of certificates; a private key in there was pasted by mistake. */
function isCertificate({ hubCertificates, crypto }: Services, reference: Uint8Array): boolean {
	const bytes = hubCertificates.read(reference);
	if (bytes === undefined) return false;
	const file = crypto.readCertificates(bytes);
	return file.certificates.length > 0 && file.problem === CERTIFICATES_WELL && file.key === PRIVATE_KEY_ABSENT;
}

function failField(exchange: Exchange, { name }: Field, message: string): void {
	exchange.fail(400, INVALID_FIELD, message, name);
}
