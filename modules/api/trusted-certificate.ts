/** The certificate that a server is known by, as a body gives it: for the settings of the hub and of MQTT. */
import type { BlobWriter } from "../config/blob.js";
import { trustRefusalOf } from "../config/certificate-rules.js";
import type { TrustedCertificates } from "../config/trusted-certificates.js";
import type { LongText } from "./body.js";
import { BUSY } from "./errors.js";
import type { Exchange, Services } from "./exchange.js";

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

/** Why what lies in the flash can't be one that a server is known by; "": it can, or there is none. */
export function trustRefusalIn(
	{ crypto }: Services,
	certificates: TrustedCertificates,
	reference: Uint8Array | undefined,
): string {
	if (reference === undefined || reference.length === 0) return "";
	const bytes = certificates.read(reference);
	if (bytes === undefined) throw new Error("flash has lost what was just written");
	// A private key is pasted by mistake.
	return trustRefusalOf(crypto.readCertificates(bytes));
}
