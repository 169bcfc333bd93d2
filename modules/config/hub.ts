/** The hub's certificate. */
import type { Storage } from "../io/host.js";
import { HUB_CERTIFICATE, HUB_CERTIFICATE_LIMIT } from "./hub-fields.js";
import type { ConfigStore } from "./store.js";
import { TrustedCertificates } from "./trusted-certificates.js";

export class HubCertificates extends TrustedCertificates {
	constructor(store: ConfigStore, storage: Storage) {
		super(store, storage, HUB_CERTIFICATE, "hub_cert", HUB_CERTIFICATE_LIMIT);
	}
}
