/** The hub's certificate. */
import { HUB_CERTIFICATE, HUB_CERTIFICATE_LIMIT } from "../hub/fields.js";
import { type CertificatePlace, TrustedCertificates } from "./trusted-certificates.js";

export class HubCertificates extends TrustedCertificates {
	constructor(place: CertificatePlace) {
		super(place, HUB_CERTIFICATE, "hub_cert", HUB_CERTIFICATE_LIMIT);
	}
}
