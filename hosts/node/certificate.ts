/**
 * What the bench's TLS is served with. Its own certificate is self-signed, made at the first start and kept with the
 * state (self-signed.ts), name and alternative names as decision 42 of the API wants them, valid for ten years.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { CERTIFICATE_FILE_LIMIT, type CertificatePair } from "../../modules/io/host.js";
import { makeCertificate } from "./self-signed.js";
import { writeFileAtomic } from "./storage.js";

const VALID_YEARS = 10;
const DAY_MS = 86_400_000;

/** Both as PEM. */
export interface Identity {
	readonly certificate: string;
	readonly key: string;
}

/**
 * The certificate in `folder`; made anew when there is none, when it is not for `hostname` or when the key is not its
 * own. `nowMs` is Unix time.
 */
export function loadIdentity(folder: string, hostname: string, nowMs: number): Identity {
	const certificatePath = join(folder, "certificate.pem");
	const keyPath = join(folder, "key.pem");
	if (existsSync(certificatePath) && existsSync(keyPath)) {
		const kept = { certificate: readFileSync(certificatePath, "utf8"), key: readFileSync(keyPath, "utf8") };
		if (isFor(kept, hostname)) return kept;
	}
	const made = makeIdentity(hostname, nowMs);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeFileAtomic(keyPath, made.key);
	writeFileAtomic(certificatePath, made.certificate);
	return made;
}

function isFor({ certificate, key }: Identity, hostname: string): boolean {
	try {
		const parsed = new X509Certificate(certificate);
		return parsed.checkPrivateKey(createPrivateKey(key)) && parsed.checkHost(hostname) !== undefined;
	} catch {
		// A file that a power cut or a hand has damaged is as good as none.
		return false;
	}
}

/** A self-signed certificate for `hostname` and `hostname.local`, and its key. `nowMs` is Unix time. */
export function makeIdentity(hostname: string, nowMs: number): Identity {
	const end = new Date(nowMs);
	end.setUTCFullYear(end.getUTCFullYear() + VALID_YEARS);
	const { certificate, key } = makeCertificate({
		names: [hostname, `${hostname}.local`],
		// A day early, for browsers whose clock is a little behind.
		validFromMs: nowMs - DAY_MS,
		validToMs: end.getTime(),
	});
	return { certificate: Buffer.from(certificate).toString(), key: Buffer.from(key).toString() };
}

/** The pair as a listener wants it. Throws an Error with a sentence for the user when it can't be served. */
export function toIdentity(pair: CertificatePair): Identity {
	if (pair.certificate.length > CERTIFICATE_FILE_LIMIT) throw new Error("the certificate is too large");
	if (pair.key.length > CERTIFICATE_FILE_LIMIT) throw new Error("the private key is too large");
	const certificate = Buffer.from(pair.certificate).toString();
	const key = Buffer.from(pair.key).toString();
	const leaf = attempt(() => new X509Certificate(certificate), "the certificate can't be read");
	const own = attempt(() => createPrivateKey(key), "the private key can't be read");
	if (!leaf.checkPrivateKey(own)) throw new Error("the key does not match the certificate");
	// The rest of the chain.
	attempt(() => createSecureContext({ cert: certificate, key }), "the certificate can't be read");
	return { certificate, key };
}

function attempt<T>(action: () => T, failure: string): T {
	try {
		return action();
	} catch {
		throw new Error(failure);
	}
}
