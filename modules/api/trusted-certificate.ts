/**
 * Receives a certificate with which the gateway will verify a server. The certificate is a long field of the body
 * (body.ts).
 */
import { type BlobWriter, NO_MEMORY } from "../config/blob.js";
import { trustRefusalOf } from "../config/certificate-rules.js";
import { bodyField, type Field, type SettingField, TEXT } from "../config/schema.js";
import { CERTIFICATE_LIMIT, type TrustedCertificates } from "../config/trusted-certificates.js";
import type { Core } from "../core/core.js";
import { type BodyValues, LONG_BODY_LIMIT, type LongText } from "./body.js";
import { BUSY } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { type SettingsTable, settingsOf } from "./settings.js";

/** Value of the field if another request is already sending a certificate. */
export const CERTIFICATE_BUSY = false;

/** Part that verifies its server with certificates that the owner has sent. */
export interface Trusting {
	readonly certificates: TrustedCertificates;
}

/** Reference to the certificate in a request, undefined without one; `refusal`: why it can't be used, or "". */
export interface ReceivedCertificate {
	readonly certificate: Uint8Array | undefined;
	readonly refusal: string;
}

type CertificateField = Field<Uint8Array | typeof CERTIFICATE_BUSY>;

/**
 * Returns the body field with the certificate. The text is stored in flash while it arrives; the value is a reference
 * to the stored text.
 */
export function certificateField(maximum: number): CertificateField {
	return bodyField({ name: "cert", kind: TEXT, maximum });
}

export const CERTIFICATE_TEXT = certificateField(CERTIFICATE_LIMIT);
const LONG_CERTIFICATE = Object.freeze({ name: CERTIFICATE_TEXT.name, open: openCertificate });

function openCertificate(_: Core, { certificates }: Trusting): LongText {
	return new CertificateText(certificates);
}

/**
 * Returns the table for the settings of a part that connects to a server. A POST is applied even if it changes nothing,
 * because it also starts a new attempt.
 */
export function serverSettings(
	fields: readonly SettingField[],
	required: readonly string[],
	{ show, accept }: Required<Pick<SettingsTable, "show" | "accept">>,
	certificate = CERTIFICATE_TEXT,
): SettingsTable {
	return settingsOf(fields, required, {
		fields: Object.freeze([...fields, certificate]),
		limit: LONG_BODY_LIMIT,
		long: LONG_CERTIFICATE,
		show,
		accept,
		applies: true,
	});
}

/** Stores the text of the certificate in flash. The certificate is not used until a setting refers to it. */
export class CertificateText implements LongText {
	readonly #certificates: TrustedCertificates;
	readonly #writer: BlobWriter | undefined;

	constructor(certificates: TrustedCertificates) {
		this.#certificates = certificates;
		this.#writer = certificates.open();
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#writer?.write(bytes, start, end);
	}

	/** Returns the value of the setting that refers to the certificate. */
	end(): Uint8Array | typeof CERTIFICATE_BUSY | undefined {
		return this.#writer === undefined ? CERTIFICATE_BUSY : this.#writer.end();
	}

	close(): void {
		if (this.#writer === undefined) return;
		this.#writer.close();
		this.#certificates.sweep();
	}
}

/**
 * Checks the certificate in a request. If another request is sending a certificate, or if memory is short, answers 503
 * and returns undefined.
 */
export function certificateIn(
	exchange: Exchange<Trusting>,
	values: BodyValues,
	field = CERTIFICATE_TEXT,
): ReceivedCertificate | undefined {
	const certificate = values.get(field);
	if (certificate === CERTIFICATE_BUSY) {
		exchange.response.header("Retry-After", "5");
		exchange.fail(503, BUSY, "Another request is sending a certificate; try again later.");
		return undefined;
	}
	if (certificate === undefined || certificate.length === 0) return { certificate, refusal: "" };
	const { core, part } = exchange;
	// A text is refused, for example, if the user has pasted a private key by mistake.
	const refusal = part.certificates.lendNew(certificate, (pem) => trustRefusalOf(core.crypto.readCertificates(pem)));
	if (refusal === undefined) throw new Error("flash has lost what was just written");
	if (refusal !== NO_MEMORY) return { certificate, refusal };
	exchange.busy();
	return undefined;
}
