/** Certificates of servers that a test runs. */
import { makeCertificate } from "../../hosts/node/self-signed.js";
import type { CertificatePair } from "../../modules/io/crypto.js";

const DAY_MS = 86_400_000;

/** Certificate and key for this name; valid from 2020 until 2049. */
export function lastingPair(name: string): CertificatePair {
	return makeCertificate({ names: [name], validFromMs: Date.UTC(2020, 0, 1), validToMs: Date.UTC(2049, 0, 1) });
}

/** Certificate and key, PEM; valid from yesterday until tomorrow. */
export function serverIdentity(name = "127.0.0.1"): { readonly cert: string; readonly key: string } {
	const validity = { validFromMs: Date.now() - DAY_MS, validToMs: Date.now() + DAY_MS };
	const { certificate, key } = makeCertificate({ names: [name], ...validity });
	return { cert: Buffer.from(certificate).toString(), key: Buffer.from(key).toString() };
}
