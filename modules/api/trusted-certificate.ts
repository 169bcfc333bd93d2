/**
 * Receives a certificate with which the gateway will verify a server. The certificate is a long field of the body
 * (body.ts).
 */
import { type BlobWriter, NO_MEMORY } from "../config/blob.js";
import { trustRefusalOf } from "../config/certificate-rules.js";
import { bodyField, TEXT } from "../config/schema.js";
import { CERTIFICATE_LIMIT, type TrustedCertificates } from "../config/trusted-certificates.js";
import type { Core } from "../core/core.js";
import type { LongText } from "./body.js";
import { BUSY } from "./errors.js";
import type { Exchange } from "./exchange.js";

/** Value of the field if another request is already sending a certificate. */
export const CERTIFICATE_BUSY = false;

/**
 * Body field with the certificate. The text is stored in flash while it arrives; the value is a reference to the stored
 * text.
 */
export const CERTIFICATE_TEXT = bodyField<Uint8Array | typeof CERTIFICATE_BUSY>({
	name: "cert",
	kind: TEXT,
	maximum: CERTIFICATE_LIMIT,
});
export const LONG_CERTIFICATE = Object.freeze({ name: CERTIFICATE_TEXT.name, open: openCertificate });

function openCertificate(_: Core, { certificates }: { readonly certificates: TrustedCertificates }): LongText {
	return new CertificateText(certificates);
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
 * Returns why the newly stored certificate can't be used to verify a server; "" if it can be used, or if the request
 * has no certificate. If another request is sending a certificate, or if memory is short, answers 503 and returns
 * NO_MEMORY.
 */
export function trustRefusalIn(
	exchange: Exchange,
	certificates: TrustedCertificates,
	reference: Uint8Array | typeof CERTIFICATE_BUSY | undefined,
): string | typeof NO_MEMORY {
	if (reference === CERTIFICATE_BUSY) {
		exchange.response.header("Retry-After", "5");
		exchange.fail(503, BUSY, "Another request is sending a certificate; try again later.");
		return NO_MEMORY;
	}
	if (reference === undefined || reference.length === 0) return "";
	const { crypto } = exchange.core;
	// A text is refused, for example, if the user has pasted a private key by mistake.
	const refusal = certificates.lendNew(reference, (pem) => trustRefusalOf(crypto.readCertificates(pem)));
	if (refusal === undefined) throw new Error("flash has lost what was just written");
	if (refusal === NO_MEMORY) exchange.busy();
	return refusal;
}
