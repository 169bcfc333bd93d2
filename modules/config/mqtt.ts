/** The certificate that the broker is known by. */
import { MQTT_CERTIFICATE, MQTT_CERTIFICATE_LIMIT } from "../mqtt/fields.js";
import { type CertificatePlace, TrustedCertificates } from "./trusted-certificates.js";

export class MQTTCertificates extends TrustedCertificates {
	constructor(place: CertificatePlace) {
		super(place, MQTT_CERTIFICATE, "mqtt_cert", MQTT_CERTIFICATE_LIMIT);
	}
}
