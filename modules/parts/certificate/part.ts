/** Certificate of the HTTPS port. */
import { route } from "../../api/route.js";
import { METHOD_GET, METHOD_POST } from "../../http/request.js";
import { changed, part } from "../../part/part.js";
import { WIFI_HOSTNAME } from "../network/fields.js";
import { TLS } from "./fields.js";
import { Identity } from "./identity.js";
import { getCertificate, getCertificateFile, postCertificate, postCertificateReset } from "./routes.js";

export const CERTIFICATE = part<Identity>({
	name: "certificate",
	entries: Object.freeze([TLS]),
	routes: Object.freeze([
		route(METHOD_GET, "system/certificate", getCertificate),
		route(METHOD_GET, "system/certificate/file", getCertificateFile),
		route(METHOD_POST, "system/certificate", postCertificate, { body: undefined }),
		route(METHOD_POST, "system/certificate/reset", postCertificateReset),
	]),
	reactions: Object.freeze([
		// The certificate and the network names contain the hostname, so they are refreshed when it changes.
		changed([WIFI_HOSTNAME], (_: Identity, core) => core.refreshSoon()),
	]),
	open: ({ clock, config, crypto, guard, info, storage, trace }) =>
		new Identity({ clock, crypto, guard, info, storage, trace }, config),
});
