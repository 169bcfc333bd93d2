/** The gateway's certificate and key, checked and converted for Node. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { CERTIFICATE_FILE_LIMIT, type CertificatePair } from "../../modules/io/crypto.js";

export interface Identity {
	readonly certificate: string;
	readonly key: string;
}

/** Throws an Error with a message for the user if the pair is unusable. */
export function toIdentity(pair: CertificatePair): Identity {
	if (pair.certificate.length > CERTIFICATE_FILE_LIMIT) throw new Error("the certificate is too large");
	if (pair.key.length > CERTIFICATE_FILE_LIMIT) throw new Error("the private key is too large");
	const certificate = Buffer.from(pair.certificate).toString();
	const key = Buffer.from(pair.key).toString();
	const leaf = attempt(() => new X509Certificate(certificate), "the certificate can't be read");
	const own = attempt(() => createPrivateKey(key), "the private key can't be read");
	if (!leaf.checkPrivateKey(own)) throw new Error("the key does not match the certificate");
	attempt(() => createSecureContext({ cert: certificate, key }), "the certificate can't be read");
	return { certificate, key };
}

export function requireIdentity(pair: CertificatePair | undefined): Identity {
	if (pair === undefined) throw new Error("a TLS listener needs a certificate: give it the option `identity`");
	return toIdentity(pair);
}

function attempt<T>(action: () => T, failure: string): T {
	try {
		return action();
	} catch {
		throw new Error(failure);
	}
}
