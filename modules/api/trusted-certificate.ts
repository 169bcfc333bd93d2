/** The certificate that a server is known by, as a body gives it. */
import { type BlobWriter, NO_MEMORY } from "../config/blob.js";
import { trustRefusalOf } from "../config/certificate-rules.js";
import type { TrustedCertificates } from "../config/trusted-certificates.js";
import type { LongText } from "./body.js";
import { BUSY } from "./errors.js";
import type { Exchange } from "./exchange.js";

/** Its value while another request is sending one. */
export const CERTIFICATE_BUSY = false;

/** Puts the certificate of a body into the flash, where it means nothing until the settings refer to it. */
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

	/** What the setting must be set to. */
	end(): Uint8Array | typeof CERTIFICATE_BUSY | undefined {
		return this.#writer === undefined ? CERTIFICATE_BUSY : this.#writer.end();
	}

	close(): void {
		if (this.#writer === undefined) return;
		this.#writer.close();
		this.#certificates.sweep();
	}
}

export function failCertificateBusy(exchange: Exchange): void {
	exchange.response.header("Retry-After", "5");
	exchange.fail(503, BUSY, "Another request is sending a certificate; try again later.");
}

/**
 * Why what lies in the flash can't be one that a server is known by; "": it can, or there is none. NO_MEMORY: there is no
 * memory to look at it, and the client is told.
 */
export function trustRefusalIn(
	exchange: Exchange,
	certificates: TrustedCertificates,
	reference: Uint8Array | undefined,
): string | typeof NO_MEMORY {
	if (reference === undefined || reference.length === 0) return "";
	const { crypto } = exchange.core;
	// A private key is pasted by mistake.
	const refusal = certificates.lendNew(reference, (pem) => trustRefusalOf(crypto.readCertificates(pem)));
	if (refusal === undefined) throw new Error("flash has lost what was just written");
	if (refusal === NO_MEMORY) exchange.busy();
	return refusal;
}
