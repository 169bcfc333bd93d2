/** The certificate that the broker is known by. */
import type { Storage } from "../io/host.js";
import { MQTT_CERTIFICATE, MQTT_CERTIFICATE_LIMIT } from "./mqtt-fields.js";
import type { ConfigStore } from "./store.js";
import { TrustedCertificates } from "./trusted-certificates.js";

export class MQTTCertificates extends TrustedCertificates {
	constructor(store: ConfigStore, storage: Storage) {
		super(store, storage, MQTT_CERTIFICATE, "mqtt_cert", MQTT_CERTIFICATE_LIMIT);
	}
}
